"""Enums: `enum` and `const` of strings, and unions of these, become a protobuf enum.

Sources: JSON Schema validation 2020-12, sections 6.1.2 and 6.1.3; protobuf style guide, enums; AIP-126.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pipeline.model.contract import Enum, EnumValue
from pipeline.model.document.located import LocatedMap
from pipeline.model.identifiers import derive_value_name
from pipeline.model.source import SchemaSource
from preprocess.naming.hints import NameHint
from preprocess.naming.message_names import Element
from preprocess.schema.context import ConversionContext
from preprocess.schema.shapes import Kind, Shape


def enum_values(schema: LocatedMap) -> list[str | None] | None:
    """The texts (and null) that a schema allows, or None when it is no enum of strings."""
    listed: list[Any]
    if "const" in schema:
        listed = [schema["const"]]
    elif isinstance(schema.get("enum"), list):
        listed = list(schema["enum"])
    elif schema.get("type") == "null" and not set(schema) & {"properties", "items"}:
        return [None]
    else:
        return None
    texts = all(value is None or isinstance(value, str) for value in listed)
    return listed if texts and listed else None


def union_values(variants: list[LocatedMap]) -> list[tuple[str | None, LocatedMap]] | None:
    """The values of a union whose variants are all inline enums of strings or null; None when one is not."""
    found: list[tuple[str | None, LocatedMap]] = []
    for variant in variants:
        values = enum_values(variant)
        if values is None or "$ref" in variant:
            return None
        found += [(value, variant) for value in values]
    return found if any(value is not None for value, _ in found) else None


def declare_enum(
    context: ConversionContext,
    schema: LocatedMap,
    hint: NameHint,
    values: list[tuple[str | None, LocatedMap]],
    rule: str,
) -> Shape:
    """Declare the enum of a list of strings, unless it is declared already."""
    name = context.namer.claim(hint, schema.place, Element.ENUM)
    if name not in context.enums:
        one_value = context.options.case_variants == "one_value"
        made = build(name, hint.source, values, schema, context.version.get_deprecation, one_value=one_value)
        context.enums[name] = made._replace(rules=tuple(sorted({*made.rules, rule})))
    return Shape(Kind.ENUM, name, rules=(rule,))


def build(
    name: str,
    source: SchemaSource,
    values: list[tuple[str | None, LocatedMap]],
    schema: LocatedMap,
    deprecated: Callable[[LocatedMap], str],
    *,
    one_value: bool = False,
) -> Enum:
    """The enum of a list of texts.

    Args:
        name: of the enum.
        source: what it comes from.
        values: the texts, null being None, each with the schema that says so.
        schema: the schema of the whole.
        deprecated: why a schema is deprecated, empty where it is not.
        one_value: whether texts that differ in case only are one value, of which the first text is written.
    """
    found: dict[str | None, EnumValue] = {}
    for text, holder in values:
        key = text.lower() if one_value and text is not None else text
        earlier = found.get(key)
        if earlier is None:
            found[key] = EnumValue(derive_value_name(name, text), (text,), holder.place, deprecated(holder))
        elif text not in earlier.json:
            found[key] = EnumValue(earlier.name, (*earlier.json, text), earlier.place, earlier.deprecated)
    return Enum(
        name,
        source,
        tuple(found.values()),
        schema.place,
        ("enum-of-strings",),
        deprecated=deprecated(schema),
        description=str(schema.get("description", "")),
    )
