"""Composition: what a schema with properties, allOf, oneOf or anyOf is: an object, a union, or its only member.

Source: JSON Schema core 2020-12, sections 10.2.1 (in-place applicators) and 10.3.2.1 (properties).
"""

from __future__ import annotations

from pipeline.model.document.located import LocatedMap, make_map
from preprocess.document import subschemas
from preprocess.naming.hints import NameHint
from preprocess.schema import all_of, unions
from preprocess.schema.context import ConversionContext
from preprocess.schema.objects import declare_object
from preprocess.schema.shapes import Shape, with_rule


def shape(context: ConversionContext, schema: LocatedMap, hint: NameHint) -> Shape | None:
    """The shape of a schema with properties or composition; None for any other, which its type tells."""
    union_keys = subschemas.find_unions(schema)
    members = subschemas.select_members(schema)
    listed = [*members, *(make_map({key: schema[key]}, schema.place) for key in union_keys)]
    if union_keys and unions.of_heirs(context, schema, union_keys[0], hint):
        return unions.shape(context, schema, union_keys[0], hint)
    if _is_object(context, schema, members, listed):
        return declare_object(context, schema, hint)
    if union_keys and len(listed) == 1:
        return unions.shape(context, schema, union_keys[0], hint)
    if len(listed) == 1 and "additionalProperties" not in schema:
        return with_rule(context.shape_of(listed[0], hint), "single-member")
    return with_rule(context.shape_of(all_of.all_of(context, listed), hint), "all-of") if listed else None


def _is_object(
    context: ConversionContext, schema: LocatedMap, members: list[LocatedMap], listed: list[LocatedMap]
) -> bool:
    """Whether a schema has properties of its own, alone or together with those of what it is composed of."""
    if schema.get("properties"):
        return bool(listed) or len(subschemas.get_types(schema)) <= 1
    if any(all_of.is_object(context, item) for item in subschemas.iterate_conditional(schema)):
        return True
    keyed = isinstance(schema.get("additionalProperties"), LocatedMap)
    several = len(listed) > 1 or keyed or (members and "additionalProperties" in schema)
    return bool(several) and any(all_of.is_object(context, item) for item in listed)
