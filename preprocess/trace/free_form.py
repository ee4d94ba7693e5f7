"""Explain why a value is free-form: which part of its schema leaves it open; see the rule page `free-form.md`."""

from __future__ import annotations

from pipeline.model.schema_facts import SchemaFacts
from preprocess.trace.resolved_schemas import ResolvedSchemas

NO_TYPE = "no type declared"
VENDOR = "a vendor extension names the type"
OBJECT = "an object without properties"
VALUES = "an object of any values"
ITEMS = "a list of any items"
VARIANTS = "one variant is of any type"
_OPEN_TYPES = frozenset({"object"})
# The types that a vendor extension names for any object, and for a document kept as its JSON.
OPEN = frozenset({"ObjectMap", "bytes"})


def explain_free_form(node: SchemaFacts, resolved: ResolvedSchemas) -> str:
    """Return why the specification leaves a value open; empty if it declares the value or something inside it."""
    schemas = resolved.resolve(node)
    if any(schema.protobuf_type for schema in schemas):
        return VENDOR
    visited: set[SchemaFacts] = set()
    stack = [node]
    while stack:
        for schema in resolved.resolve(stack.pop()):
            if schema in visited:
                continue
            visited.add(schema)
            if _is_typed(schema):
                return ""
            stack += [schema.values] if schema.values else []
            stack += () if _has_open_variant(schema, resolved) else schema.variants
    return _choose_reason(schemas, resolved)


def _is_typed(schema: SchemaFacts) -> bool:
    if schema.protobuf_type:
        return schema.protobuf_type not in OPEN
    return bool(
        schema.types - _OPEN_TYPES or schema.properties or schema.items or schema.positions or schema.enum_strings
    )


def _has_open_variant(schema: SchemaFacts, resolved: ResolvedSchemas) -> bool:
    return any(not any(_is_restricted(each) for each in resolved.resolve(variant)) for variant in schema.variants)


def _is_restricted(schema: SchemaFacts) -> bool:
    return _is_typed(schema) or bool(schema.types or schema.values or schema.variants)


def _choose_reason(schemas: tuple[SchemaFacts, ...], resolved: ResolvedSchemas) -> str:
    if any(_has_open_variant(schema, resolved) for schema in schemas):
        return VARIANTS
    if any(schema.values for schema in schemas):
        return VALUES
    return OBJECT if any(schema.types or schema.variants for schema in schemas) else NO_TYPE
