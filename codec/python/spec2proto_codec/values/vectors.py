"""Lists of scalars, all items at once: vectors are long, and one step an item would be most of the time.

What does not fit goes item by item, so that the error or the note says which one it is about.
"""

from __future__ import annotations

import struct
import sys
from array import array
from typing import Any

from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats import numbers
from spec2proto_codec.plans.types import FieldPlan
from spec2proto_codec.values.spelling_notes import Kind, encode_record

_PLAIN = {"string": str, "bool": bool, "int32": int, "int64": int, "uint32": int, "uint64": int}
# Integers up to here are exact as a double; larger numbers go item by item where there are integers.
_EXACT = 2**53
_SMALLEST = 2.0**-126
_DOUBLE = 8


def put(target: Any, item: FieldPlan, values: list[Any]) -> bytes | None:
    """Put the values into a repeated field if that is possible at once.

    Args:
        target: the field.
        item: its plan.
        values: what JSON has.

    Returns:
        What is to be noted; None where nothing was put, as some item has to be looked at on its own.
    """
    kinds = set(map(type, values))
    if item.kind in {"float", "double"}:
        plain = kinds == {float} or (kinds <= {float, int} and all(-_EXACT <= value <= _EXACT for value in values))
        return _numbers(target, item, values) if plain else None
    if item.options.coding or kinds != {_PLAIN.get(item.kind)}:
        return None
    try:
        target.extend(values)
    except ValueError:
        del target[:]
        return None
    return b""


def _numbers(target: Any, item: FieldPlan, values: list[Any]) -> bytes | None:
    try:
        exact = array("d", values)
        near = array("f", values).tolist() if item.kind == "float" else exact.tolist()
    except OverflowError:
        return None
    wrong = list(exact) != values or not all(-sys.float_info.max <= value <= sys.float_info.max for value in near)
    if wrong:
        return None
    target.extend(near)
    if item.kind == "double" or _few_digits(values) or _come_back(near, values):
        return b""
    return encode_record(Kind.DOUBLES, item.number, struct.pack(f"<{len(values)}d", *values))


def _few_digits(values: list[Any]) -> bool:
    """Whether a float32 surely gives all of them back: it keeps six digits of any number that is not tiny."""
    return all(float(f"{value:.6g}") == value and (value == 0 or abs(value) >= _SMALLEST) for value in values)


def _come_back(near: list[float], values: list[Any]) -> bool:
    """Whether each float32 gives its number back; where they do not, the first one mostly tells."""
    return all(numbers.find_shortest(single) == value for single, value in zip(near, values, strict=True))


def find_shortest_decimals(values: list[float]) -> list[float]:
    """The numbers with the fewest digits that give each float32 back."""
    found = [float(f"{value:.6g}") for value in values]
    back = array("f", found)
    return [
        short if again == value and (value == 0 or abs(value) >= _SMALLEST) else numbers.find_shortest(value)
        for value, short, again in zip(values, found, back, strict=True)
    ]


def read_doubles(content: bytes, count: int) -> list[float]:
    """The numbers that a note holds for all items of a list.

    Raises:
        CodecError: when it does not hold as many.
    """
    if len(content) != count * _DOUBLE:
        raise CodecError("a broken spelling note")
    return list(struct.unpack(f"<{count}d", content))
