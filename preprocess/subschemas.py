"""Where schemas stand in schemas: the keywords whose schemas say what a value holds.

`not`, `if`, `contains` and `propertyNames` only restrict values; nothing in them has a place in a message.
Source: JSON Schema core 2020-12, sections 10 and 11.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipeline.model.located import Mapping, located, located_list

LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
KEYED = ("properties", "patternProperties", "dependentSchemas")
SINGLE = ("items", "additionalProperties", "unevaluatedProperties", "then", "else")
CONDITIONS = ("then", "else", "dependentSchemas")


def subschemas(schema: Mapping) -> Iterator[Any]:
    """The schemas right below one, its properties included."""
    for key in LISTS:
        yield from schema.get(key, [])
    for key in KEYED:
        yield from schema.get(key, {}).values()
    for key in SINGLE:
        if key in schema:
            yield schema[key]


def conditional(schema: Mapping) -> Iterator[Mapping]:
    """The schemas that apply to the same value under a condition."""
    for key in ("then", "else"):
        if isinstance(schema.get(key), Mapping):
            yield schema[key]
    for value in schema.get("dependentSchemas", {}).values():
        if isinstance(value, Mapping):
            yield value


def any_key(schema: Mapping) -> Any:
    """The schema of the values under keys that are no properties: a schema, True for any, False for none.

    Patterns only restrict keys, so values under several patterns are one union.
    """
    patterns = list(schema.get("patternProperties", {}).values())
    unevaluated = schema.get("unevaluatedProperties")
    further = unevaluated if isinstance(unevaluated, Mapping) else not patterns
    further = schema.get("additionalProperties", further)
    listed = [*patterns, further] if isinstance(further, Mapping) else patterns
    if further is True or not listed:
        return further
    if len(listed) == 1:
        return listed[0]
    return located({"oneOf": located_list(listed, schema.place)}, schema.place)
