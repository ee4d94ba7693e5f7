"""What a schema demands beyond its structure, one entry a keyword; what a keyword is says `pipeline.model.keywords`.

Sources: JSON Schema validation 2020-12, sections 6 to 9; OpenAPI 3.0.3, schema object.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipeline.model.diagnostics import Place
from pipeline.model.document.located import LocatedMap
from pipeline.model.keywords import Use, get_keyword
from pipeline.model.schema_facts import Constraint

_UNIONS = ("oneOf", "anyOf")
# What says what a value is; a variant without any of these only restricts the whole.
_TELLING = {
    "$ref",
    "additionalProperties",
    "allOf",
    "const",
    "enum",
    "items",
    "patternProperties",
    "prefixItems",
    "properties",
    "type",
    "x-protobuf-data-type",
    "x-protobuf-type",
    *_UNIONS,
}


def collect_enum_strings(schema: LocatedMap) -> tuple[str | None, ...]:
    """The texts, and null, of an enum or const of texts; empty for any other schema."""
    listed = [schema["const"]] if "const" in schema else schema.get("enum", [])
    fits = isinstance(listed, list) and all(item is None or isinstance(item, str) for item in listed)
    return tuple(dict.fromkeys(listed)) if fits else ()


def is_null(schema: Any) -> bool:
    """Whether a schema is null and nothing else."""
    return isinstance(schema, LocatedMap) and schema.get("type") == "null"


def is_restriction(schema: Any) -> bool:
    """Whether a variant says nothing of what a value is, only what must not be or must stand together."""
    if not isinstance(schema, LocatedMap) or set(schema) & _TELLING:
        return False
    return any(get_keyword(key).use is Use.CONSTRAINT and not key.startswith("x-") for key in schema)


def collect_constraints(schema: LocatedMap) -> Iterator[Constraint]:
    """Every constraint of one schema, not those of the schemas inside it."""
    place = schema.place
    for key, value in schema.items():
        if key.startswith("x-") or get_keyword(key).use is not Use.CONSTRAINT:
            continue
        if key == "required":
            yield from (Constraint(key, name, place) for name in dict.fromkeys(value))
        elif key in _UNIONS:
            yield from _of_union(key, value, place)
        elif _restricts(key, value, schema):
            yield Constraint(key, value, place)
    kinds = schema.get("type")
    if isinstance(kinds, list) and "null" in kinds and schema.get("nullable") is not True:
        yield Constraint("nullable", True, place)


def _of_union(key: str, variants: list[Any], place: Place) -> Iterator[Constraint]:
    """What the variants of a union demand that are none themselves: null, and such as only restrict the whole."""
    if any(is_null(variant) for variant in variants):
        yield Constraint("nullable", True, place)
    yield from (Constraint(key, variant, variant.place) for variant in variants if is_restriction(variant))


def _restricts(key: str, value: Any, schema: LocatedMap) -> bool:
    """Whether a keyword with this value forbids anything at all."""
    if key in {"enum", "const"}:
        return not collect_enum_strings(schema)
    if key == "propertyNames" and isinstance(value, LocatedMap):
        return any(not _is_aside(name) for name in value) or value.get("type", "string") != "string"
    if key == "additionalProperties":
        return value is False
    if key == "unevaluatedProperties":
        return value is False or (value is not True and "additionalProperties" in schema)
    if key == "unevaluatedItems":
        return value is not True
    return value is not False or key in {"not", "if", "then", "else", "contains"}


def _is_aside(key: str) -> bool:
    return key == "type" or key.startswith("x-") or get_keyword(key).use is Use.ANNOTATION
