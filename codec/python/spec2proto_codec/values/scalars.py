"""Scalars: one JSON value as one protobuf value, and back.

Numbers keep their value: an integer is exact or refused, a float32 has the shortest digits that give it back.
Sources: protobuf guide, scalar types; RFC 4648 (base64), sections 4 and 5.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from decimal import Decimal
from typing import Any

from spec2proto_codec.errors import CodecError, shown
from spec2proto_codec.formats import numbers
from spec2proto_codec.formats.json import check_string, parse, write
from spec2proto_codec.plans.types import FieldPlan

_RANGES = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}
# No integer type goes beyond; a `Decimal` may have more digits than memory as an integer.
_LARGEST = 2**64
_INTEGER = re.compile(r"[+-]?[0-9]{1,20}")


def check_integer(kind: str, value: Any) -> int:
    """An integer in the range of its type; `5.0` is the integer 5 (JSON Schema core 2020-12, section 4.2.2).

    Raises:
        CodecError: when it is none, or out of range.
    """
    if (type(value) is float and value.is_integer()) or (type(value) is Decimal and _is_whole(value)):
        value = int(value)
    if type(value) is not int:
        raise CodecError(f"expected an integer, found {shown(value)}")
    low, high = _RANGES[kind]
    if not low <= value <= high:
        raise CodecError(f"{shown(value)} is out of the range of {kind}")
    return value


def _is_whole(value: Decimal) -> bool:
    return abs(value) < _LARGEST and value == value.to_integral_value()


def parse_bytes(coding: str, value: Any) -> bytes:
    """The bytes that a value stands for.

    Raises:
        CodecError: when they would not give the value back.
    """
    if coding == "raw" and type(value) is bytes:
        return value
    if type(value) is not str:
        raise CodecError(f"expected a string, found {shown(value)}")
    if coding == "raw":
        return check_string(value).encode()
    try:
        found = base64.b64decode(value.encode("ascii"), b"-_" if coding == "base64url" else None, validate=True)
    except (binascii.Error, UnicodeEncodeError):
        found = None
    if found is None or format_bytes(coding, found) != value:
        name = coding or "base64"
        raise CodecError(f"{shown(value)} is no {name}")
    return found


def format_bytes(coding: str, value: bytes) -> Any:
    """What bytes stand for.

    Raises:
        CodecError: when they stand for nothing.
    """
    if coding == "raw":
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise CodecError("the bytes are no text") from None
    return (base64.urlsafe_b64encode(value) if coding == "base64url" else base64.b64encode(value)).decode()


def encode_scalar(item: FieldPlan, value: Any) -> Any:
    """The value that a field other than an enum, a float or a message gets.

    Raises:
        CodecError: when the field cannot hold it.
    """
    kind = item.kind
    if kind == "string":
        if item.options.coding == "number":
            if not numbers.is_number(value):
                raise CodecError(f"expected a number, found {shown(value)}")
            return write(value)
        return check_string(value)
    if kind == "bool":
        if type(value) is not bool:
            raise CodecError(f"expected a boolean, found {shown(value)}")
        return value
    return parse_bytes(item.options.coding, value) if kind == "bytes" else check_integer(kind, value)


def parse_quoted(item: FieldPlan, value: str) -> Any:
    """The number or boolean that a text stands for.

    Raises:
        CodecError: when it stands for none of the field's type.
    """
    if item.kind == "bool":
        found: Any = {"true": True, "false": False}.get(value)
    elif item.kind in _RANGES:
        found = int(value) if _INTEGER.fullmatch(value) else None
    else:
        found = float(value) if numbers.DECIMAL.fullmatch(value) else None
    if found is None:
        raise CodecError(f"expected a {'boolean' if item.kind == 'bool' else 'number'}, found {shown(value)}")
    return found


def decode_scalar(item: FieldPlan, value: Any) -> Any:
    """What the value of a field other than an enum or a message is in JSON.

    Raises:
        CodecError: when it stands for nothing.
    """
    kind = item.kind
    if kind == "float":
        return numbers.find_shortest(value) if math.isfinite(value) else _no_number(value)
    if kind == "double":
        return value if math.isfinite(value) else _no_number(value)
    if kind == "bytes":
        return format_bytes(item.options.coding, value)
    if item.options.coding == "number" and kind == "string":
        found = parse(value)
        if not numbers.is_number(found):
            raise CodecError(f"{shown(value)} is no number")
        return found
    return value


def _no_number(value: float) -> Any:
    raise CodecError(f"{value} is no JSON number")
