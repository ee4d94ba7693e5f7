"""Decide what a schema with properties, `allOf`, `oneOf` or `anyOf` is: an object, a union, or its only member.

Source: JSON Schema core 2020-12, sections 10.2.1 (in-place applicators) and 10.3.2.1 (properties).
"""

from __future__ import annotations

from pipeline.model.document.located import LocatedMap, make_map
from pipeline.model.rule import Rule
from preprocess.document import subschemas
from preprocess.naming.hints import NameHint
from preprocess.schema.all_of import RULE_ALL_OF, is_object, merge_all_of
from preprocess.schema.context import ConversionContext
from preprocess.schema.objects import declare_object
from preprocess.schema.shapes import Shape, add_rule
from preprocess.schema.unions import convert_union, is_union_of_subtypes

RULE_SINGLE_MEMBER = Rule("single-member")


def convert_composition(context: ConversionContext, schema: LocatedMap, hint: NameHint) -> Shape | None:
    """Return the shape of a schema with properties or composition; None for any other schema."""
    union_keywords = subschemas.find_unions(schema)
    members = subschemas.select_members(schema)
    unions = [make_map({keyword: schema[keyword]}, schema.place) for keyword in union_keywords]
    parts = [*members, *unions]
    if union_keywords and is_union_of_subtypes(context, schema, union_keywords[0], hint):
        return convert_union(context, schema, union_keywords[0], hint)
    if _composes_object(context, schema, members, parts):
        return declare_object(context, schema, hint)
    if union_keywords and len(parts) == 1:
        return convert_union(context, schema, union_keywords[0], hint)
    if len(parts) == 1 and "additionalProperties" not in schema:
        return add_rule(context.shape_of(parts[0], hint), RULE_SINGLE_MEMBER)
    return add_rule(context.shape_of(merge_all_of(context, parts), hint), RULE_ALL_OF) if parts else None


def _composes_object(
    context: ConversionContext, schema: LocatedMap, members: list[LocatedMap], parts: list[LocatedMap]
) -> bool:
    """Return whether a schema has properties, alone or together with the parts that it is composed of."""
    if schema.get("properties"):
        return bool(parts) or len(subschemas.get_types(schema)) <= 1
    if any(is_object(context, condition) for condition in subschemas.iterate_conditional(schema)):
        return True
    has_values = isinstance(schema.get("additionalProperties"), LocatedMap)
    combines = len(parts) > 1 or has_values or (members and "additionalProperties" in schema)
    return bool(combines) and any(is_object(context, part) for part in parts)
