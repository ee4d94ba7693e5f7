"""Composition: what a schema with properties, allOf, oneOf or anyOf is: an object, a union, or its only member.

Source: JSON Schema core 2020-12, sections 10.2.1 (in-place applicators) and 10.3.2.1 (properties).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.model.document.located import LocatedMap, located
from preprocess.document import subschemas
from preprocess.naming.hints import NameHint
from preprocess.schema import all_of, unions
from preprocess.schema.shapes import Shape, with_rule

if TYPE_CHECKING:
    from preprocess.schema.converter import Converter


def shape(converter: Converter, schema: LocatedMap, hint: NameHint) -> Shape | None:
    """The shape of a schema with properties or composition; None for any other, which its type tells."""
    union_keys = subschemas.unions(schema)
    members = subschemas.members(schema)
    listed = [*members, *(located({key: schema[key]}, schema.place) for key in union_keys)]
    if union_keys and unions.of_heirs(converter, schema, union_keys[0], hint):
        return unions.shape(converter, schema, union_keys[0], hint)
    if _is_object(converter, schema, members, listed):
        return converter.declare_object(schema, hint)
    if union_keys and len(listed) == 1:
        return unions.shape(converter, schema, union_keys[0], hint)
    if len(listed) == 1 and "additionalProperties" not in schema:
        return with_rule(converter.shape(listed[0], hint), "single-member")
    return with_rule(converter.shape(all_of.all_of(converter, listed), hint), "all-of") if listed else None


def _is_object(converter: Converter, schema: LocatedMap, members: list[LocatedMap], listed: list[LocatedMap]) -> bool:
    """Whether a schema has properties of its own, alone or together with those of what it is composed of."""
    if schema.get("properties"):
        return bool(listed) or len(subschemas.types(schema)) <= 1
    if any(all_of.is_object(converter, item) for item in subschemas.conditional(schema)):
        return True
    keyed = isinstance(schema.get("additionalProperties"), LocatedMap)
    several = len(listed) > 1 or keyed or (members and "additionalProperties" in schema)
    return bool(several) and any(all_of.is_object(converter, item) for item in listed)
