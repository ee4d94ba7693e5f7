"""Demands: the constraints of a schema in one form, which says what must hold and nothing of how it was written.

`minimum: 5` beside `exclusiveMinimum: true` is one demand, and so is `exclusiveMinimum: 5`. Two schemas make the same
demand where its key is the same.
Sources: JSON Schema validation 2020-12, sections 6 and 7; OpenAPI 3.0.3, schema object (exclusive bounds as marks).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pipeline.model.schema_facts import Constraint, SchemaFacts


class Kind(StrEnum):
    """What a demand is about."""

    REQUIRED = "required"
    AT_LEAST = "at least"
    ABOVE = "above"
    AT_MOST = "at most"
    BELOW = "below"
    MULTIPLE = "multiple"
    ONE_OF = "one of"
    SHORTEST = "shortest"
    LONGEST = "longest"
    PATTERN = "pattern"
    FORMAT = "format"
    FEWEST_ITEMS = "fewest items"
    MOST_ITEMS = "most items"
    UNIQUE = "unique"
    FEWEST_KEYS = "fewest keys"
    MOST_KEYS = "most keys"
    KEYS = "keys"
    KEY_PATTERNS = "key patterns"


@dataclass(frozen=True, slots=True)
class Demand:
    """One demand on a value.

    Attributes:
        kind: what it is about.
        value: the bound, the pattern, the list of values, the schema of the keys.
        constraints: where the spec says so.
    """

    kind: Kind
    value: Any
    constraints: tuple[Constraint, ...]

    @property
    def key(self) -> tuple[Kind, str]:
        """The same for demands that are the same."""
        return self.kind, json.dumps(self.value, sort_keys=True)


_PLAIN = {
    "multipleOf": Kind.MULTIPLE,
    "minLength": Kind.SHORTEST,
    "maxLength": Kind.LONGEST,
    "pattern": Kind.PATTERN,
    "format": Kind.FORMAT,
    "minItems": Kind.FEWEST_ITEMS,
    "maxItems": Kind.MOST_ITEMS,
    "uniqueItems": Kind.UNIQUE,
    "minProperties": Kind.FEWEST_KEYS,
    "maxProperties": Kind.MOST_KEYS,
    "propertyNames": Kind.KEYS,
}
_TEXTS = frozenset({Kind.PATTERN, Kind.FORMAT})
_SIZES = frozenset({Kind.SHORTEST, Kind.LONGEST, Kind.FEWEST_ITEMS, Kind.MOST_ITEMS, Kind.FEWEST_KEYS, Kind.MOST_KEYS})
_BOUNDS = (
    ("minimum", "exclusiveMinimum", Kind.AT_LEAST, Kind.ABOVE),
    ("maximum", "exclusiveMaximum", Kind.AT_MOST, Kind.BELOW),
)
# What is no demand on the value itself.
_OF_OTHERS = frozenset({"required", "nullable", "default"})


def demands(node: SchemaFacts) -> Iterator[Demand]:
    """What a schema itself demands of a value; what it requires of properties is a matter of these."""
    told = {constraint.keyword: constraint for constraint in node.constraints}
    if told.keys() <= _OF_OTHERS:
        return
    for keyword, kind in _PLAIN.items():
        value = _meant(kind, told[keyword].value) if keyword in told else None
        if value is not None:
            yield Demand(kind, value, (told[keyword],))
    for bound, exclusive, within, beyond in _BOUNDS:
        yield from _bounds(told.get(bound), told.get(exclusive), within, beyond)
    closed = told.get("additionalProperties")
    if "patternProperties" in told and closed is not None and closed.value is False and not node.properties:
        yield Demand(Kind.KEY_PATTERNS, sorted(told["patternProperties"].value), (told["patternProperties"],))
    for keyword in ("const", "enum"):
        if keyword in told and not node.enum_strings:
            value = told[keyword].value
            yield Demand(Kind.ONE_OF, [value] if keyword == "const" else list(value), (told[keyword],))


def _bounds(plain: Constraint | None, exclusive: Constraint | None, within: Kind, beyond: Kind) -> Iterator[Demand]:
    """A bound, and the exclusive one, which OpenAPI 3.0 writes as a mark on the former."""
    if plain is not None and is_number(plain.value):
        if exclusive is not None and exclusive.value is True:
            yield Demand(beyond, plain.value, (plain, exclusive))
        else:
            yield Demand(within, plain.value, (plain,))
    if exclusive is not None and is_number(exclusive.value):
        yield Demand(beyond, exclusive.value, (exclusive,))


def _meant(kind: Kind, value: Any) -> Any:
    """The value of a keyword, a size as an integer; None for one that it cannot have, which demands nothing."""
    if kind in _SIZES:
        whole = is_number(value) and value >= 0 and int(value) == value
        return int(value) if whole else None
    if kind in _TEXTS:
        return value if isinstance(value, str) else None
    return value if kind is not Kind.MULTIPLE or is_number(value) else None


def is_number(value: Any) -> bool:
    """Whether a value is a number, and no boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)
