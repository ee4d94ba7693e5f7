"""Different spellings of a constraint have the same key, and values that a keyword must not have are ignored."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.model.diagnostics import NOWHERE
from pipeline.model.schema_facts import Constraint, SchemaFacts
from preprocess.trace.normalized_constraints import Kind, normalize_constraints


def list_constraints(**keywords: Any) -> list[tuple[str, Any, int]]:
    """Return kind and value of each normalized constraint, and the number of its keywords."""
    constraints = tuple(Constraint(keyword, value, NOWHERE) for keyword, value in keywords.items())
    node = SchemaFacts(NOWHERE, constraints=constraints)
    return [(each.kind, each.value, len(each.constraints)) for each in normalize_constraints(node)]


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        ({"exclusiveMinimum": 5}, [(Kind.EXCLUSIVE_MINIMUM, 5, 1)]),
        ({"minimum": 5, "exclusiveMinimum": True}, [(Kind.EXCLUSIVE_MINIMUM, 5, 2)]),
        ({"minimum": 5, "exclusiveMinimum": False}, [(Kind.MINIMUM, 5, 1)]),
        ({"minimum": 1, "exclusiveMinimum": 5}, [(Kind.MINIMUM, 1, 1), (Kind.EXCLUSIVE_MINIMUM, 5, 1)]),
        ({"minimum": True, "maximum": "5"}, []),
        ({"minLength": 2.0}, [(Kind.MIN_LENGTH, 2, 1)]),
        ({"minLength": 1.5, "maxItems": -1, "pattern": 3, "multipleOf": "2"}, []),
        ({"const": 1}, [(Kind.ENUM, [1], 1)]),
        ({"enum": [1, 2]}, [(Kind.ENUM, [1, 2], 1)]),
        ({"patternProperties": {"b": {}, "a": {}}}, []),
        (
            {"patternProperties": {"b": {}, "a": {}}, "additionalProperties": False},
            [(Kind.PATTERN_PROPERTIES, ["a", "b"], 1)],
        ),
        ({"required": "a", "nullable": True, "default": 1}, []),
    ],
)
def test_normalize_constraints(keywords: dict[str, Any], expected: list[tuple[str, Any, int]]) -> None:
    assert list_constraints(**keywords) == expected
