"""Merge schemas that the same value has to match, such as two members of an `allOf` that declare one property.

The narrower schema wins, of two equally narrow ones the later. Two objects become one with the properties of both.
Keywords that only constrain or describe are added to the schema that declares the type.
Source: JSON Schema core 2020-12, section 10.2.1.1 (`allOf`).
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from pipeline.model.contract import Rule
from pipeline.model.document.located import LocatedMap, make_list, make_map
from preprocess.document.references import parse_component_key
from preprocess.document.subschemas import iterate_conditional
from preprocess.schema.context import Context
from preprocess.schema.enums import find_enum_values, find_union_values

RULE_ALL_OF = Rule("all-of")
RULE_CONFLICT = Rule("all-of-conflict")
JSON_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
TYPE_KEYS = ("x-protobuf-data-type", "x-protobuf-type")
_COMPOSED = {"$ref", "allOf", "oneOf", "anyOf", *TYPE_KEYS}
_TYPED = {"type", "properties", "patternProperties", "additionalProperties", "items", "prefixItems", "enum", "const"}
# All other keywords only constrain or describe.
SHAPING = _COMPOSED | _TYPED
_DESCRIPTIONS = {"title", "description"}
_DEPRECATION = {"deprecated", "x-version-deprecated", "x-deprecation-message"}


def resolve_refs(context: Context, schema: Any) -> LocatedMap:
    """Return the schema that a chain of references leads to; an empty one if it leads nowhere or into a cycle."""
    visited: set[str] = set()
    while isinstance(schema, LocatedMap) and "$ref" in schema:
        key = parse_component_key(schema["$ref"])
        schema = None if key in visited else context.schemas.get(key)
        visited.add(key)
    return schema if isinstance(schema, LocatedMap) else LocatedMap()


def is_object(context: Context, schema: Any) -> bool:
    """Return whether a schema declares properties, directly or through references and composition."""
    waiting, visited = [schema], set()
    while waiting:
        node = resolve_refs(context, waiting.pop())
        if node.get("properties"):
            return True
        if id(node) not in visited:
            visited.add(id(node))
            waiting += [member for keyword in ("allOf", "oneOf", "anyOf") for member in node.get(keyword, [])]
            waiting += iterate_conditional(node)
    return False


def is_subtype(context: Context, schema: LocatedMap, base: LocatedMap) -> bool:
    """Return whether references and `allOf` lead from a schema to the component that `base` refers to."""
    waiting: list[Any] = [schema] if "$ref" in base else []
    visited: set[int] = set()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, LocatedMap) or id(node) in visited:
            continue
        visited.add(id(node))
        if node.get("$ref") == base["$ref"]:
            return True
        key = parse_component_key(node["$ref"]) if "$ref" in node else None
        waiting += node.get("allOf", []) if key is None else [context.schemas.get(key)]
    return False


def find_json_types(context: Context, schema: Any, visited: dict[int, frozenset[str]] | None = None) -> frozenset[str]:
    """Return the JSON types of the values that a schema allows; `integer` is a type of its own beside `number`.

    `visited` holds the types of schemas by `id`, so that a cycle ends: inside itself, a schema allows all types.
    """
    visited = {} if visited is None else visited
    node = resolve_refs(context, schema)
    if not node:
        return JSON_TYPES
    if id(node) not in visited:
        visited[id(node)] = JSON_TYPES
        visited[id(node)] = _compute_json_types(context, node, visited)
    return visited[id(node)]


def _compute_json_types(context: Context, node: LocatedMap, visited: dict[int, frozenset[str]]) -> frozenset[str]:
    if any(key in node for key in TYPE_KEYS):
        return JSON_TYPES
    types = _read_json_types(node)
    for member in node.get("allOf", []):
        types &= find_json_types(context, member, visited)
    for keyword in ("oneOf", "anyOf"):
        if node.get(keyword):
            types &= frozenset().union(*(find_json_types(context, item, visited) for item in node[keyword]))
    return types


def _read_json_types(node: LocatedMap) -> frozenset[str]:
    declared = node.get("type")
    if declared is not None:
        types = frozenset(declared if isinstance(declared, list) else [declared])
        types |= {"integer"} if "number" in types else frozenset()
        return types | {"null"} if node.get("nullable") is True else types
    if node.get("properties"):
        return frozenset({"object"})
    strings = find_enum_values(node)
    return JSON_TYPES if strings is None else frozenset("null" if value is None else "string" for value in strings)


def merge_all_of(context: Context, members: list[LocatedMap]) -> LocatedMap:
    """Return one schema for the values that match all members, none of which has properties."""
    return reduce(lambda old, new: merge_schemas(context, old, new), members)


def merge_schemas(context: Context, old: LocatedMap, new: LocatedMap) -> LocatedMap:
    """Return one schema for the values that match two schemas, and record a contradiction between them.

    The two are not equal: of two equally narrow schemas, the one that comes later in the document wins.
    """
    result = _merge(context, old, new)
    deprecation = {key: node[key] for node in (old, new) for key in _DEPRECATION if key in node and key not in result}
    return make_map({**result, **deprecation}, result.place) if deprecation else result


def _merge(context: Context, old: LocatedMap, new: LocatedMap) -> LocatedMap:
    if not set(new) & SHAPING:
        return make_map({**old, **{key: value for key, value in new.items() if key not in _DESCRIPTIONS}}, old.place)
    if not set(old) & SHAPING:
        return make_map({**{key: value for key, value in old.items() if key not in _DESCRIPTIONS}, **new}, new.place)
    if old == new or is_subtype(context, new, old) or is_subtype(context, old, new):
        return old if is_subtype(context, old, new) else new
    if is_object(context, old) and is_object(context, new):
        return _merge_unions(context, old, new) or _join_objects(old, new)
    if old.get("type") == new.get("type") and not (set(old) | set(new)) & _COMPOSED:
        return _merge_same_type(context, old, new)
    return _select_narrower(context, old, new)


def _join_objects(old: LocatedMap, new: LocatedMap) -> LocatedMap:
    title = {"title": new["title"]} if "title" in new else {}
    return make_map({**title, "allOf": make_list([old, new], new.place)}, new.place)


def _merge_unions(context: Context, old: LocatedMap, new: LocatedMap) -> LocatedMap | None:
    """Merge two unions variant by variant, matched by title, component or JSON type; return None if none match."""
    before, after = _label_variants(context, old), _label_variants(context, new)
    if not set(before) & set(after):
        before, after = _label_by_json_type(context, before), _label_by_json_type(context, after)
    if not set(before) & set(after):
        return None
    variants = [merge_schemas(context, before[key], item) if key in before else item for key, item in after.items()]
    variants += [variant for key, variant in before.items() if key not in after]
    return make_map({"oneOf": make_list(variants, new.place)}, new.place)


def _label_variants(context: Context, schema: LocatedMap) -> dict[str, LocatedMap]:
    """Return the variants of a pure union by title, reference or pointer; empty for any other schema."""
    node = resolve_refs(context, schema)
    keyword = next((keyword for keyword in ("oneOf", "anyOf") if node.get(keyword)), "")
    if not keyword or node.get("properties") or node.get("allOf"):
        return {}
    return {
        str(variant.get("title") or variant.get("$ref") or f"{schema.place.pointer}/{index}"): variant
        for index, variant in enumerate(node[keyword])
    }


def _label_by_json_type(context: Context, variants: dict[str, LocatedMap]) -> dict[str, LocatedMap]:
    """Return the variants by their one JSON type; empty if two share a type or one has several."""
    by_type = {kind: variant for variant in variants.values() for kind in find_json_types(context, variant)}
    distinct = len({id(variant) for variant in by_type.values()})
    return by_type if len(by_type) == len(variants) == distinct else {}


def _merge_same_type(context: Context, old: LocatedMap, new: LocatedMap) -> LocatedMap:
    """Merge two schemas of one type: keywords of the later one replace those of the first, items are merged."""
    merged = make_map({**old, **new}, new.place)
    for keyword in ("items", "additionalProperties"):
        if isinstance(old.get(keyword), LocatedMap) and isinstance(new.get(keyword), LocatedMap):
            merged[keyword] = merge_schemas(context, old[keyword], new[keyword])
    return merged


def _select_narrower(context: Context, old: LocatedMap, new: LocatedMap) -> LocatedMap:
    """Return the schema that allows fewer JSON types, or lists its values; record a contradiction of the two."""
    old_types, new_types = find_json_types(context, old), find_json_types(context, new)
    if not old_types & new_types - {"null"}:
        reason = f"{_format_types(old_types)}, but {_format_types(new_types)} in a later member"
        context.exclude(old.place, RULE_CONFLICT, reason)
        return new
    old_types, new_types = old_types - {"null"}, new_types - {"null"}
    enumerates = old_types == new_types and _is_enumerated(context, old) and not _is_enumerated(context, new)
    return old if old_types < new_types or enumerates else new


def _format_types(types: frozenset[str]) -> str:
    return " or ".join(sorted(types - {"integer"} if "number" in types else types)) or "nothing"


def _is_enumerated(context: Context, schema: LocatedMap) -> bool:
    node = resolve_refs(context, schema)
    unions = (node.get(keyword, []) for keyword in ("oneOf", "anyOf"))
    return find_enum_values(node) is not None or any(find_union_values(variants) for variants in unions)
