"""Counts of items and keys, and what keys are, as rules of protovalidate.

An empty list or map is as good as none in protobuf, so a least number is asked only of one that is not empty, unless it
must be there.
Sources: buf/validate/validate.proto (RepeatedRules, MapRules); JSON Schema validation 2020-12, sections 6.4 and 6.5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pipeline.model.contract import Enum
from pipeline.model.json_encoding import JsonEncoding, StringFormat
from preprocess.constraints.bounds import RANGES, ByKind
from preprocess.constraints.outcome import Said
from preprocess.constraints.re2 import NotSame, as_re2
from preprocess.constraints.strings import lengths, text
from preprocess.trace.effective_constraints import Constraints
from preprocess.trace.normalized_constraints import Kind, NormalizedConstraint

RULE_ITEMS = "validate-items"
RULE_KEYS = "validate-keys"
ALONE = "an item may stand without its list"
NOT_UNIQUE = (
    "values that differ in JSON may be the same in protobuf, or are messages, which protovalidate does not compare"
)
_KEYS = {"type", "title", "description", "pattern", "minLength", "maxLength", "format", "$ref"}
_OF_KEYS = {
    "pattern": Kind.PATTERN,
    "minLength": Kind.MIN_LENGTH,
    "maxLength": Kind.MAX_LENGTH,
    "format": Kind.FORMAT,
}


def items(by_kind: ByKind, kind: str, encoding: JsonEncoding, enum: Enum | None, said: Said) -> None:
    """How many items a list has, and whether they differ.

    Args:
        by_kind: what is demanded of the list.
        kind: the type of its items.
        encoding: of its field.
        enum: of its items.
        said: what becomes of it.
    """
    fewest = by_kind.get(Kind.MIN_ITEMS, [])
    if encoding.is_single and any(demand.value > 1 for demand in fewest):
        said.refuse(fewest, ALONE)
        fewest = []
    counted = {Kind.MIN_ITEMS: fewest, Kind.MAX_ITEMS: by_kind.get(Kind.MAX_ITEMS, [])}
    paths = ("repeated.min_items", "repeated.max_items")
    lengths(counted, said, (Kind.MIN_ITEMS, Kind.MAX_ITEMS), RULE_ITEMS, paths)
    one_text = enum is not None and all(len(value.json) <= 1 for value in enum.values)
    for demand in by_kind.get(Kind.UNIQUE_ITEMS, ()):
        if not demand.value:
            said.meet([demand])
        elif (
            kind in {*RANGES, "string", "bool"}
            and not (encoding.is_quoted or encoding.string_format is StringFormat.NUMBER)
        ) or one_text:
            said.carry([demand], RULE_ITEMS, "repeated.unique", value=True)
        else:
            said.refuse([demand], NOT_UNIQUE)


def entries(by_kind: ByKind, of_keys: Callable[[Any], Constraints], said: Said) -> None:
    """How many keys a map has, and what they are.

    Args:
        by_kind: what is demanded of the map.
        of_keys: what a reference demands.
        said: what becomes of it.
    """
    paths = ("map.min_pairs", "map.max_pairs")
    lengths(by_kind, said, (Kind.MIN_PROPERTIES, Kind.MAX_PROPERTIES), RULE_KEYS, paths)
    for demand in by_kind.get(Kind.PROPERTY_NAMES, ()):
        _names(demand, of_keys, said)
    for demand in by_kind.get(Kind.PATTERN_PROPERTIES, ()):
        try:
            pattern = "|".join(f"(?:{as_re2(each)})" for each in demand.value)
        except NotSame as error:
            said.refuse([demand], f"RE2 has no equal of {error}")
            continue
        said.carry([demand], RULE_KEYS, "map.keys.string.pattern", pattern)


def _names(demand: NormalizedConstraint, of_keys: Callable[[Any], Constraints], said: Said) -> None:
    """The schema of the keys, if it says nothing but what a text may be."""
    schema = demand.value
    if not isinstance(schema, dict) or set(schema) - _KEYS:
        said.refuse([demand], "a schema of keys that says more than what a text may be")
        return
    found = of_keys(schema["$ref"]) if "$ref" in schema else {}
    listed = [
        *found.values(),
        *(NormalizedConstraint(kind, schema[key], ()) for key, kind in _OF_KEYS.items() if key in schema),
    ]
    inner = Said()
    by_kind: ByKind = {}
    for each in listed:
        by_kind.setdefault(each.kind, []).append(each)
    text(by_kind, inner)
    told = {each.key for each in listed}
    if told - set(inner.by) - inner.expressed:
        said.refuse(
            [demand], next(iter(inner.reasons.values()), "a schema of keys that says more than what a text may be")
        )
    elif not inner.rules:
        said.meet([demand])
    elif "cel" in inner.rules or any(path.startswith("map.keys.") for path in said.rules):
        said.refuse([demand], "keys follow one pattern in protovalidate")
    else:
        said.rules |= {f"map.keys.{path}": value for path, value in inner.rules.items()}
        said.by[demand.key] = RULE_KEYS
