"""The table of schema keywords and their treatment. The rule page `constraints` shows it; a test compares both.

Sources: OpenAPI 3.0.3, schema object; OpenAPI 3.1.0, section 4.8; JSON Schema core and validation 2020-12.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Use(StrEnum):
    """The role of a keyword: part of the structure, a constraint to account for, or an annotation for readers."""

    STRUCTURE = "structure"
    CONSTRAINT = "constraint"
    ANNOTATION = "annotation"


class Outcome(StrEnum):
    """The outcome of a constraint.

    `EXPRESSED`: by the proto itself. `OPTION`, `PARTLY`: by an option of all or some of its fields. `CARRIED`: by the
    binding. `NOT_EXPRESSIBLE`: only in the report. `EXCLUDED`: its schema is excluded.
    """

    EXPRESSED = "expressed"
    OPTION = "option"
    PARTLY = "partly"
    CARRIED = "carried"
    NOT_EXPRESSIBLE = "not-expressible"
    EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True)
class Keyword:
    """One keyword; a part of a proto, an option or an entry of the binding is empty if it never expresses the keyword.

    Attributes:
        expressed: the part of a proto that expresses it.
        option: the protovalidate rules that express it.
        carried: the entry of the binding that carries it.
        reason: why a proto may be unable to express it.
    """

    use: Use = Use.CONSTRAINT
    expressed: str = ""
    option: str = ""
    carried: str = ""
    reason: str = ""


def _link(text: str, page: str) -> str:
    return f"[{text}](../constraints/validate-{page}.md)"


_BOUND = Keyword(
    expressed="the range of the type",
    option=_link("`gte`, `gt`, `lte`, `lt`", "bounds"),
    reason="protobuf has no bounds within a type",
)
_LENGTH = Keyword(option=_link("`min_len`, `max_len`", "lengths"), reason="protobuf has no length limits")
_COUNT = Keyword(option=_link("`min_items`, `max_items`", "items"), reason="a repeated field holds any number of items")
_ITEMS = Keyword(reason="all items of a repeated field have one type")
_SIZE = Keyword(
    expressed="a oneof, or a message with one key and one value",
    option=_link("a oneof's `required`, expressions", "properties") + ", " + _link("`min_pairs`, `max_pairs`", "keys"),
    reason="protobuf does not count fields or keys",
)
_LOGIC = Keyword(reason="protobuf has no conditions between values")
_CLOSED = Keyword(
    expressed="a message, which has only its declared fields",
    reason="a message with additional keys or any value is open",
)
_VALUES = Keyword(
    expressed="an enum, if all values are strings",
    option=_link("`defined_only`", "enum") + ", " + _link("`in`, `const`", "values"),
    reason="values of protobuf enums are names, not numbers, booleans or objects",
)
_TRAFFIC = Keyword(reason="requests and responses share one message")
_CONTENT = Keyword(reason="strings are transferred unchanged")
_ENCODING = Keyword(expressed="`bytes`", reason="strings are transferred unchanged")
_UNION = Keyword(reason="variants that only state constraints: protobuf has no conditions on combinations of fields")
_STRUCTURE = Keyword(Use.STRUCTURE)
_ANNOTATION = Keyword(Use.ANNOTATION)

KEYWORDS: dict[str, Keyword] = {
    "required": Keyword(
        expressed="a field without `optional`",
        option=_link("`required`", "required"),
        reason="lists, maps and oneofs may be empty; a field that is not required everywhere is optional",
    ),
    "nullable": Keyword(
        expressed="`NullValue`, or an enum value", carried="`nullable` in the binding", reason="protobuf has no null"
    ),
    "format": Keyword(
        expressed="the scalar type",
        option=_link("the rule of the format", "format"),
        reason="the format does not choose a protobuf type",
    ),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _BOUND),
    "multipleOf": Keyword(option=_link("an expression", "bounds"), reason="protobuf has no bounds within a type"),
    **dict.fromkeys(("minLength", "maxLength"), _LENGTH),
    "pattern": Keyword(option=_link("`pattern`", "pattern"), reason="protobuf has no patterns for strings"),
    **dict.fromkeys(("enum", "const"), _VALUES),
    **dict.fromkeys(("minItems", "maxItems"), _COUNT),
    "uniqueItems": Keyword(option=_link("`unique`", "items"), reason="a repeated field may hold duplicates"),
    **dict.fromkeys(("contains", "minContains", "maxContains", "unevaluatedItems"), _ITEMS),
    **dict.fromkeys(("minProperties", "maxProperties"), _SIZE),
    "propertyNames": Keyword(option=_link("`keys`", "keys"), reason="the keys of a map are arbitrary strings"),
    "patternProperties": Keyword(
        option=_link("`keys`", "keys"), reason="a field has one name, and the keys of a map are arbitrary strings"
    ),
    **dict.fromkeys(("additionalProperties", "unevaluatedProperties"), _CLOSED),
    **dict.fromkeys(("dependentRequired", "dependentSchemas", "dependencies", "not", "if", "then", "else"), _LOGIC),
    **dict.fromkeys(("oneOf", "anyOf"), _UNION),
    "discriminator": Keyword(expressed="the oneof field that is set", reason="the variants are not in a oneof"),
    "default": Keyword(reason="proto3 has no custom defaults; an unset field is not sent"),
    **dict.fromkeys(("readOnly", "writeOnly"), _TRAFFIC),
    "contentEncoding": _ENCODING,
    **dict.fromkeys(("contentMediaType", "contentSchema"), _CONTENT),
    "$recursiveRef": Keyword(reason="references with a dynamic scope are not followed"),
    "allowEmptyValue": Keyword(
        reason="protobuf only knows set and unset fields; the client decides how a URL spells them"
    ),
    "headers": Keyword(reason="a response header is metadata of the call"),
    "links": Keyword(reason="clients make follow-up calls themselves"),
    **dict.fromkeys(("type", "$ref", "properties", "items", "prefixItems", "allOf"), _STRUCTURE),
    **dict.fromkeys(("$defs", "$dynamicRef", "definitions"), _STRUCTURE),
    **dict.fromkeys(("$id", "$schema", "$anchor", "$dynamicAnchor", "$recursiveAnchor"), _ANNOTATION),
    **dict.fromkeys(("$vocabulary", "$comment", "title", "description", "deprecated"), _ANNOTATION),
    **dict.fromkeys(("example", "examples", "externalDocs", "xml"), _ANNOTATION),
}
# Keywords outside the standards are reported, because they may be misspelt constraints.
UNKNOWN = Keyword(reason="not a keyword of OpenAPI or JSON Schema")


def get_keyword(name: str) -> Keyword:
    """Return the entry of a keyword; `UNKNOWN` if the table has none."""
    return KEYWORDS.get(name, UNKNOWN)
