"""Scalars: what each type accepts, and what comes back."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from spec2proto_codec.errors import CodecError
from spec2proto_codec.plans.types import FieldOptions, FieldPlan, Label
from spec2proto_codec.values.scalars import check_integer, decode_scalar, encode_scalar, parse_quoted


def field(kind: str, **options: Any) -> FieldPlan:
    return FieldPlan("item", 1, "property", "item", kind, Label.ONE, FieldOptions(**options))


@pytest.mark.parametrize("value", [5, 5.0, Decimal("5.0"), Decimal("5e0")])
def test_a_whole_number_is_an_integer(value: Any) -> None:
    assert check_integer("int32", value) == 5


@pytest.mark.parametrize("value", [True, 5.5, "5", None, Decimal("1e999999999"), 2**31])
def test_other_values_are_no_integer(value: Any) -> None:
    with pytest.raises(CodecError):
        check_integer("int32", value)


@pytest.mark.parametrize(
    ("item", "value", "content"),
    [
        (field("string"), "é", "é"),
        (field("string", coding="number"), 2**70, str(2**70)),
        (field("bytes", coding="base64url"), "_-8=", b"\xff\xef"),
        (field("bytes"), "/+8=", b"\xff\xef"),
        (field("bytes", coding="raw"), "é", b"\xc3\xa9"),
        (field("bool"), True, True),
    ],
)
def test_a_scalar_comes_back(item: FieldPlan, value: Any, content: Any) -> None:
    assert encode_scalar(item, value) == content
    assert decode_scalar(item, content) == value


@pytest.mark.parametrize(
    ("kind", "text", "value"), [("bool", "false", False), ("int64", "+05", 5), ("double", "1.e2", 100.0)]
)
def test_a_quoted_scalar_is_parsed(kind: str, text: str, value: Any) -> None:
    assert parse_quoted(field(kind, quoted=True), text) == value
    with pytest.raises(CodecError, match=r"expected a (boolean|number)"):
        parse_quoted(field(kind, quoted=True), f"{text}x")
