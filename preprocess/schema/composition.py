"""Decide what a schema with properties, `allOf`, `oneOf` or `anyOf` is: an object, a union, or its only member.

Source: JSON Schema core 2020-12, sections 10.2.1 (in-place applicators) and 10.3.2.1 (properties).
"""

from __future__ import annotations

from pipeline.model.contract import Rule
from pipeline.model.document.located import LocatedMap, make_map
from preprocess.document import subschemas
from preprocess.naming.hints import NameHint
from preprocess.schema.all_of import RULE_ALL_OF, is_object, merge_all_of
from preprocess.schema.context import Context
from preprocess.schema.objects import declare_object
from preprocess.schema.shapes import Shape, add_rule
from preprocess.schema.unions import convert_union, is_union_of_subtypes

RULE_SINGLE_MEMBER = Rule("single-member")


def convert_composition(context: Context, schema: LocatedMap, hint: NameHint) -> Shape | None:
    """Return the shape of a schema with properties or composition; None for any other schema."""
    union_keywords = subschemas.find_unions(schema)
    members = subschemas.select_members(schema)
    unions = [make_map({keyword: schema[keyword]}, schema.place) for keyword in union_keywords]
    combined = [*members, *unions]
    if union_keywords and is_union_of_subtypes(context, schema, union_keywords[0], hint):
        return convert_union(context, schema, union_keywords[0], hint)
    if _is_object_composition(context, schema, members, combined):
        return declare_object(context, schema, hint)
    if union_keywords and len(combined) == 1:
        return convert_union(context, schema, union_keywords[0], hint)
    if len(combined) == 1 and "additionalProperties" not in schema:
        return add_rule(context.convert_schema(combined[0], hint), RULE_SINGLE_MEMBER)
    return add_rule(context.convert_schema(merge_all_of(context, combined), hint), RULE_ALL_OF) if combined else None


def _is_object_composition(
    context: Context, schema: LocatedMap, members: list[LocatedMap], combined: list[LocatedMap]
) -> bool:
    """Return whether a schema has properties, alone or together with the parts that it is composed of."""
    if schema.get("properties"):
        return bool(combined) or len(subschemas.get_types(schema)) <= 1
    if any(is_object(context, condition) for condition in subschemas.iterate_conditional(schema)):
        return True
    has_values = isinstance(schema.get("additionalProperties"), LocatedMap)
    combines = len(combined) > 1 or has_values or (members and "additionalProperties" in schema)
    return bool(combines) and any(is_object(context, schema) for schema in combined)
