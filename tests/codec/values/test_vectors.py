"""Vectors: lists that are converted at once, and those that need a check of each item."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats.numbers import convert_to_float32, find_shortest
from spec2proto_codec.plans.types import FieldOptions, FieldPlan, Label
from spec2proto_codec.values.vectors import put, read, read_doubles


def list_field(kind: str) -> FieldPlan:
    return FieldPlan("item", 1, "property", "item", kind, Label.LIST, FieldOptions())


def convert(kind: str, values: list[Any]) -> tuple[bytes | None, list[Any]]:
    target: list[Any] = []
    records = put(target, list_field(kind), values)
    return records, target


@pytest.mark.parametrize(
    ("kind", "values"), [("double", [0.1, 2]), ("float", [0.5, 1, 0.123456]), ("string", ["a", ""]), ("bool", [True])]
)
def test_a_usual_list_is_put_at_once(kind: str, values: list[Any]) -> None:
    records, target = convert(kind, values)
    assert records == b""
    assert target == pytest.approx(values) if kind == "float" else target == values


@pytest.mark.parametrize(
    ("kind", "values"),
    [("double", [2**53 + 1]), ("double", [None]), ("float", [1e39]), ("int32", [1, True]), ("string", ["a", 1])],
)
def test_an_unusual_list_is_left_to_the_caller(kind: str, values: list[Any]) -> None:
    assert convert(kind, values) == (None, [])


def test_digits_that_a_float_loses_are_noted() -> None:
    records, _ = convert("float", [0.1234567890123, 1.0])
    assert records is not None
    assert read_doubles(records[-16:], 2) == [0.1234567890123, 1.0]
    with pytest.raises(CodecError, match="a broken spelling note"):
        read_doubles(records[-16:], 3)


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False)))
def test_the_shortest_decimals_convert_back(singles: list[float]) -> None:
    decimals = read(list_field("float"), singles)
    assert decimals == [find_shortest(single) for single in singles]
    assert [convert_to_float32(decimal) for decimal in decimals] == singles
