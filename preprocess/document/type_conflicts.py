"""Settle: keywords of one schema that contradict each other; its type decides, and its texts where they cannot be it.

Source: JSON Schema core 2020-12, section 7.6.1 (keywords apply to values of their own type).
"""

from __future__ import annotations

import json
from typing import Any

from pipeline.model.document.located import LocatedMap, make_list, make_map
from pipeline.model.rule import Rule

RULE_OTHER_TYPE = Rule("other-type")
_TYPES = {
    "additionalProperties": "object",
    "items": "array",
    "patternProperties": "object",
    "properties": "object",
}
_UNIONS = ("oneOf", "anyOf")
_TOUCHED = frozenset({"enum", *_TYPES})
_ASIDES = {"type", "description", "example", "title"}


def drop_conflicting_keywords(node: LocatedMap) -> tuple[LocatedMap, dict[str, str]]:
    """One schema without what contradicts the rest of it.

    Returns:
        The schema, itself where nothing does; and the keywords that are left out, each with the reason.
    """
    if _TOUCHED.isdisjoint(node):
        return node, {}
    kept = make_map(dict(node), node.place)
    texts = _listed_texts(node)
    told = _kinds(node) or ({"object"} if node.get("properties") else {"string"} if texts else set())
    dropped = _of_other_types(kept, told)
    if texts:
        dropped |= _texts(kept, texts, _kinds(node))
    elif "items" in kept and any(key in kept for key in _UNIONS):
        _items_of_variants(kept)
    return (node, {}) if kept == node else (kept, dropped)


def _listed_texts(node: LocatedMap) -> list[Any]:
    """The values of an enum of texts, or null; empty for any other schema."""
    listed = node.get("enum", [])
    fits = isinstance(listed, list) and all(text is None or isinstance(text, str) for text in listed)
    return listed if fits else []


def _kinds(node: LocatedMap) -> set[str]:
    """The types that a schema names, null left out."""
    kinds = node.get("type")
    return ({kinds} if isinstance(kinds, str) else set(kinds or ())) - {"null"}


def _of_other_types(kept: LocatedMap, kinds: set[str]) -> dict[str, str]:
    """Leave out keywords that speak of another type than the schema is of."""
    foreign = [key for key, kind in _TYPES.items() if kinds and key in kept and kind not in kinds]
    told = [key for key in foreign if isinstance(kept[key], dict) and kept[key]]
    for key in foreign:
        del kept[key]
    return {key: f"`{key}` says nothing of the type `{' or '.join(sorted(kinds))}`" for key in told}


def _texts(kept: LocatedMap, texts: list[Any], kinds: set[str]) -> dict[str, str]:
    """Bring the texts of an enum in line with the type beside them."""
    unions = [key for key in _UNIONS if key in kept]
    for key in unions:
        del kept[key]
    dropped = {key: f"`{key}` beside an `enum` adds nothing" for key in unions}
    if not any(isinstance(text, str) for text in texts):
        kept.pop("type", None)
    if "type" not in kept or "string" in kinds:
        return dropped
    if "array" in kinds or kept.get("properties"):
        del kept["enum"]
        items = kept.get("items", make_map({}, kept.place))
        if "array" not in kinds or not isinstance(items, LocatedMap) or set(items) - _ASIDES:
            return dropped | {"enum": f"texts are not of the type `{' or '.join(sorted(kinds))}`"}
        kept["items"] = make_map({**items, "enum": make_list(texts, kept.place)}, items.place)
        return dropped
    values = [_value(text, kinds) for text in texts]
    if all(value is not None for value in values):
        kept["enum"] = make_list(values, kept.place)
    else:
        del kept["type"]
    return dropped


def _value(text: str | None, kinds: set[str]) -> Any:
    """The number or boolean that a text spells, where it is of one of the types; else None."""
    try:
        value = json.loads(text) if text is not None else None
    except ValueError:
        return None
    kind = "boolean" if isinstance(value, bool) else "integer" if isinstance(value, int) else "number"
    fits = isinstance(value, bool | int | float) and (kind in kinds or (kind == "integer" and "number" in kinds))
    return value if fits else None


def _items_of_variants(kept: LocatedMap) -> None:
    """Items beside a union are those of its variants that are lists; a union beside any items is what these are."""
    variants = [variant for key in _UNIONS for variant in kept.get(key, [])]
    if any(isinstance(variant, LocatedMap) and variant.get("type") == "array" for variant in variants):
        items = kept.pop("items")
        for key in _UNIONS:
            if key in kept:
                kept[key] = make_list([_with_items(variant, items) for variant in kept[key]], kept[key].place)
    elif kept.get("type") == "array" and not kept["items"] and not any("$ref" in variant for variant in variants):
        unions = {key: kept.pop(key) for key in _UNIONS if key in kept}
        kept["items"] = make_map(unions, kept.place)


def _with_items(variant: Any, items: Any) -> Any:
    open_list = isinstance(variant, LocatedMap) and variant.get("type") == "array" and not variant.get("items")
    return make_map({**variant, "items": items}, variant.place) if open_list else variant
