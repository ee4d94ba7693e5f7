"""CBOR as JSON values: read and write every value that JSON has, and refuse the others.

A float of 32 bits or less becomes the shortest decimal number that converts back to it, as in the JSON of a server. A
byte string becomes base64. Keys of maps are strings, none of them twice. Three tags have a meaning in JSON: big
integers, decimal fractions, and the marker of CBOR.

Source: RFC 8949 (CBOR), sections 3 (encoding), 3.4.3 (big integers), 3.4.4 (decimal fractions), 3.4.6 (self-described
CBOR) and 6 (converting between CBOR and JSON).
"""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from spec2proto_codec.errors import CodecError, call_nested
from spec2proto_codec.formats import json, numbers

SELF_DESCRIBED = b"\xd9\xd9\xf7"
_UNSIGNED, _NEGATIVE, _BYTES, _STRING, _LIST, _MAP, _TAG, _SIMPLE = range(8)
_INDEFINITE, _BREAK = 31, 0xFF
_TAG_BIG, _TAG_BIG_NEGATIVE, _TAG_DECIMAL, _TAG_CBOR = 2, 3, 4, 55799
# The low five bits of the first byte: the count itself up to 23, else the number of bytes that hold the count.
_DIRECT = 24
_LENGTHS = {24: 1, 25: 2, 26: 4, 27: 8}
_FLOAT32 = 26
_FLOATS = {25: ">e", _FLOAT32: ">f", 27: ">d"}
_VALUES = {20: False, 21: True, 22: None}
_PAIR = b"\x82"
# Bytes of the largest integer that is read; it has no more digits than the JSON parser takes.
_MOST_BYTES = int(json.MAX_DIGITS * math.log(10, 256))


def read(content: bytes) -> Any:
    """Return the JSON value of one CBOR item; raise `CodecError` for other bytes, and for an item that JSON lacks."""
    reader = _Reader(content)
    try:
        value = call_nested(reader.read_value)
    except (IndexError, struct.error):
        raise CodecError("no CBOR: it ends too early") from None
    except UnicodeDecodeError:
        raise CodecError("no CBOR: a string is not UTF-8") from None
    if reader.at != len(content):
        raise CodecError(f"no CBOR: it goes on after its end at byte {reader.at}")
    return value


