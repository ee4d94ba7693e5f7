"""Merging: two schemas that the same value must fit, such as a property that two members of an allOf have.

The narrower one decides, of equals the later. Two objects are one with the properties of both; what only restricts or
describes is added to what says the type. Source: JSON Schema core 2020-12, section 10.2.1.1 (`allOf`).
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from pipeline.model.document.located import LocatedMap, make_list, make_map
from preprocess.document.references import parse_component_key
from preprocess.document.subschemas import iterate_conditional
from preprocess.schema.context import ConversionContext
from preprocess.schema.enums import enum_values, union_values

RULE_CONFLICT = "all-of-conflict"
KINDS = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
TYPE_KEYS = ("x-protobuf-data-type", "x-protobuf-type")
_COMPOSED = {"$ref", "allOf", "oneOf", "anyOf", *TYPE_KEYS}
SHAPING = _COMPOSED | {
    "type",
    "properties",
    "patternProperties",
    "additionalProperties",
    "items",
    "prefixItems",
    "enum",
    "const",
}
_WORDS = {"title", "description"}
_DEPRECATION = {"deprecated", "x-version-deprecated", "x-deprecation-message"}


def resolved(context: ConversionContext, schema: Any) -> LocatedMap:
    """A schema, seen through references; an empty one where they lead nowhere or round in a circle."""
    seen: set[str] = set()
    while isinstance(schema, LocatedMap) and "$ref" in schema:
        key = parse_component_key(schema["$ref"])
        schema = None if key in seen else context.schemas.get(key)
        seen.add(key)
    return schema if isinstance(schema, LocatedMap) else LocatedMap()


def is_object(context: ConversionContext, schema: Any) -> bool:
    """Whether a schema describes objects with properties of their own, seen through references and composition."""
    waiting, seen = [schema], set()
    while waiting:
        node = resolved(context, waiting.pop())
        if node.get("properties"):
            return True
        if id(node) not in seen:
            seen.add(id(node))
            waiting += [member for key in ("allOf", "oneOf", "anyOf") for member in node.get(key, [])]
            waiting += iterate_conditional(node)
    return False


def kinds(context: ConversionContext, schema: Any, known: dict[int, frozenset[str]] | None = None) -> frozenset[str]:
    """The JSON types (integers apart) of the values that a schema allows.

    Args:
        context: to see through references.
        schema: the schema.
        known: what was found of schemas in it, each of which is looked at once; of one in a circle nothing is known.
    """
    known = {} if known is None else known
    node = resolved(context, schema)
    if not node:
        return KINDS
    if id(node) not in known:
        known[id(node)] = KINDS
        known[id(node)] = _kinds(context, node, known)
    return known[id(node)]


def _kinds(context: ConversionContext, node: LocatedMap, known: dict[int, frozenset[str]]) -> frozenset[str]:
    if any(key in node for key in TYPE_KEYS):
        return KINDS
    told = node.get("type")
    if told is None:
        texts = enum_values(node)
        found = KINDS if texts is None else frozenset("null" if text is None else "string" for text in texts)
        found = frozenset({"object"}) if node.get("properties") else found
    else:
        found = frozenset(told if isinstance(told, list) else [told])
        found |= {"integer"} if "number" in found else frozenset()
        found |= {"null"} if node.get("nullable") is True else frozenset()
    for member in node.get("allOf", []):
        found &= kinds(context, member, known)
    for key in ("oneOf", "anyOf"):
        if node.get(key):
            found &= frozenset().union(*(kinds(context, member, known) for member in node[key]))
    return found


def merged(context: ConversionContext, old: LocatedMap, new: LocatedMap) -> LocatedMap:
    """One schema for the values that fit both.

    Args:
        context: to see through references, and to put on record what contradicts.
        old: the one that stands first.
        new: the one that stands later.
    """
    found = _merged(context, old, new)
    told = {key: node[key] for node in (old, new) for key in _DEPRECATION if key in node and key not in found}
    return make_map({**found, **told}, found.place) if told else found


def _merged(context: ConversionContext, old: LocatedMap, new: LocatedMap) -> LocatedMap:
    if not set(new) & SHAPING:
        return make_map({**old, **{key: value for key, value in new.items() if key not in _WORDS}}, old.place)
    if not set(old) & SHAPING:
        return make_map({**{key: value for key, value in old.items() if key not in _WORDS}, **new}, new.place)
    if old == new or extends(context, new, old) or extends(context, old, new):
        return old if extends(context, old, new) else new
    if is_object(context, old) and is_object(context, new):
        return _unions(context, old, new) or _both(old, new)
    if old.get("type") == new.get("type") and not (set(old) | set(new)) & _COMPOSED:
        return _same_type(context, old, new)
    return _narrower(context, old, new)


def _both(old: LocatedMap, new: LocatedMap) -> LocatedMap:
    title = {"title": new["title"]} if "title" in new else {}
    return make_map({**title, "allOf": make_list([old, new], new.place)}, new.place)


def _unions(context: ConversionContext, old: LocatedMap, new: LocatedMap) -> LocatedMap | None:
    """Two unions as one: variants of one title, one component or one JSON type merged; None where none are."""
    before, after = _variants(context, old), _variants(context, new)
    if not set(before) & set(after):
        before, after = _by_kind(context, before), _by_kind(context, after)
    if not set(before) & set(after):
        return None
    both = [merged(context, before[key], item) if key in before else item for key, item in after.items()]
    both += [item for key, item in before.items() if key not in after]
    return make_map({"oneOf": make_list(both, new.place)}, new.place)


def _variants(context: ConversionContext, schema: LocatedMap) -> dict[str, LocatedMap]:
    """The variants of a schema that is nothing but a union, by what they are called."""
    node = resolved(context, schema)
    key = next((key for key in ("oneOf", "anyOf") if node.get(key)), "")
    if not key or node.get("properties") or node.get("allOf"):
        return {}
    return {
        str(item.get("title") or item.get("$ref") or f"{schema.place.pointer}/{at}"): item
        for at, item in enumerate(node[key])
    }


def _by_kind(context: ConversionContext, variants: dict[str, LocatedMap]) -> dict[str, LocatedMap]:
    """The variants by their one JSON type; none where two share it."""
    found = {kind: item for item in variants.values() for kind in kinds(context, item)}
    return found if len(found) == len(variants) == len({id(item) for item in found.values()}) else {}


def _same_type(context: ConversionContext, old: LocatedMap, new: LocatedMap) -> LocatedMap:
    both = make_map({**old, **new}, new.place)
    for key in ("items", "additionalProperties"):
        if isinstance(old.get(key), LocatedMap) and isinstance(new.get(key), LocatedMap):
            both[key] = merged(context, old[key], new[key])
    return both


def _narrower(context: ConversionContext, old: LocatedMap, new: LocatedMap) -> LocatedMap:
    first, later = kinds(context, old), kinds(context, new)
    if not first & later - {"null"}:
        reason = f"{_words(first)}, but {_words(later)} in a later member"
        context.exclude(old.place, RULE_CONFLICT, reason)
        return new
    if first - {"null"} < later - {"null"}:
        return old
    if first - {"null"} == later - {"null"} and _enumerated(context, old) and not _enumerated(context, new):
        return old
    return new


def _words(found: frozenset[str]) -> str:
    return " or ".join(sorted(found - {"integer"} if "number" in found else found)) or "nothing"


def _enumerated(context: ConversionContext, schema: LocatedMap) -> bool:
    node = resolved(context, schema)
    return enum_values(node) is not None or any(union_values(node.get(key, [])) for key in ("oneOf", "anyOf"))


def extends(context: ConversionContext, wide: LocatedMap, narrow: LocatedMap) -> bool:
    """Whether a schema is another one with more to it: whether references and allOf lead from the one to the other."""
    waiting: list[Any] = [wide] if "$ref" in narrow else []
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, LocatedMap) or id(node) in seen:
            continue
        seen.add(id(node))
        if node.get("$ref") == narrow["$ref"]:
            return True
        waiting += [context.schemas.get(parse_component_key(node["$ref"]))] if "$ref" in node else node.get("allOf", [])
    return False


def all_of(context: ConversionContext, members: list[LocatedMap]) -> LocatedMap:
    """One schema for the values that fit all members, none of which has properties."""
    return reduce(lambda old, new: merged(context, old, new), members)
