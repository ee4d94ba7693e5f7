"""Collect the constraints of a schema, one for each keyword that `pipeline.model.keywords` lists as a constraint.

Sources: JSON Schema validation 2020-12, sections 6 to 9; OpenAPI 3.0.3, schema object.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipeline.model.diagnostics import Place
from pipeline.model.document.located import LocatedMap
from pipeline.model.keywords import Use, get_keyword
from pipeline.model.schema_facts import Constraint
from preprocess.document.subschemas import LISTS, UNIONS

VENDOR_TYPES = ("x-protobuf-data-type", "x-protobuf-type")
_CONTENT = ("properties", "patternProperties", "additionalProperties", "items")
# The keywords that describe a value. A variant without any of them only adds constraints to the whole schema.
_DESCRIBING = {*LISTS, *_CONTENT, *VENDOR_TYPES, "$ref", "const", "enum", "type"}


def collect_enum_strings(schema: LocatedMap) -> tuple[str | None, ...]:
    """Return the values of an enum or const of strings and null; empty for any other schema."""
    values = [schema["const"]] if "const" in schema else schema.get("enum", [])
    is_strings = isinstance(values, list) and all(value is None or isinstance(value, str) for value in values)
    return tuple(dict.fromkeys(values)) if is_strings else ()


def is_null(schema: Any) -> bool:
    """Return whether a schema accepts null only."""
    return isinstance(schema, LocatedMap) and schema.get("type") == "null"


def is_restriction(schema: Any) -> bool:
    """Return whether a variant only constrains the value, such as `{required: [name]}`."""
    if not isinstance(schema, LocatedMap) or set(schema) & _DESCRIBING:
        return False
    return any(get_keyword(key).use is Use.CONSTRAINT and not key.startswith("x-") for key in schema)


def collect_constraints(schema: LocatedMap) -> Iterator[Constraint]:
    """Yield the constraints of one schema, without those of the schemas inside it."""
    place = schema.place
    for key, value in schema.items():
        if key.startswith("x-") or get_keyword(key).use is not Use.CONSTRAINT:
            continue
        if key == "required":
            yield from (Constraint(key, name, place) for name in dict.fromkeys(value))
        elif key in UNIONS:
            yield from _collect_from_union(key, value, place)
        elif _is_restrictive(key, value, schema):
            yield Constraint(key, value, place)
    types = schema.get("type")
    if isinstance(types, list) and "null" in types and schema.get("nullable") is not True:
        yield Constraint("nullable", True, place)


def _collect_from_union(key: str, variants: list[Any], place: Place) -> Iterator[Constraint]:
    """Yield the constraints that a union adds by null and by variants that only constrain."""
    if any(is_null(variant) for variant in variants):
        yield Constraint("nullable", True, place)
    yield from (Constraint(key, variant, variant.place) for variant in variants if is_restriction(variant))


def _is_restrictive(key: str, value: Any, schema: LocatedMap) -> bool:
    """Return whether a keyword with this value excludes any value."""
    if key in {"enum", "const"}:
        return not collect_enum_strings(schema)
    if key == "propertyNames" and isinstance(value, LocatedMap):
        return any(not _is_annotation(name) for name in value) or value.get("type", "string") != "string"
    if key == "additionalProperties":
        return value is False
    if key == "unevaluatedProperties":
        return value is False or (value is not True and "additionalProperties" in schema)
    if key == "unevaluatedItems":
        return value is not True
    return value is not False or key in {"not", "if", "then", "else", "contains"}


def _is_annotation(key: str) -> bool:
    return key == "type" or key.startswith("x-") or get_keyword(key).use is Use.ANNOTATION
