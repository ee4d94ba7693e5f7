"""The one table of what becomes of each schema keyword; the rule page `constraints` shows it and is tested against it.

Sources: OpenAPI 3.0.3, schema object; OpenAPI 3.1.0, section 4.8; JSON Schema core and validation 2020-12.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Use(StrEnum):
    """What a keyword is to the conversion: followed, a constraint to account for, or said to people only."""

    STRUCTURE = "structure"
    CONSTRAINT = "constraint"
    ANNOTATION = "annotation"


class Outcome(StrEnum):
    """What became of a constraint.

    The proto says it, an option does (of all its fields, or of some), the binding does, none can, or its holder is
    left out.
    """

    EXPRESSED = "expressed"
    OPTION = "option"
    PARTLY = "partly"
    CARRIED = "carried"
    NOT_EXPRESSIBLE = "not-expressible"
    EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True)
class Keyword:
    """One keyword.

    Attributes:
        use: what it is to the conversion.
        expressed: how a proto says it, where it does; empty where none ever does.
        option: the rules of protovalidate that say it, where they do; empty where none ever does.
        carried: how the binding says it, where it does; empty where it never does.
        reason: why a proto does not say it, where it does not.
    """

    use: Use = Use.CONSTRAINT
    expressed: str = ""
    option: str = ""
    carried: str = ""
    reason: str = ""


_BOUND = Keyword(
    expressed="the type, whose range ends there",
    option="[`gte`, `gt`, `lte`, `lt`](validate-bounds.md)",
    reason="protobuf has no bounds within a type",
)
_LENGTH = Keyword(option="[`min_len`, `max_len`](validate-lengths.md)", reason="protobuf has no bounds of length")
_COUNT = Keyword(
    option="[`min_items`, `max_items`](validate-items.md)", reason="a repeated field holds any number of items"
)
_ITEMS = Keyword(reason="all items of a repeated field are of one type")
_SIZE = Keyword(
    expressed="a oneof, or a message of one key and value",
    option="[a oneof's `required`, expressions](validate-properties.md), [`min_pairs`, `max_pairs`](validate-keys.md)",
    reason="protobuf does not count fields or keys",
)
_LOGIC = Keyword(reason="protobuf has no conditions among values")
_CLOSED = Keyword(
    expressed="a message, which has its own fields alone", reason="what takes further keys or any value is not closed"
)
_VALUES = Keyword(
    expressed="an enum, where all values are texts",
    option="[`defined_only`](validate-enum.md), [`in`, `const`](validate-values.md)",
    reason="the values of protobuf enums are names, not numbers, booleans or objects",
)
_TRAFFIC = Keyword(reason="one message serves requests and answers")
_CONTENT = Keyword(reason="a text travels as it is written")
_ENCODING = Keyword(expressed="`bytes`", reason="a text travels as it is written")
_UNION = Keyword(reason="variants that only restrict the whole: protobuf has no conditions on what stands together")
_STRUCTURE = Keyword(Use.STRUCTURE)
_ANNOTATION = Keyword(Use.ANNOTATION)

KEYWORDS: dict[str, Keyword] = {
    "required": Keyword(
        expressed="a field without `optional`",
        option="[`required`](validate-required.md)",
        reason="a list, a map or a oneof may be empty, and what not every form or message requires is optional",
    ),
    "nullable": Keyword(
        expressed="`NullValue`, or an enum value",
        carried="`nullable` in the binding",
        reason="protobuf has no null",
    ),
    "format": Keyword(
        expressed="the scalar type",
        option="[the rule of the format](validate-format.md)",
        reason="the format does not choose a protobuf type",
    ),
    "minimum": _BOUND,
    "maximum": _BOUND,
    "exclusiveMinimum": _BOUND,
    "exclusiveMaximum": _BOUND,
    "multipleOf": Keyword(option="[an expression](validate-bounds.md)", reason="protobuf has no bounds within a type"),
    "minLength": _LENGTH,
    "maxLength": _LENGTH,
    "pattern": Keyword(option="[`pattern`](validate-pattern.md)", reason="protobuf has no patterns of texts"),
    "enum": _VALUES,
    "const": _VALUES,
    "minItems": _COUNT,
    "maxItems": _COUNT,
    "uniqueItems": Keyword(option="[`unique`](validate-items.md)", reason="a repeated field may hold an item twice"),
    "contains": _ITEMS,
    "minContains": _ITEMS,
    "maxContains": _ITEMS,
    "unevaluatedItems": _ITEMS,
    "minProperties": _SIZE,
    "maxProperties": _SIZE,
    "propertyNames": Keyword(option="[`keys`](validate-keys.md)", reason="the keys of a map are any text"),
    "patternProperties": Keyword(
        option="[`keys`](validate-keys.md)", reason="a field has one name, and the keys of a map are any text"
    ),
    "additionalProperties": _CLOSED,
    "unevaluatedProperties": _CLOSED,
    "dependentRequired": _LOGIC,
    "dependentSchemas": _LOGIC,
    "dependencies": _LOGIC,
    "not": _LOGIC,
    "if": _LOGIC,
    "then": _LOGIC,
    "else": _LOGIC,
    "oneOf": _UNION,
    "anyOf": _UNION,
    "discriminator": Keyword(expressed="the field of the oneof that is set", reason="there is no oneof to tell apart"),
    "default": Keyword(reason="a field of proto3 has no default of its own; one that is not set is not sent"),
    "readOnly": _TRAFFIC,
    "writeOnly": _TRAFFIC,
    "contentEncoding": _ENCODING,
    "contentMediaType": _CONTENT,
    "contentSchema": _CONTENT,
    "$recursiveRef": Keyword(reason="a reference that depends on the way to it is not followed"),
    "allowEmptyValue": Keyword(reason="a field is set or not; how it is written in an address is up to the client"),
    "headers": Keyword(reason="a header of an answer is metadata of the call"),
    "links": Keyword(reason="a client makes its next call itself"),
    "type": _STRUCTURE,
    "$ref": _STRUCTURE,
    "properties": _STRUCTURE,
    "items": _STRUCTURE,
    "prefixItems": _STRUCTURE,
    "allOf": _STRUCTURE,
    "$defs": _STRUCTURE,
    "$dynamicRef": _STRUCTURE,
    "definitions": _STRUCTURE,
    "$id": _ANNOTATION,
    "$schema": _ANNOTATION,
    "$anchor": _ANNOTATION,
    "$dynamicAnchor": _ANNOTATION,
    "$recursiveAnchor": _ANNOTATION,
    "$vocabulary": _ANNOTATION,
    "$comment": _ANNOTATION,
    "title": _ANNOTATION,
    "description": _ANNOTATION,
    "deprecated": _ANNOTATION,
    "example": _ANNOTATION,
    "examples": _ANNOTATION,
    "externalDocs": _ANNOTATION,
    "xml": _ANNOTATION,
}
# A keyword that no standard knows restricts nothing, but a misspelt one was meant to.
UNKNOWN = Keyword(reason="no keyword of OpenAPI or JSON Schema")


def get_keyword(name: str) -> Keyword:
    """What becomes of a keyword, whatever it is."""
    return KEYWORDS.get(name, UNKNOWN)
