"""The widest of several types holds the values of all of them."""

from __future__ import annotations

import pytest

from preprocess.operations.parameters import find_widest
from preprocess.schema.shapes import GENERAL_NUMBER, STRING, Kind, Shape


def scalar(name: str) -> Shape:
    return Shape(Kind.SCALAR, name)


def array(item: Shape) -> Shape:
    return Shape(Kind.ARRAY, item=item)


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        ([scalar("int32"), scalar("int32")], scalar("int32")),
        ([scalar("int32"), scalar("int64")], scalar("int64")),
        ([scalar("float"), scalar("double")], scalar("double")),
        ([scalar("int32"), scalar("float")], GENERAL_NUMBER),
        ([scalar("int32"), scalar("bool")], STRING),
        ([Shape(Kind.ENUM, "E"), scalar("string")], STRING),
        ([array(scalar("int32")), scalar("int64")], array(scalar("int64"))),
        ([Shape(Kind.MESSAGE, "M"), STRING], None),
        ([array(Shape(Kind.MESSAGE, "M")), STRING], None),
    ],
)
def test_the_widest_type(shapes: list[Shape], expected: Shape | None) -> None:
    assert find_widest(shapes) == expected


def test_an_array_also_holds_a_single_item_and_null() -> None:
    widest = find_widest([array(STRING), Shape(Kind.SCALAR, "string", nullable=True)])
    assert widest is not None
    assert (widest.single, widest.nullable) == (True, True)
