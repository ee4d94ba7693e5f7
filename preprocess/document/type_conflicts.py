"""Drop keywords of a schema that contradict its type or its enum.

The type decides; if the strings of an enum cannot have the type, the enum decides.
Source: JSON Schema core 2020-12, section 7.6.1 (keywords apply to values of their own type).
"""

from __future__ import annotations

import json
from typing import Any

from pipeline.model.contract import Rule
from pipeline.model.document.located import LocatedMap, make_list, make_map
from preprocess.document.subschemas import UNIONS, get_types

RULE_OTHER_TYPE = Rule("other-type")
_TYPES = {"additionalProperties": "object", "items": "array", "patternProperties": "object", "properties": "object"}
_CONFLICTING = frozenset({"enum", *_TYPES})
_ANNOTATIONS = {"type", "description", "example", "title"}


def drop_conflicting_keywords(node: LocatedMap) -> tuple[LocatedMap, dict[str, str]]:
    """Return a schema without contradicting keywords (a copy if there are any), and the reason for each dropped one."""
    if _CONFLICTING.isdisjoint(node):
        return node, {}
    result = make_map(dict(node), node.place)
    strings = _get_string_enum(node)
    stated = set(get_types(node))
    types = stated or ({"object"} if node.get("properties") else {"string"} if strings else set())
    dropped = _drop_foreign_keywords(result, types)
    if strings:
        dropped |= _match_enum_to_types(result, strings, stated)
    elif "items" in result and any(key in result for key in UNIONS):
        _move_items_to_variants(result)
    return (node, {}) if result == node else (result, dropped)


def _get_string_enum(node: LocatedMap) -> list[Any]:
    """Return the values of an enum of strings and null; empty for any other schema."""
    values = node.get("enum", [])
    is_strings = isinstance(values, list) and all(value is None or isinstance(value, str) for value in values)
    return values if is_strings else []


def _drop_foreign_keywords(schema: LocatedMap, types: set[str]) -> dict[str, str]:
    """Remove keywords that apply to other types than those of the schema; return a reason for each nonempty one."""
    foreign = [key for key, name in _TYPES.items() if types and key in schema and name not in types]
    nonempty = [key for key in foreign if isinstance(schema[key], dict) and schema[key]]
    for key in foreign:
        del schema[key]
    return {key: f"`{key}` does not apply to the type `{' or '.join(sorted(types))}`" for key in nonempty}


def _match_enum_to_types(schema: LocatedMap, strings: list[Any], types: set[str]) -> dict[str, str]:
    """Change an enum of strings, or the type beside it, so that both agree; return the dropped keywords."""
    unions = [key for key in UNIONS if key in schema]
    for key in unions:
        del schema[key]
    dropped = {key: f"`{key}` beside an `enum` has no effect" for key in unions}
    if not any(isinstance(text, str) for text in strings):
        schema.pop("type", None)
    if "type" not in schema or "string" in types:
        return dropped
    if "array" in types or schema.get("properties"):
        del schema["enum"]
        items = schema.get("items", make_map({}, schema.place))
        if "array" not in types or not isinstance(items, LocatedMap) or set(items) - _ANNOTATIONS:
            return dropped | {"enum": f"strings do not have the type `{' or '.join(sorted(types))}`"}
        schema["items"] = make_map({**items, "enum": make_list(strings, schema.place)}, items.place)
        return dropped
    values = [_parse_constant(text, types) for text in strings]
    if all(value is not None for value in values):
        schema["enum"] = make_list(values, schema.place)
    else:
        del schema["type"]
    return dropped


def _parse_constant(text: str | None, types: set[str]) -> Any:
    """Return the number or boolean that a string spells if it has one of the types; else None."""
    try:
        value = json.loads(text) if text is not None else None
    except ValueError:
        return None
    name = "boolean" if isinstance(value, bool) else "integer" if isinstance(value, int) else "number"
    fits = isinstance(value, bool | int | float) and (name in types or (name == "integer" and "number" in types))
    return value if fits else None


def _move_items_to_variants(schema: LocatedMap) -> None:
    """Resolve `items` beside a union: array variants get them; a union beside empty `items` describes the items."""
    variants = [variant for key in UNIONS for variant in schema.get(key, [])]
    if any(isinstance(variant, LocatedMap) and variant.get("type") == "array" for variant in variants):
        items = schema.pop("items")
        for key in UNIONS:
            if key in schema:
                schema[key] = make_list([_add_items(variant, items) for variant in schema[key]], schema[key].place)
    elif schema.get("type") == "array" and not schema["items"] and not any("$ref" in variant for variant in variants):
        unions = {key: schema.pop(key) for key in UNIONS if key in schema}
        schema["items"] = make_map(unions, schema.place)


def _add_items(variant: Any, items: Any) -> Any:
    is_open = isinstance(variant, LocatedMap) and variant.get("type") == "array" and not variant.get("items")
    return make_map({**variant, "items": items}, variant.place) if is_open else variant
