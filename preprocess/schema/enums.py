"""Convert `enum` and `const` of strings, and unions of these, to a protobuf enum.

Sources: JSON Schema validation 2020-12, sections 6.1.2 and 6.1.3; protobuf style guide, enums; AIP-126.
"""

from __future__ import annotations

from typing import Any

from pipeline.model.contract import Enum, EnumValue, Rule
from pipeline.model.document.located import LocatedMap
from pipeline.model.identifiers import derive_value_name
from preprocess.naming.hints import NameHint
from preprocess.naming.message_names import Element
from preprocess.schema.context import Context
from preprocess.schema.shapes import Kind, Shape

RULE_ENUM = Rule("enum-of-strings")


def find_enum_values(schema: LocatedMap) -> list[str | None] | None:
    """Return the strings (and null) that a schema lists; None if it is no enum of strings."""
    values: list[Any]
    if "const" in schema:
        values = [schema["const"]]
    elif isinstance(schema.get("enum"), list):
        values = list(schema["enum"])
    elif schema.get("type") == "null" and not set(schema) & {"properties", "items"}:
        return [None]
    else:
        return None
    strings = all(value is None or isinstance(value, str) for value in values)
    return values if strings and values else None


def find_union_values(variants: list[LocatedMap]) -> list[tuple[str | None, LocatedMap]] | None:
    """Return the values of a union of inline string enums, each with its variant; None if it is any other union."""
    union_values: list[tuple[str | None, LocatedMap]] = []
    for variant in variants:
        values = find_enum_values(variant)
        if values is None or "$ref" in variant:
            return None
        union_values += [(value, variant) for value in values]
    return union_values if any(value is not None for value, _ in union_values) else None


def declare_enum(
    context: Context, schema: LocatedMap, hint: NameHint, values: list[tuple[str | None, LocatedMap]], rule: Rule
) -> Shape:
    """Declare an enum unless its source is declared; `values` has strings, None for null, with the listing schemas."""
    name = context.namer.claim(hint, schema.place, Element.ENUM)
    if name not in context.enums:
        context.enums[name] = Enum(
            name,
            hint.source,
            _build_values(context, name, values),
            schema.place,
            tuple(sorted({RULE_ENUM, rule})),
            deprecated=context.version.get_deprecation(schema),
            description=str(schema.get("description", "")),
        )
    return Shape(Kind.ENUM, name, rules=(rule,))


def _build_values(context: Context, enum: str, strings: list[tuple[str | None, LocatedMap]]) -> tuple[EnumValue, ...]:
    """Return one enum value a string; on the profile's choice, strings that differ only in case share a value."""
    ignore_case = context.options.case_variants == "one_value"
    values: dict[str | None, EnumValue] = {}
    for string, schema in strings:
        key = string.lower() if ignore_case and string is not None else string
        value = values.get(key)
        if value is None:
            deprecated = context.version.get_deprecation(schema)
            values[key] = EnumValue(derive_value_name(enum, string), (string,), schema.place, deprecated)
        elif string not in value.json:
            values[key] = value._replace(json=(*value.json, string))
    return tuple(values.values())
