"""Normalize the constraints of schemas, so that different spellings of the same constraint are equal.

Example: `exclusiveMinimum: 5` and `minimum: 5` with `exclusiveMinimum: true` are the same normalized constraint.
Sources: JSON Schema validation 2020-12, sections 6 and 7; OpenAPI 3.0.3, schema object (boolean exclusive bounds).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pipeline.model.schema_facts import Constraint, SchemaFacts


class Kind(StrEnum):
    """The kind of a normalized constraint, named after the keyword of JSON Schema."""

    MINIMUM = "minimum"
    EXCLUSIVE_MINIMUM = "exclusiveMinimum"
    MAXIMUM = "maximum"
    EXCLUSIVE_MAXIMUM = "exclusiveMaximum"
    MULTIPLE_OF = "multipleOf"
    ENUM = "enum"
    MIN_LENGTH = "minLength"
    MAX_LENGTH = "maxLength"
    PATTERN = "pattern"
    FORMAT = "format"
    MIN_ITEMS = "minItems"
    MAX_ITEMS = "maxItems"
    UNIQUE_ITEMS = "uniqueItems"
    MIN_PROPERTIES = "minProperties"
    MAX_PROPERTIES = "maxProperties"
    PROPERTY_NAMES = "propertyNames"
    PATTERN_PROPERTIES = "patternProperties"


ConstraintKey = tuple[Kind, str]


@dataclass(frozen=True, slots=True)
class NormalizedConstraint:
    """One constraint on a value, and the keywords that state it.

    The value is a bound, a pattern, a list of allowed values, or the schema of the keys.
    """

    kind: Kind
    value: Any
    constraints: tuple[Constraint, ...]

    @property
    def key(self) -> ConstraintKey:
        """The kind and the value; equal for equal constraints."""
        return self.kind, json.dumps(self.value, sort_keys=True)


_BOUNDS = ((Kind.MINIMUM, Kind.EXCLUSIVE_MINIMUM), (Kind.MAXIMUM, Kind.EXCLUSIVE_MAXIMUM))
# The keywords whose value is the value of the normalized constraint.
_DIRECT = tuple(kind for kind in Kind if kind not in {*sum(_BOUNDS, ()), Kind.ENUM, Kind.PATTERN_PROPERTIES})
_STRINGS = frozenset({Kind.PATTERN, Kind.FORMAT})
_SIZES = frozenset(kind for kind in _DIRECT if kind.startswith(("min", "max")))
# Keywords that do not constrain the value of the schema itself.
_UNRELATED = frozenset({"required", "nullable", "default"})


def normalize_constraints(node: SchemaFacts) -> Iterator[NormalizedConstraint]:
    """Yield the constraints that a schema itself puts on a value; `required` constrains its properties instead."""
    by_keyword = {constraint.keyword: constraint for constraint in node.constraints}
    if by_keyword.keys() <= _UNRELATED:
        return
    for kind in _DIRECT:
        value = _normalize_value(kind, by_keyword[kind].value) if kind in by_keyword else None
        if value is not None:
            yield NormalizedConstraint(kind, value, (by_keyword[kind],))
    for inclusive, exclusive in _BOUNDS:
        yield from _normalize_bounds(by_keyword, inclusive, exclusive)
    closed, patterns = by_keyword.get("additionalProperties"), by_keyword.get("patternProperties")
    if patterns is not None and closed is not None and closed.value is False and not node.properties:
        yield NormalizedConstraint(Kind.PATTERN_PROPERTIES, sorted(patterns.value), (patterns,))
    for keyword in ("const", "enum"):
        if keyword in by_keyword and not node.enum_strings:
            value = by_keyword[keyword].value
            values = [value] if keyword == "const" else list(value)
            yield NormalizedConstraint(Kind.ENUM, values, (by_keyword[keyword],))


def _normalize_bounds(
    by_keyword: dict[str, Constraint], inclusive: Kind, exclusive: Kind
) -> Iterator[NormalizedConstraint]:
    """Yield the inclusive and the exclusive bound; in OpenAPI 3.0 `true` makes the inclusive one exclusive."""
    bound, modifier = by_keyword.get(inclusive), by_keyword.get(exclusive)
    if bound is not None and is_number(bound.value):
        if modifier is not None and modifier.value is True:
            yield NormalizedConstraint(exclusive, bound.value, (bound, modifier))
        else:
            yield NormalizedConstraint(inclusive, bound.value, (bound,))
    if modifier is not None and is_number(modifier.value):
        yield NormalizedConstraint(exclusive, modifier.value, (modifier,))


def _normalize_value(kind: Kind, value: Any) -> Any:
    """Return the value of a keyword, sizes as integers; None for a value that the keyword must not have."""
    if kind in _SIZES:
        is_size = is_number(value) and value >= 0 and int(value) == value
        return int(value) if is_size else None
    if kind in _STRINGS:
        return value if isinstance(value, str) else None
    return value if kind is not Kind.MULTIPLE_OF or is_number(value) else None


def is_number(value: Any) -> bool:
    """Return whether a value is a number and not a boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)
