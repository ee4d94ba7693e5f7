"""Tell whether the spec leaves a value open, and in which words; see the rule page `free-form`."""

from __future__ import annotations

from pipeline.model.schema_facts import SchemaFacts
from preprocess.trace.resolved_schemas import SeenThrough

NO_TYPE = "no type declared"
VENDOR = "a vendor extension names the type"
OBJECT = "an object without properties"
VALUES = "an object of any values"
ITEMS = "a list of any items"
VARIANTS = "one variant is of any type"
_OPEN_TYPES = frozenset({"object"})
# What a vendor extension names for any object, and for a document kept as its JSON.
OPEN = frozenset({"ObjectMap", "bytes"})


def free_form(node: SchemaFacts, seen: SeenThrough) -> str:
    """Why the spec leaves a value open; empty where it declares what the value is, or what is inside it.

    Args:
        node: what the spec declares.
        seen: to look through references and compositions.
    """
    top = seen.together(node)
    if any(part.protobuf_type for part in top):
        return VENDOR
    met: set[SchemaFacts] = set()
    stack = [node]
    while stack:
        for part in seen.together(stack.pop()):
            if part in met:
                continue
            met.add(part)
            if _is_declared(part):
                return ""
            stack += [part.values] if part.values else []
            stack += () if _any_among(part, seen) else part.variants
    return _words(top, seen)


def _is_declared(part: SchemaFacts) -> bool:
    """Whether a schema says of itself what its values are."""
    if part.protobuf_type:
        return part.protobuf_type not in OPEN
    return bool(part.types - _OPEN_TYPES or part.properties or part.items or part.positions or part.enum_strings)


def _any_among(part: SchemaFacts, seen: SeenThrough) -> bool:
    """Whether one of the variants of a union takes any value, so that the union does."""
    return any(not any(_says_something(each) for each in seen.together(variant)) for variant in part.variants)


def _says_something(part: SchemaFacts) -> bool:
    return _is_declared(part) or bool(part.types or part.values or part.variants)


def _words(top: tuple[SchemaFacts, ...], seen: SeenThrough) -> str:
    if any(_any_among(part, seen) for part in top):
        return VARIANTS
    if any(part.values for part in top):
        return VALUES
    return OBJECT if any(part.types or part.variants for part in top) else NO_TYPE
