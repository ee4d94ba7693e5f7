"""Contradictions of a specification are reported with their place."""

from __future__ import annotations

from typing import Any

import pytest

from tests.postprocess.specs import convert_schemas

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}


def list_contradictions(schema: Any) -> list[str]:
    spec = convert_schemas({"Sample": {"type": "object", "properties": {"field": schema}}})
    diagnostics = [item for item in spec.coverage().diagnostics if item.code == "spec/contradiction"]
    assert all(item.place.pointer.startswith("/components/schemas/Sample/properties/field") for item in diagnostics)
    return [item.message for item in diagnostics]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (WHOLE | {"minimum": 1, "maximum": 1, "default": 1}, []),
        (WHOLE | {"minimum": 2, "maximum": 1}, ["no value satisfies both `minimum: 2` and `maximum: 1`"]),
        (
            WHOLE | {"exclusiveMinimum": 1, "maximum": 1},
            ["no value satisfies both `exclusiveMinimum: 1` and `maximum: 1`"],
        ),
        (TEXT | {"minLength": {}, "maxLength": 1}, []),
        (TEXT | {"minLength": "2", "maxLength": 1, "pattern": 3, "default": "a"}, []),
        (TEXT | {"minLength": 2, "maxLength": 1}, ["no value satisfies both `minLength: 2` and `maxLength: 1`"]),
        (
            {"allOf": [WHOLE | {"minimum": 2}, {"maximum": 1}]},
            ["no value satisfies both `minimum: 2` and `maximum: 1`"],
        ),
        (WHOLE | {"minimum": 2, "default": 1}, ["the default `1` is not what `minimum: 2` allows"]),
        (WHOLE | {"default": "1"}, ["the default `1` is no integer"]),
        (WHOLE | {"default": True}, ["the default `True` is no integer"]),
        ({"type": "number", "default": 1}, []),
        ({"type": ["string", "null"], "default": None}, []),
        ({"enum": ["a", "b"], "default": "c"}, ["the default `c` is none of the strings that the schema lists"]),
        ({"enum": ["a", "b"], "default": "b"}, []),
        (WHOLE | {"enum": [1, 2], "default": 3}, ["the default `3` is not what `enum: [1, 2]` allows"]),
        (
            {"type": "array", "items": TEXT, "maxItems": 1, "default": ["a", "b"]},
            ["the default `['a', 'b']` is not what `maxItems: 1` allows"],
        ),
        ({"oneOf": [TEXT, WHOLE], "default": True}, []),
    ],
)
def test_bounds_and_defaults(schema: Any, expected: list[str]) -> None:
    messages = list_contradictions(schema)
    assert len(messages) == len(expected)
    assert all(line.startswith(start) for line, start in zip(messages, expected, strict=True)), messages
