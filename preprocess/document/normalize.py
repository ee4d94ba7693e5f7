"""Rewrite equivalent forms of a schema to one form, before any rule reads it.

- A `$ref` with siblings that shape the value becomes an `allOf` of both.
- A list of `items` becomes `prefixItems`; `additionalItems` becomes `items`.
- Constants get a type: that of their values, or a union if the values have several types.

Sources: OpenAPI 3.0.3 and 3.1.0, reference object; JSON Schema core 2020-12, sections 8.2.3.1 and 10.3.1; JSON Schema
validation 2020-12, sections 6.1.2 and 6.1.3.
"""

from __future__ import annotations

import json
from typing import Any

from pipeline.model.contract import Rule
from pipeline.model.document.located import LocatedMap, make_list, make_map
from preprocess.document.subschemas import LISTS, get_types

# The keywords that shape the value beside a `$ref`. Others are annotations, or marks of the referring place.
_OBJECT = ("properties", "patternProperties", "additionalProperties", "required")
_SHAPING = frozenset({*LISTS, *_OBJECT, "items", "enum", "const"})
# The mark that tells which rule rewrote a schema; it goes with the schema.
SPELLING = "x-proto-spelling"
RULE_SIBLINGS = Rule("reference-siblings")
RULE_CONSTANTS = Rule("constants")
_CONSTANTS = frozenset({"const", "enum", "type"})


def normalize_schema(node: LocatedMap) -> LocatedMap:
    """Return a schema in the one form that the rules read."""
    node = _normalize_tuple(_normalize_reference(node))
    return _normalize_constants(node) if "const" in node or isinstance(node.get("enum"), list) else node


def _normalize_reference(node: LocatedMap) -> LocatedMap:
    if "$ref" not in node:
        return node
    shaping = {key: value for key, value in node.items() if key in _SHAPING and value not in (False, [])}
    if not shaping:
        return node
    result = {key: value for key, value in node.items() if key not in {"$ref", "type"} and key not in shaping}
    members = [make_map({"$ref": node["$ref"]}, node.place), make_map(shaping, node.place)]
    result |= {"allOf": make_list(members, node.place), SPELLING: RULE_SIBLINGS}
    return make_map(result, node.place)


def _normalize_tuple(node: LocatedMap) -> LocatedMap:
    if not isinstance(node.get("items"), list):
        return node
    result = {key: value for key, value in node.items() if key not in {"items", "additionalItems"}}
    result["prefixItems"] = node["items"]
    if "additionalItems" in node:
        result["items"] = node["additionalItems"]
    return make_map(result, node.place)


def _normalize_constants(node: LocatedMap) -> LocatedMap:
    values: list[Any] = [node["const"]] if "const" in node else list(node["enum"])
    types = get_types(node)
    if types == ["string"]:
        strings = [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
        return node if strings == values else make_map({**node, "enum": strings}, node.place)
    by_type: dict[str, list[Any]] = {}
    for value in values:
        by_type.setdefault(_get_json_type(value), []).append(value)
    if "number" in by_type:
        by_type["number"] += by_type.pop("integer", [])
    null = ["null"] if by_type.pop("null", None) else []
    if len(types) == 1 or not by_type or list(by_type) == ["string"]:
        return node
    result = {key: value for key, value in node.items() if key not in _CONSTANTS} | {SPELLING: RULE_CONSTANTS}
    if len(by_type) == 1:
        name, constants = by_type.popitem()
        return make_map({**result, "type": [name, *null] if null else name, "enum": constants}, node.place)
    variants = [make_map({"type": name, "enum": items}, node.place) for name, items in sorted(by_type.items())]
    variants += [make_map({"type": "null"}, node.place)] if null else []
    return make_map({**result, "oneOf": make_list(variants, node.place)}, node.place)


def _get_json_type(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    types = ((int, "integer"), (float, "number"), (str, "string"), (list, "array"))
    return next((name for base, name in types if isinstance(value, base)), "object")
