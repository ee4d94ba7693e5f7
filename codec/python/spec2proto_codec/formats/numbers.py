"""Convert JSON numbers: check them, and find the floats and digits that stand for them exactly.

Numbers keep their value: a float32 has the shortest digits that give it back.
Source: protobuf guide, scalar types.
"""

from __future__ import annotations

import math
import re
import struct
from decimal import Decimal
from typing import Any

from spec2proto_codec.errors import CodecError, shown
from spec2proto_codec.formats.json import MAX_DIGITS

# Integers up to here are exact as a double, and so are their texts.
_EXACT = 2**53
_FLOAT = struct.Struct("<f")
_SMALLEST_NORMAL = 2.0**-126
DECIMAL = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")


def split_decimal(value: Decimal) -> tuple[int, int]:
    """The whole number and the power of ten whose product a decimal is.

    Raises:
        CodecError: when it has more digits than an integer may.
    """
    sign, digits, exponent = value.as_tuple()
    if len(digits) > MAX_DIGITS:
        raise CodecError(f"a number has more than {MAX_DIGITS} digits")
    whole = int("".join(map(str, digits)))
    return -whole if sign else whole, int(exponent)


def is_number(value: Any) -> bool:
    """Whether a value is a JSON number."""
    return (type(value) is float and math.isfinite(value)) or type(value) is int or type(value) is Decimal


def convert_to_double(value: Any) -> float:
    """The double nearest to a number.

    Raises:
        CodecError: when it is no number, or too large.
    """
    if not is_number(value):
        raise CodecError(f"expected a number, found {shown(value)}")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if math.isinf(found):
        raise CodecError("a number is beyond what a double can hold")
    return found


def convert_to_float32(value: Any) -> float:
    """The float32 nearest to a number.

    Raises:
        CodecError: when it is no number, or too large.
    """
    found = _round_to_float32(convert_to_double(value))
    if found is None:
        raise CodecError(f"{shown(value)} is out of the range of float")
    return found


def is_exact(near: float, value: Any) -> bool:
    """Whether a float and its text both are a number, be it an integer or a decimal of many digits."""
    if type(value) is float or (type(value) is int and (near != value or -_EXACT <= value <= _EXACT)):
        return bool(near == value)
    return bool(Decimal(repr(near)) == value)


def _round_to_float32(value: float) -> float | None:
    """The float32 nearest to a double; None beyond the largest."""
    try:
        found: float = _FLOAT.unpack(_FLOAT.pack(value))[0]
    except OverflowError:
        return None
    return found


def find_shortest(value: float) -> float:
    """The number with the fewest digits that gives a float32 back."""
    if value.is_integer() and abs(value) < 2**24:
        return value
    least = 6 if abs(value) >= _SMALLEST_NORMAL else 1
    for digits in range(least, 9):
        found = float(f"{value:.{digits}g}")
        if _round_to_float32(found) == value:
            return found
    return float(f"{value:.9g}")


def is_float32(value: float) -> bool:
    """Whether a float32 has exactly this value, and gives it back."""
    return _round_to_float32(value) == value and find_shortest(value) == value
