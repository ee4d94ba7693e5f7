"""Spellings: what a schema may say in several ways is said in one, before any rule reads it.

- A `$ref` with siblings that say what the value is, is an allOf of the two.
- A list of `items` is `prefixItems`, and `additionalItems` the `items` after them.
- Constants have a type: of one kind they are of that type, of several a union of these.

Sources: OpenAPI 3.0.3 and 3.1.0, reference object; JSON Schema core 2020-12, sections 8.2.3.1 and 10.3.1; JSON Schema
validation 2020-12, sections 6.1.2 and 6.1.3.
"""

from __future__ import annotations

import json
from typing import Any

from pipeline.model.document.located import LocatedMap, make_list, make_map
from pipeline.model.rule import Rule

# What says beside a `$ref` of which values there are; anything else is an aside, or a mark on the place of use.
_SHAPING = frozenset(
    [
        "properties",
        "patternProperties",
        "additionalProperties",
        "required",
        "allOf",
        "oneOf",
        "anyOf",
        "items",
        "prefixItems",
        "enum",
        "const",
    ]
)
# By which rule a schema was respelled; the rule goes with the shape.
SPELLING = "x-proto-spelling"
RULE_SIBLINGS = Rule("reference-siblings")
RULE_CONSTANTS = Rule("constants")
_CONSTANTS = frozenset({"const", "enum", "type"})


def normalize_schema(node: LocatedMap) -> LocatedMap:
    """The same schema in the one spelling that the rules read."""
    node = _tuple(_reference(node))
    return _constants(node) if "const" in node or isinstance(node.get("enum"), list) else node


def _reference(node: LocatedMap) -> LocatedMap:
    if "$ref" not in node:
        return node
    shaping = {key: value for key, value in node.items() if key in _SHAPING and value not in (False, [])}
    if not shaping:
        return node
    rest = {key: value for key, value in node.items() if key != "$ref" and key not in shaping}
    rest.pop("type", None)
    members = [make_map({"$ref": node["$ref"]}, node.place), make_map(shaping, node.place)]
    rest |= {"allOf": make_list(members, node.place), SPELLING: RULE_SIBLINGS}
    return make_map(rest, node.place)


def _tuple(node: LocatedMap) -> LocatedMap:
    if not isinstance(node.get("items"), list):
        return node
    after = {"items": node["additionalItems"]} if "additionalItems" in node else {}
    rest = {key: value for key, value in node.items() if key not in {"items", "additionalItems"}}
    return make_map({**rest, "prefixItems": node["items"], **after}, node.place)


def _constants(node: LocatedMap) -> LocatedMap:
    listed: list[Any] = [node["const"]] if "const" in node else list(node["enum"])
    told = node.get("type")
    kinds = [kind for kind in (told if isinstance(told, list) else [told]) if kind not in {None, "null"}]
    if kinds == ["string"]:
        texts = [value if value is None or isinstance(value, str) else json.dumps(value) for value in listed]
        return node if texts == listed else make_map({**node, "enum": texts}, node.place)
    found: dict[str, list[Any]] = {}
    for value in listed:
        found.setdefault(_kind(value), []).append(value)
    if "number" in found:
        found["number"] += found.pop("integer", [])
    null = ["null"] if found.pop("null", None) else []
    if len(kinds) == 1 or not found or list(found) == ["string"]:
        return node
    rest = {key: value for key, value in node.items() if key not in _CONSTANTS} | {SPELLING: RULE_CONSTANTS}
    if len(found) == 1:
        kind, values = found.popitem()
        return make_map({**rest, "type": [kind, *null] if null else kind, "enum": values}, node.place)
    variants = [make_map({"type": kind, "enum": values}, node.place) for kind, values in sorted(found.items())]
    variants += [make_map({"type": "null"}, node.place)] if null else []
    return make_map({**rest, "oneOf": make_list(variants, node.place)}, node.place)


def _kind(value: Any) -> str:
    """The JSON type of a constant."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    kinds = ((int, "integer"), (float, "number"), (str, "string"), (list, "array"))
    return next((kind for base, kind in kinds if isinstance(value, base)), "object")
