"""Convert between one JSON value and the value of one scalar field.

A value that does not fit the type raises `CodecError`; integers are exact or refused.
Sources: protobuf guide, scalar types; RFC 4648 (base64), sections 4 and 5.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from decimal import Decimal
from typing import Any

from spec2proto_codec.errors import CodecError, describe
from spec2proto_codec.formats import numbers
from spec2proto_codec.formats.json import check_string, parse, write
from spec2proto_codec.plans.types import Coding, FieldPlan

_RANGES = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}
# No integer type goes beyond; a longer `Decimal` such as 1e999999 would fill the memory as an integer.
_MAX_INTEGER = 2**64
_INTEGER = re.compile(r"[+-]?[0-9]{1,20}")
_BOOLEANS = {"true": True, "false": False}


def encode_scalar(item: FieldPlan, value: Any) -> Any:
    """Convert a JSON value to the value of a field that is no enum, float or message."""
    kind = item.kind
    if kind == "string":
        if item.options.coding == "number":
            if not numbers.is_number(value):
                raise CodecError(f"expected a number, found {describe(value)}")
            return write(value)
        return check_string(value)
    if kind == "bool":
        if type(value) is not bool:
            raise CodecError(f"expected a boolean, found {describe(value)}")
        return value
    return parse_bytes(item.options.coding, value) if kind == "bytes" else check_integer(kind, value)


def decode_scalar(item: FieldPlan, value: Any) -> Any:
    """Convert the value of a field that is no enum or message to its JSON value; infinity has none."""
    kind = item.kind
    if kind in {"float", "double"}:
        if not math.isfinite(value):
            raise CodecError(f"{value} is no JSON number")
        return numbers.find_shortest(value) if kind == "float" else value
    if kind == "bytes":
        return format_bytes(item.options.coding, value)
    if item.options.coding == "number" and kind == "string":
        number = parse(value)
        if not numbers.is_number(number):
            raise CodecError(f"{describe(value)} is no number")
        return number
    return value


def check_integer(kind: str, value: Any) -> int:
    """Return a JSON number as an integer of the type `kind`; 5.0 is 5 (JSON Schema core 2020-12, section 4.2.2)."""
    if (type(value) is float and value.is_integer()) or (type(value) is Decimal and _is_whole(value)):
        value = int(value)
    if type(value) is not int:
        raise CodecError(f"expected an integer, found {describe(value)}")
    low, high = _RANGES[kind]
    if not low <= value <= high:
        raise CodecError(f"{describe(value)} is out of the range of {kind}")
    return value


def _is_whole(value: Decimal) -> bool:
    # `abs` applies Python's decimal context, which raises `Overflow` beyond 1e999999.
    return value.copy_abs() < _MAX_INTEGER and value == value.to_integral_value()


def parse_bytes(coding: Coding, value: Any) -> bytes:
    """Convert a JSON string to the bytes that it represents; refuse what `format_bytes` would not return.

    The coding `raw` stands for the string's UTF-8, and then the value may already be bytes; else it is base64 or
    base64url.
    """
    if coding == "raw" and type(value) is bytes:
        return value
    if type(value) is not str:
        raise CodecError(f"expected a string, found {describe(value)}")
    if coding == "raw":
        return check_string(value).encode()
    try:
        content = base64.b64decode(value.encode("ascii"), b"-_" if coding == "base64url" else None, validate=True)
    except (binascii.Error, UnicodeEncodeError):
        content = None
    if content is None or format_bytes(coding, content) != value:
        raise CodecError(f"{describe(value)} is no {coding or 'base64'}")
    return content


def format_bytes(coding: Coding, value: bytes) -> str:
    """Convert bytes to the JSON string that represents them in a coding; `raw` bytes must be UTF-8."""
    if coding == "raw":
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise CodecError("the bytes are no UTF-8") from None
    return (base64.urlsafe_b64encode(value) if coding == "base64url" else base64.b64encode(value)).decode()


def parse_quoted(item: FieldPlan, value: str) -> Any:
    """Parse a number or boolean that JSON has as a string, as the type of the field."""
    parsed: Any = None
    if item.kind == "bool":
        parsed = _BOOLEANS.get(value)
    elif item.kind in _RANGES:
        parsed = int(value) if _INTEGER.fullmatch(value) else None
    elif numbers.DECIMAL.fullmatch(value):
        parsed = float(value)
    if parsed is None:
        raise CodecError(f"expected a {'boolean' if item.kind == 'bool' else 'number'}, found {describe(value)}")
    return parsed
