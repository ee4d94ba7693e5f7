"""Find which value of which property identifies each variant of a union.

A discriminator beside a union names the property. A schema with a discriminator may have subtypes, which extend it
with `allOf`. A reference to such a schema is a reference to a union of the schema itself and its subtypes.
Sources: OpenAPI 3.0.3 and 3.1.0, section 4.8.25 (discriminator object) and 4.8.24.2 (composition and inheritance).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from pipeline.model.contract import Rule
from pipeline.model.document.located import LocatedMap, escape_token, make_list, make_map
from pipeline.model.json_encoding import Tag
from preprocess.document.references import SCHEMAS, parse_component_key
from preprocess.document.subschemas import BASE, get_discriminator_property
from preprocess.schema.all_of import resolve_refs
from preprocess.schema.context import Context
from preprocess.schema.enums import find_enum_values

RULE_TAGGED = Rule("discriminator")
RULE_BASE = Rule("discriminator-base")
# Keywords of a schema with subtypes that apply to the union of them.
_UNION_KEYWORDS = ("discriminator", "description", "deprecated", "nullable")
_VENDOR_VALUE = "x-ms-discriminator-value"


def find_tags(context: Context, schema: LocatedMap, variants: list[LocatedMap]) -> list[tuple[Tag, ...]]:
    """Return the tags by which the codec recognizes each variant of a union; empty for a variant without any."""
    name = get_discriminator_property(schema)
    if name:
        mapping = _invert_mapping(schema)
        values = [_find_values(context, variant, name, mapping) for variant in variants]
        counts = Counter(value for variant_values in values for value in set(variant_values))
        return [tuple(Tag(name, value) for value in candidates if counts[value] == 1) for candidates in values]
    shared = _find_distinguishing_property(context, variants)
    if not shared:
        return [() for _ in variants]
    constants = [_find_constants(context, variant).get(shared, []) for variant in variants]
    return [tuple(Tag(shared, value) for value in values) for values in constants]


def _invert_mapping(schema: LocatedMap) -> dict[str, list[str]]:
    discriminator = schema["discriminator"]
    mapping = discriminator.get("mapping") if isinstance(discriminator, LocatedMap) else None
    values: dict[str, list[str]] = {}
    for value, target in mapping.items() if isinstance(mapping, LocatedMap) else ():
        key = parse_component_key(str(target)) if str(target).startswith("#") else str(target)
        values.setdefault(key, []).append(str(value))
    return values


def _find_values(context: Context, variant: LocatedMap, name: str, mapping: dict[str, list[str]]) -> list[str]:
    """Return the values of a discriminator that select a variant or one of its subtypes.

    They are those of the mapping, else of a vendor extension, else the variant's constants, else the component's key.
    """
    key = parse_component_key(variant["$ref"]) if "$ref" in variant else ""
    subtypes = [_make_reference(subtype, variant) for subtype in context.subtypes.get(key, ())]
    subtype_values = [value for subtype in subtypes for value in _find_values(context, subtype, name, mapping)]
    if key in mapping:
        return sorted({*mapping[key], *subtype_values})
    vendor_value = resolve_refs(context, variant).get(_VENDOR_VALUE)
    if isinstance(vendor_value, str):
        return [vendor_value, *subtype_values]
    default = [key] if key and not key.startswith("#") else []
    return (_find_constants(context, variant).get(name) or default) + subtype_values


def _find_distinguishing_property(context: Context, variants: list[LocatedMap]) -> str:
    """Return a property with different constants in each variant; empty if there is none."""
    constants = [_find_constants(context, variant) for variant in variants]
    shared = set.intersection(*(set(properties) for properties in constants)) if constants else set()
    for name in sorted(shared):
        values = [value for properties in constants for value in properties[name]]
        if len(values) == len(set(values)):
            return name
    return ""


def _find_constants(context: Context, schema: Any, visited: set[int] | None = None) -> dict[str, list[str]]:
    node = resolve_refs(context, schema)
    constants: dict[str, list[str]] = {}
    visited = set() if visited is None else visited
    members = node.get("allOf", []) if id(node) not in visited else []
    visited.add(id(node))
    for member in members:
        constants |= _find_constants(context, member, visited)
    for name, value in node.get("properties", {}).items():
        strings = find_enum_values(resolve_refs(context, value))
        if strings is not None and all(isinstance(string, str) for string in strings):
            constants[name] = [str(string) for string in strings]
    return constants


def build_subtype_union(schema: LocatedMap, subtypes: Iterable[str]) -> LocatedMap:
    """Return the union of a schema and its subtypes; the schema itself comes first."""
    base = make_map({key: value for key, value in schema.items() if key != "discriminator"}, schema.place)
    base["title"] = "base"
    variants = [base, *(_make_reference(subtype, schema) for subtype in subtypes)]
    keywords = {name: schema[name] for name in _UNION_KEYWORDS if name in schema}
    return make_map({**keywords, BASE: True, "oneOf": make_list(variants, schema.place)}, schema.place)


def _make_reference(key: str, schema: LocatedMap) -> LocatedMap:
    return make_map({"$ref": SCHEMAS + escape_token(key)}, schema.place)
