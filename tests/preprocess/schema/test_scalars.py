"""A scalar type holds every value that its schema allows."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.model.profile.profile import Conversion
from preprocess.schema.scalars import convert_scalar, read_bounds


@pytest.mark.parametrize(
    ("json_type", "schema", "expected"),
    [
        ("boolean", {}, "bool"),
        ("string", {}, "string"),
        ("string", {"format": "date"}, "string"),
        ("string", {"format": "byte"}, "bytes"),
        ("string", {"contentMediaType": "image/png"}, "bytes"),
        ("string", {"contentMediaType": "application/json"}, "string"),
        ("integer", {}, "int64"),
        ("integer", {"minimum": 0, "maximum": 9}, "int32"),
        ("integer", {"format": "int32", "maximum": 2**31}, "int64"),
        ("integer", {"minimum": 0, "maximum": 2**64 - 1}, "uint64"),
        ("integer", {"minimum": -1, "maximum": 2**65}, "string"),
        ("integer", {"format": "uint256"}, "string"),
        ("number", {}, "GeneralNumber"),
        ("number", {"format": "float"}, "float"),
        ("number", {"format": "decimal"}, "string"),
    ],
)
def test_the_scalar_of_a_schema(json_type: str, schema: dict[str, Any], expected: str) -> None:
    assert convert_scalar(json_type, schema, Conversion()).name == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, (None, None)),
        ({"minimum": 0, "exclusiveMinimum": True}, (1, None)),
        ({"exclusiveMinimum": 0, "exclusiveMaximum": 9}, (1, 8)),
        ({"minimum": 3, "exclusiveMinimum": 0, "maximum": "9"}, (3, None)),
    ],
)
def test_bounds_of_both_versions_of_openapi(schema: dict[str, Any], expected: tuple[float, float]) -> None:
    assert read_bounds(schema) == expected
