"""Convert lists of scalars as a whole: a step for each item would take most of the time of a long vector.

Lists that need a check of each item are left to the caller, so that an error or a note names the item.
"""

from __future__ import annotations

import math
import struct
import sys
from array import array
from typing import Any

from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats.numbers import MAX_EXACT, SMALLEST_NORMAL, find_shortest
from spec2proto_codec.plans.types import PLAIN_TYPES, FieldPlan
from spec2proto_codec.values.spelling_notes import Kind, encode_record

_DOUBLE_SIZE = 8


def put(target: Any, item: FieldPlan, values: list[Any]) -> bytes | None:
    """Put JSON values into an empty repeated field at once, if their types allow it; return the note records.

    Return None, with nothing put, if an item needs a check of its own.
    """
    kinds = set(map(type, values))
    if item.kind in {"float", "double"}:
        is_exact = kinds == {float} or (
            kinds <= {float, int} and all(-MAX_EXACT <= value <= MAX_EXACT for value in values)
        )
        return _put_numbers(target, item, values) if is_exact else None
    if item.options.coding or kinds != {PLAIN_TYPES.get(item.kind)}:
        return None
    try:
        target.extend(values)
    except ValueError:
        del target[:]
        return None
    return b""


def _put_numbers(target: Any, item: FieldPlan, values: list[Any]) -> bytes | None:
    try:
        doubles = array("d", values)
        converted = array("f", values).tolist() if item.kind == "float" else doubles.tolist()
    except OverflowError:
        return None
    if list(doubles) != values or not all(-sys.float_info.max <= value <= sys.float_info.max for value in converted):
        return None
    target.extend(converted)
    if item.kind == "double" or _has_short_numbers(values) or _is_reversible(converted, values):
        return b""
    return encode_record(Kind.DOUBLES, item.number, struct.pack(f"<{len(values)}d", *values))


def _has_short_numbers(values: list[Any]) -> bool:
    """Return whether all numbers have at most six digits, which a float32 keeps unless it is subnormal."""
    return all(float(f"{value:.6g}") == value and (value == 0 or abs(value) >= SMALLEST_NORMAL) for value in values)


def _is_reversible(singles: list[float], values: list[Any]) -> bool:
    """Return whether each float32 decodes to its number; stops at the first that does not."""
    return all(find_shortest(single) == value for single, value in zip(singles, values, strict=True))


def read(item: FieldPlan, values: list[Any]) -> list[Any]:
    """Return the JSON values of a list of scalars that no note describes; a float32 in the fewest digits."""
    if item.kind in {"float", "double"} and not all(map(math.isfinite, values)):
        raise CodecError("a number that JSON does not have")
    if item.kind != "float":
        return values
    rounded = [float(f"{value:.6g}") for value in values]
    return [
        short if back == value and (value == 0 or abs(value) >= SMALLEST_NORMAL) else find_shortest(value)
        for value, short, back in zip(values, rounded, array("f", rounded), strict=True)
    ]


def read_doubles(content: bytes, count: int) -> list[float]:
    """Return the numbers that a note of the kind `DOUBLES` holds for the items of a list."""
    if len(content) != count * _DOUBLE_SIZE:
        raise CodecError("a broken spelling note")
    return list(struct.unpack(f"<{count}d", content))