class _Reader:
    """Reads the items of `content` from the byte `at` on."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def read_value(self) -> Any:
        major, info, count = self.read_head()
        return _MAJORS[major](self, info if major == _SIMPLE else count)

    def read_head(self) -> tuple[int, int, int | None]:
        """Return the major type, the low five bits of the first byte, and the count; None for an indefinite length."""
        first = self.content[self.at]
        self.at += 1
        major, info = first >> 5, first & 31
        if info < _DIRECT or major == _SIMPLE:
            return major, info, info
        if info in _LENGTHS:
            return major, info, int.from_bytes(self.take_bytes(_LENGTHS[info]))
        if info != _INDEFINITE:
            raise CodecError(f"no CBOR: byte {self.at - 1} is {first:#04x}")
        return major, info, None

    def take_bytes(self, count: int) -> bytes:
        content = self.content[self.at : self.at + count]
        if len(content) != count:
            raise IndexError
        self.at += count
        return content

    def require_count(self, count: int | None) -> int:
        if count is None:
            raise CodecError(f"no CBOR: a number without its end at byte {self.at - 1}")
        return count

    def skip_break(self) -> bool:
        """Skip the byte that ends an item of indefinite length; return whether it was there."""
        if self.content[self.at] != _BREAK:
            return False
        self.at += 1
        return True

    def read_bytes(self, kind: int, count: int | None) -> bytes:
        if count is not None:
            return self.take_bytes(count)
        parts = []
        while not self.skip_break():
            major, _, length = self.read_head()
            if major != kind or length is None:
                raise CodecError(f"no CBOR: a piece of another type at byte {self.at - 1}")
            parts.append(self.take_bytes(length))
        if kind == _STRING:
            for part in parts:
                part.decode()
        return b"".join(parts)

    def read_list(self, count: int | None) -> Any:
        values: list[Any] = []
        while not self.skip_break() if count is None else len(values) < count:
            values.append(self.read_value())
        return values

    def read_map(self, count: int | None) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        while not self.skip_break() if count is None else len(entries) < count:
            name = self.read_value() if self.content[self.at] >> 5 == _STRING else None
            if name is None:
                raise CodecError(f"a key is no string at byte {self.at}")
            if name in entries:
                raise CodecError(f"the key `{name}` stands twice in one object")
            entries[name] = self.read_value()
        return entries

    def read_tagged(self, count: int | None) -> Any:
        tag = self.require_count(count)
        if tag == _TAG_CBOR:
            return self.read_value()
        if tag in {_TAG_BIG, _TAG_BIG_NEGATIVE}:
            return self.read_big_integer(tag)
        if tag == _TAG_DECIMAL and self.content[self.at] == _PAIR[0]:
            self.at += 1
            exponent, digits = self.read_value(), self.read_value()
            if type(exponent) is int and type(digits) is int:
                return json.parse_decimal(f"{digits}e{exponent}")
        raise CodecError(f"the tag {tag} has no value in JSON")

    def read_big_integer(self, tag: int) -> int:
        major, _, count = self.read_head()
        if major != _BYTES:
            raise CodecError("no CBOR: a big integer is no byte string")
        content = self.read_bytes(_BYTES, count)
        if len(content) > _MOST_BYTES:
            raise CodecError(f"a number has more than {json.MAX_DIGITS} digits")
        number = int.from_bytes(content)
        return number if tag == _TAG_BIG else -1 - number

    def read_simple(self, info: int | None) -> Any:
        if info in _VALUES:
            return _VALUES[info]
        if info is None or info not in _FLOATS:
            raise CodecError(f"the simple value {info} is none of JSON")
        number: float = struct.unpack(_FLOATS[info], self.take_bytes(_LENGTHS[info]))[0]
        if not math.isfinite(number):
            raise CodecError(f"{number} is no JSON number")
        return numbers.find_shortest(number) if info == _FLOAT32 else number


# Indexed by the major type.
_MAJORS: tuple[Callable[[_Reader, int | None], Any], ...] = (
    _Reader.require_count,
    lambda reader, count: -1 - reader.require_count(count),
    lambda reader, count: base64.b64encode(reader.read_bytes(_BYTES, count)).decode(),
    lambda reader, count: reader.read_bytes(_STRING, count).decode(),
    _Reader.read_list,
    _Reader.read_map,
    _Reader.read_tagged,
    _Reader.read_simple,
)


def write(value: Any) -> bytes:
    """Return the CBOR item of a JSON value; raise `CodecError` for a lone surrogate, infinity and NaN."""
    parts: list[bytes] = []
    call_nested(_append_value, parts, value)
    return b"".join(parts)


def _encode_head(major: int, count: int) -> bytes:
    if count < _DIRECT:
        return bytes([major << 5 | count])
    size = next(size for size in (1, 2, 4, 8) if count < 1 << 8 * size)
    return bytes([major << 5 | 23 + size.bit_length()]) + count.to_bytes(size)


def _append_value(parts: list[bytes], value: Any) -> None:
    kind = type(value)
    if kind is dict:
        parts.append(_encode_head(_MAP, len(value)))
        for name, entry in value.items():
            _append_value(parts, name)
            _append_value(parts, entry)
    elif kind is list:
        parts.append(_encode_head(_LIST, len(value)))
        for entry in value:
            _append_value(parts, entry)
    elif kind is str:
        content = json.check_string(value).encode()
        parts += (_encode_head(_STRING, len(content)), content)
    elif kind is bool or value is None:
        parts.append({False: b"\xf4", True: b"\xf5", None: b"\xf6"}[value])
    elif kind is int:
        parts.append(_encode_integer(value))
    else:
        parts.append(_encode_number(value))


def _encode_integer(value: int) -> bytes:
    negative = value < 0
    size = -1 - value if negative else value
    if size < 1 << 64:
        return _encode_head(_NEGATIVE if negative else _UNSIGNED, size)
    content = size.to_bytes((size.bit_length() + 7) // 8)
    return _encode_head(_TAG, _TAG_BIG + negative) + _encode_head(_BYTES, len(content)) + content


def _encode_number(value: float | Decimal) -> bytes:
    if isinstance(value, float):
        return b"\xfb" + struct.pack(">d", numbers.convert_to_double(value))
    whole, exponent = numbers.split_decimal(value)
    return _encode_head(_TAG, _TAG_DECIMAL) + _PAIR + _encode_integer(exponent) + _encode_integer(whole)
