"""Check JSON numbers, and convert them to floats and decimals of the same value.

A float32 becomes the number with the fewest digits that converts back to it.
Source: protobuf guide, scalar types.
"""

from __future__ import annotations

import math
import re
import struct
from decimal import Decimal
from typing import Any

from spec2proto_codec.errors import CodecError, describe
from spec2proto_codec.formats.json import MAX_DIGITS

# Up to here a double holds every integer, and its digits are those of the integer.
MAX_EXACT = 2**53
MAX_EXACT_FLOAT32 = 2**24
_FLOAT = struct.Struct("<f")
SMALLEST_NORMAL = 2.0**-126
DECIMAL = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")


def split_decimal(value: Decimal) -> tuple[int, int]:
    """Return an integer and an exponent of ten whose product is the decimal; raise `CodecError` over 4,300 digits."""
    sign, digits, exponent = value.as_tuple()
    if len(digits) > MAX_DIGITS:
        raise CodecError(f"a number has more than {MAX_DIGITS} digits")
    whole = int("".join(map(str, digits)))
    return -whole if sign else whole, int(exponent)


def is_number(value: Any) -> bool:
    """Return whether a value is a JSON number."""
    return (type(value) is float and math.isfinite(value)) or type(value) is int or type(value) is Decimal


def convert_to_double(value: Any) -> float:
    """Return the double nearest to a number. Raise `CodecError` if it is no number, or too large."""
    if not is_number(value):
        raise CodecError(f"expected a number, found {describe(value)}")
    try:
        near = float(value)
    except OverflowError:
        near = math.inf
    if math.isinf(near):
        raise CodecError("a number is beyond what a double can hold")
    return near


def convert_to_float32(value: Any) -> float:
    """Return the float32 nearest to a number. Raise `CodecError` if it is no number, or too large."""
    near = _round_to_float32(convert_to_double(value))
    if near is None:
        raise CodecError(f"{describe(value)} is out of the range of float")
    return near


def is_exact(near: float, value: Any) -> bool:
    """Return whether the float `near` and the decimal digits that Python prints for it both equal a number."""
    if type(value) is float or (type(value) is int and (near != value or -MAX_EXACT <= value <= MAX_EXACT)):
        return bool(near == value)
    return bool(Decimal(repr(near)) == value)


def _round_to_float32(value: float) -> float | None:
    """Return the float32 nearest to a double; None beyond the largest float32."""
    try:
        near: float = _FLOAT.unpack(_FLOAT.pack(value))[0]
    except OverflowError:
        return None
    return near


def find_shortest(value: float) -> float:
    """Return the number with the fewest digits that rounds to this float32."""
    if value.is_integer() and abs(value) < MAX_EXACT_FLOAT32:
        return value
    least = 6 if abs(value) >= SMALLEST_NORMAL else 1
    for digits in range(least, 9):
        near = float(f"{value:.{digits}g}")
        if _round_to_float32(near) == value:
            return near
    return float(f"{value:.9g}")


def is_float32(value: float) -> bool:
    """Return whether a float32 holds exactly this value, and `find_shortest` returns it."""
    return _round_to_float32(value) == value and find_shortest(value) == value
