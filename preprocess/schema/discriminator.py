"""Discriminators: by which value of which property the variants of a union are told apart.

A discriminator beside a union names the property. One in a schema that others compose with allOf makes every reference
to that schema one to any of these: the schema is a union of them.
Sources: OpenAPI 3.0.3 and 3.1.0, section 4.8.25 (discriminator object) and 4.8.24.2 (composition and inheritance).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from pipeline.model.document.located import LocatedMap, escape_token, make_list, make_map
from pipeline.model.json_encoding import Tag
from preprocess.document.references import SCHEMAS, parse_component_key
from preprocess.document.subschemas import BASE, discriminator_property
from preprocess.schema.all_of import resolved
from preprocess.schema.context import ConversionContext
from preprocess.schema.enums import enum_values

RULE_TAGGED = "discriminator"
RULE_BASE = "discriminator-base"
_KEPT = ("discriminator", "description", "deprecated", "nullable")
_VENDOR_VALUE = "x-ms-discriminator-value"


def tags(context: ConversionContext, schema: LocatedMap, variants: list[LocatedMap]) -> list[tuple[Tag, ...]]:
    """Return the tags by which the codec recognizes each variant, none for a variant without.

    Args:
        context: to see through references.
        schema: the union, for its discriminator.
        variants: the variants.
    """
    name = discriminator_property(schema)
    if name:
        mapping = _mapping(schema)
        values = [_values(context, item, name, mapping) for item in variants]
        often = Counter(value for listed in values for value in set(listed))
        return [_make_tags(name, (value for value in listed if often[value] == 1)) for listed in values]
    shared = _shared(context, variants)
    if not shared:
        return [() for _ in variants]
    return [_make_tags(shared, _constants(context, item, shared) or ()) for item in variants]


def _make_tags(name: str, values: Iterable[str]) -> tuple[Tag, ...]:
    return tuple(Tag(name, value) for value in values)


def _mapping(schema: LocatedMap) -> dict[str, list[str]]:
    """The values of a discriminator's mapping, by the key of the component that each stands for."""
    told = schema["discriminator"]
    listed = told.get("mapping") if isinstance(told, LocatedMap) else None
    found: dict[str, list[str]] = {}
    for value, target in listed.items() if isinstance(listed, LocatedMap) else ():
        key = parse_component_key(str(target)) if str(target).startswith("#") else str(target)
        found.setdefault(key, []).append(str(value))
    return found


def _values(context: ConversionContext, variant: LocatedMap, name: str, mapping: dict[str, list[str]]) -> list[str]:
    """The values that stand for one variant: those of the mapping, else its own constants, else its name."""
    key = parse_component_key(variant["$ref"]) if "$ref" in variant else ""
    vendor = resolved(context, variant).get(_VENDOR_VALUE)
    if key in context.subtypes:
        inner = [make_map({"$ref": SCHEMAS + escape_token(item)}, variant.place) for item in context.subtypes[key]]
        below = [value for item in inner for value in _values(context, item, name, mapping)]
    else:
        below = []
    if key in mapping:
        return sorted({*mapping[key], *below})
    if isinstance(vendor, str):
        return [vendor, *below]
    return (_constants(context, variant, name) or ([key] if key and not key.startswith("#") else [])) + below


def _shared(context: ConversionContext, variants: list[LocatedMap]) -> str:
    """A property that has other constants in each variant; empty where there is none."""
    names = [set(_constant_properties(context, variant)) for variant in variants]
    for name in sorted(set.intersection(*names)) if names else []:
        values = [value for variant in variants for value in _constants(context, variant, name) or ()]
        if len(values) == len(set(values)):
            return name
    return ""


def _constants(context: ConversionContext, variant: LocatedMap, name: str) -> list[str] | None:
    return _constant_properties(context, variant).get(name)


def _constant_properties(context: ConversionContext, schema: Any, seen: set[int] | None = None) -> dict[str, list[str]]:
    """The properties of an object that can only be one of certain texts, and the texts."""
    node = resolved(context, schema)
    found: dict[str, list[str]] = {}
    seen = set() if seen is None else seen
    members = node.get("allOf", []) if id(node) not in seen else []
    seen.add(id(node))
    for member in members:
        found |= _constant_properties(context, member, seen)
    for name, value in node.get("properties", {}).items():
        texts = enum_values(resolved(context, value))
        if texts is not None and all(isinstance(text, str) for text in texts):
            found[name] = [str(text) for text in texts]
    return found


def family(schema: LocatedMap, below: Iterable[str]) -> LocatedMap:
    """The union that a base stands for: itself first, then each schema that extends it."""
    own = make_map({key: value for key, value in schema.items() if key != "discriminator"}, schema.place)
    own["title"] = "base"
    listed = [make_map({"$ref": SCHEMAS + escape_token(item)}, schema.place) for item in below]
    rest = {name: schema[name] for name in _KEPT if name in schema}
    return make_map({**rest, BASE: True, "oneOf": make_list([own, *listed], schema.place)}, schema.place)
