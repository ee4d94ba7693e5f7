"""The keywords that contain schemas, and functions that answer questions about the composition of a schema.

`not`, `if`, `contains` and `propertyNames` are left out: they only constrain values and add nothing to a message.
Source: JSON Schema core 2020-12, sections 10 and 11.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipeline.model.contract import Rule
from pipeline.model.document.located import LocatedMap, make_list, make_map
from preprocess.document.references import SCHEMAS, parse_component_key

RULE_PATTERN = Rule("pattern-map")
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
KEYED = ("properties", "patternProperties", "dependentSchemas")
SINGLE = ("items", "additionalProperties", "unevaluatedProperties", "then", "else")
UNIONS = ("oneOf", "anyOf")
CONDITIONS = frozenset({"then", "else", "dependentSchemas"})
# Annotations: a member of a composition with only these keywords adds nothing to the value.
ANNOTATIONS = frozenset({"description", "title", "examples", "example", "default"})
HOLDING = frozenset({*LISTS, *KEYED, *SINGLE})
# Marks the union of a component and its subtypes.
BASE = "x-proto-base"
_CONSTRAINTS = ANNOTATIONS | {"required", "not", "minProperties", "maxProperties"}


def iterate_conditional(schema: LocatedMap) -> Iterator[LocatedMap]:
    """Yield the schemas that apply to the same value under a condition."""
    if CONDITIONS.isdisjoint(schema):
        return
    for key in ("then", "else"):
        if isinstance(schema.get(key), LocatedMap):
            yield schema[key]
    for value in schema.get("dependentSchemas", {}).values():
        if isinstance(value, LocatedMap):
            yield value


def get_additional_schema(schema: LocatedMap) -> Any:
    """Return the schema of the values of undeclared keys: a schema, True for any value, False for none.

    Patterns only constrain keys, so several patterns become one union.
    """
    patterns = list(schema.get("patternProperties", {}).values())
    unevaluated = schema.get("unevaluatedProperties")
    additional = unevaluated if isinstance(unevaluated, LocatedMap) else not patterns
    additional = schema.get("additionalProperties", additional)
    variants = [*patterns, additional] if isinstance(additional, LocatedMap) else patterns
    if additional is True or not variants:
        return additional
    if len(variants) == 1:
        return variants[0]
    return make_map({"oneOf": make_list(variants, schema.place)}, schema.place)


def select_members(schema: LocatedMap) -> list[LocatedMap]:
    """Return the members of an `allOf` that are more than annotations."""
    return [member for member in schema.get("allOf", []) if _get_keywords(member) - ANNOTATIONS]


def find_unions(schema: LocatedMap) -> list[str]:
    """Return which of `oneOf` and `anyOf` have a variant that is more than a constraint on properties."""
    return [key for key in UNIONS if any(_get_keywords(variant) - _CONSTRAINTS for variant in schema.get(key, []))]


def _get_keywords(schema: Any) -> set[str]:
    return set(schema) if isinstance(schema, LocatedMap) else set()


def find_only_member(schema: LocatedMap) -> LocatedMap | None:
    """Return the only member of an `allOf` if the schema itself adds nothing to it; else None."""
    members = select_members(schema)
    has_content = schema.get("properties") or "additionalProperties" in schema or find_unions(schema)
    is_only = len(members) == 1 and not has_content and not any(iterate_conditional(schema))
    return members[0] if is_only else None


def get_types(schema: LocatedMap) -> list[str]:
    """Return the types of a schema without null."""
    types = schema.get("type", [])
    return [name for name in (types if isinstance(types, list) else [types]) if name != "null"]


def get_discriminator_property(schema: LocatedMap) -> str:
    """Return the property that the discriminator of a schema names; empty if it has no discriminator."""
    discriminator = schema.get("discriminator")
    name = discriminator.get("propertyName") if isinstance(discriminator, LocatedMap) else discriminator
    return name if isinstance(name, str) else ""


def find_subtypes(schemas: Any) -> dict[str, tuple[str, ...]]:
    """Return the component schemas with a discriminator, each with the components that extend it, sorted.

    A component extends another one if its `allOf` refers to it, directly or through further components. The search
    does not pass a subtype that has a discriminator itself: that subtype stands for its own subtypes.
    Source: OpenAPI 3.1.0, section 4.8.24.2 (composition and inheritance).
    """
    direct: dict[str, set[str]] = {}
    for key, schema in schemas.items() if isinstance(schemas, LocatedMap) else ():
        for reference in _iterate_extended(schema):
            direct.setdefault(reference, set()).add(key)
    bases = {key for key in direct if isinstance(schemas.get(key), LocatedMap) and _is_base(schemas[key])}
    return {base: tuple(sorted(_collect_subtypes(base, direct, bases) - {base})) for base in bases}


def _iterate_extended(schema: Any) -> Iterator[str]:
    members = schema.get("allOf") if isinstance(schema, LocatedMap) else None
    for member in members if isinstance(members, list) else ():
        reference = member.get("$ref") if isinstance(member, LocatedMap) else None
        if isinstance(reference, str) and reference.startswith(SCHEMAS):
            yield parse_component_key(reference)


def _is_base(schema: LocatedMap) -> bool:
    """Return whether a schema has a discriminator for its subtypes, not for the variants of a union."""
    return bool(get_discriminator_property(schema)) and not schema.get("oneOf") and not schema.get("anyOf")


def _collect_subtypes(base: str, direct: dict[str, set[str]], bases: set[str]) -> set[str]:
    """Return the direct and indirect subtypes of a component, without those below another base."""
    subtypes: set[str] = set()
    waiting = list(direct.get(base, ()))
    while waiting:
        key = waiting.pop()
        if key not in subtypes:
            subtypes.add(key)
            waiting += direct.get(key, ()) if key not in bases else ()
    return subtypes
