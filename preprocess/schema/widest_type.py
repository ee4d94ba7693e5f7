"""Find the widest of several types: the one that holds the values of all of them, as a URL writes them."""

from __future__ import annotations

from dataclasses import replace

from preprocess.schema.scalars import RULE_SCALAR
from preprocess.schema.shapes import GENERAL_NUMBER, STRING, Kind, Shape

_SIGNED = frozenset({"int32", "uint32", "int64"})
_NUMBERS = _SIGNED | {"uint64", "float", "double"}


def find_widest(shapes: list[Shape]) -> Shape | None:
    """Return the shape that holds the values of all shapes; None if there is none.

    An array also holds its single items. Numbers widen to a larger number type. Any other mix of scalars and enums is
    a string, because a URL contains only strings.
    """
    nullable = any(shape.nullable for shape in shapes)
    arrays = [shape for shape in shapes if shape.kind is Kind.ARRAY]
    if arrays:
        inner = find_widest([shape.inner if shape.kind is Kind.ARRAY else shape for shape in shapes])
        single = len(arrays) < len(shapes) or any(shape.single for shape in arrays)
        return replace(arrays[0], item=inner, single=single, nullable=nullable) if inner else None
    equal = all(shape == shapes[0] for shape in shapes)
    widest = shapes[0] if equal else _widen_scalars(shapes)
    return replace(widest, nullable=nullable) if widest else None


def _widen_scalars(shapes: list[Shape]) -> Shape | None:
    """Return the widest of different scalars and enums; None if another kind of shape is among them."""
    if any(shape.kind not in {Kind.SCALAR, Kind.ENUM} and shape != GENERAL_NUMBER for shape in shapes):
        return None
    names = {shape.name for shape in shapes}
    if not names <= _NUMBERS | {GENERAL_NUMBER.name}:
        return STRING
    if names <= _SIGNED:
        return Shape(Kind.SCALAR, "int64", rules=(RULE_SCALAR,))
    if names <= {"float", "double"}:
        return Shape(Kind.SCALAR, "double", rules=(RULE_SCALAR,))
    return GENERAL_NUMBER
