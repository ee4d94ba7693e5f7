"""The widest of several types: the one that takes the values of them all, as they stand in a URL."""

from __future__ import annotations

from dataclasses import replace

from preprocess.schema.shapes import GENERAL_NUMBER, STRING, Kind, Shape

_SIGNED = ("int32", "uint32", "int64")
_NUMBERS = frozenset({*_SIGNED, "uint64", "float", "double"})


def widest(shapes: list[Shape]) -> Shape | None:
    """The one shape that takes the values of all; None where there is none.

    A list takes its items, too. Numbers are the wider number, any other texts a string: what stands in a URL is text.
    """
    nullable = any(found.nullable for found in shapes)
    lists = [found for found in shapes if found.kind is Kind.ARRAY]
    if lists:
        inner = widest([found.inner if found.kind is Kind.ARRAY else found for found in shapes])
        single = len(lists) < len(shapes) or any(found.single for found in lists)
        return replace(lists[0], item=inner, single=single, nullable=nullable) if inner else None
    found = shapes[0] if all(found == shapes[0] for found in shapes) else _of_scalars(shapes)
    return replace(found, nullable=nullable) if found else None


def _of_scalars(shapes: list[Shape]) -> Shape | None:
    if any(found.kind not in {Kind.SCALAR, Kind.ENUM} and found != GENERAL_NUMBER for found in shapes):
        return None
    names = {found.name for found in shapes}
    if not names <= {*_NUMBERS, GENERAL_NUMBER.name}:
        return STRING
    if names <= set(_SIGNED):
        return Shape(Kind.SCALAR, "int64", rules=("scalar-types",))
    if names <= {"float", "double"}:
        return Shape(Kind.SCALAR, "double", rules=("scalar-types",))
    return GENERAL_NUMBER
