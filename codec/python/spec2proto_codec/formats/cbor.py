"""CBOR as JSON values: each that JSON has, with its value; what JSON has no place for is refused.

A float of 32 bits or less is the number with the fewest digits that gives it back, as a server writes it in JSON; a
byte string is its base64. Maps have texts as keys, none of them twice. Of the tags big integers, decimal fractions and
"this is CBOR" have a meaning in JSON.

Sources: RFC 8949 (CBOR), sections 3 (encoding), 3.4.3 (big integers), 3.4.4 (decimal fractions), 3.4.6 (self-described)
and 6 (converting between CBOR and JSON).
"""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats import json, numbers

SELF_DESCRIBED = b"\xd9\xd9\xf7"
_UNSIGNED, _NEGATIVE, _BYTES, _TEXT, _LIST, _MAP, _TAG, _SIMPLE = range(8)
_INDEFINITE, _BREAK = 31, 0xFF
_TAG_BIG, _TAG_BIG_NEGATIVE, _TAG_DECIMAL, _TAG_CBOR = 2, 3, 4, 55799
_LENGTHS = {24: 1, 25: 2, 26: 4, 27: 8}
_FLOATS = {25: ">e", 26: ">f", 27: ">d"}
_VALUES = {20: False, 21: True, 22: None}
# Bytes of the largest integer that is read; it has no more digits than one in a JSON text.
_MOST = int(json.MAX_DIGITS * math.log(10, 256))


def read(content: bytes) -> Any:
    """The JSON value of one CBOR item.

    Raises:
        CodecError: when the bytes are none, or one that JSON has no value for.
    """
    reader = _Reader(content)
    try:
        found = reader.value()
    except (IndexError, struct.error):
        raise CodecError("no CBOR: it ends too early") from None
    except UnicodeDecodeError:
        raise CodecError("no CBOR: a text is not UTF-8") from None
    except RecursionError:
        raise CodecError("nested too deeply") from None
    if reader.at != len(content):
        raise CodecError(f"no CBOR: it goes on after its end at byte {reader.at}")
    return found


class _Reader:
    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def value(self) -> Any:
        major, info, count = self.head()
        return _MAJORS[major](self, info if major == _SIMPLE else count)

    def head(self) -> tuple[int, int, int | None]:
        """The major type, what follows it in its byte, and the number that it has; None where none is given."""
        first = self.content[self.at]
        self.at += 1
        major, info = first >> 5, first & 31
        if info < 24 or major == _SIMPLE:  # noqa: PLR2004 - the number itself
            return major, info, info
        if info in _LENGTHS:
            return major, info, int.from_bytes(self.take(_LENGTHS[info]))
        if info != _INDEFINITE:
            raise CodecError(f"no CBOR: byte {self.at - 1} is {first:#04x}")
        return major, info, None

    def take(self, count: int) -> bytes:
        found = self.content[self.at : self.at + count]
        if len(found) != count:
            raise IndexError
        self.at += count
        return found

    def definite(self, count: int | None) -> int:
        if count is None:
            raise CodecError(f"no CBOR: a number without its end at byte {self.at - 1}")
        return count

    def ends(self) -> bool:
        """Whether what has no length ends here."""
        if self.content[self.at] != _BREAK:
            return False
        self.at += 1
        return True

    def string(self, kind: int, count: int | None) -> bytes:
        if count is not None:
            return self.take(count)
        parts = []
        while not self.ends():
            major, _, length = self.head()
            if major != kind or length is None:
                raise CodecError(f"no CBOR: a piece of another type at byte {self.at - 1}")
            parts.append(self.take(length))
        if kind == _TEXT:
            for part in parts:
                part.decode()
        return b"".join(parts)

    def list(self, count: int | None) -> Any:
        found: list[Any] = []
        while not self.ends() if count is None else len(found) < count:
            found.append(self.value())
        return found

    def map(self, count: int | None) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not self.ends() if count is None else len(found) < count:
            name = self.value() if self.content[self.at] >> 5 == _TEXT else None
            if name is None:
                raise CodecError(f"a key is no text at byte {self.at}")
            if name in found:
                raise CodecError(f"the key `{name}` stands twice in one object")
            found[name] = self.value()
        return found

    def tagged(self, count: int | None) -> Any:
        tag = self.definite(count)
        if tag == _TAG_CBOR:
            return self.value()
        if tag in {_TAG_BIG, _TAG_BIG_NEGATIVE}:
            return self.big(tag)
        if tag == _TAG_DECIMAL and self.content[self.at] == 0x82:  # noqa: PLR2004 - a list of two
            self.at += 1
            exponent, digits = self.value(), self.value()
            if type(exponent) is int and type(digits) is int:
                return json.decimal(f"{digits}e{exponent}")
        raise CodecError(f"the tag {tag} has no value in JSON")

    def big(self, tag: int) -> int:
        major, _, count = self.head()
        if major != _BYTES:
            raise CodecError("no CBOR: a big integer is no byte string")
        content = self.string(_BYTES, count)
        if len(content) > _MOST:
            raise CodecError(f"a number has more than {json.MAX_DIGITS} digits")
        found = int.from_bytes(content)
        return found if tag == _TAG_BIG else -1 - found

    def simple(self, info: int | None) -> Any:
        if info in _VALUES:
            return _VALUES[info]
        if info is None or info not in _FLOATS:
            raise CodecError(f"the simple value {info} is none of JSON")
        found: float = struct.unpack(_FLOATS[info], self.take(_LENGTHS[info]))[0]
        if not math.isfinite(found):
            raise CodecError(f"{found} is no JSON number")
        return numbers.find_shortest(found) if info == 26 else found  # noqa: PLR2004 - a float32


# By their numbers, which are above.
_MAJORS: tuple[Callable[[_Reader, int | None], Any], ...] = (
    _Reader.definite,
    lambda reader, count: -1 - reader.definite(count),
    lambda reader, count: base64.b64encode(reader.string(_BYTES, count)).decode(),
    lambda reader, count: reader.string(_TEXT, count).decode(),
    _Reader.list,
    _Reader.map,
    _Reader.tagged,
    _Reader.simple,
)


def write(value: Any) -> bytes:
    """The CBOR item of a JSON value.

    Raises:
        CodecError: when it holds a text that UTF-8 cannot write, or a number that JSON does not have.
    """
    found: list[bytes] = []
    try:
        _put(found, value)
    except RecursionError:
        raise CodecError("nested too deeply") from None
    return b"".join(found)


def _head(major: int, count: int) -> bytes:
    if count < 24:  # noqa: PLR2004 - the number itself
        return bytes([major << 5 | count])
    size = next(size for size in (1, 2, 4, 8) if count < 1 << 8 * size)
    return bytes([major << 5 | 23 + size.bit_length()]) + count.to_bytes(size)


def _put(found: list[bytes], value: Any) -> None:
    kind = type(value)
    if kind is dict:
        found.append(_head(_MAP, len(value)))
        for name, entry in value.items():
            _put(found, name)
            _put(found, entry)
    elif kind is list:
        found.append(_head(_LIST, len(value)))
        for entry in value:
            _put(found, entry)
    elif kind is str:
        content = json.check_string(value).encode()
        found += (_head(_TEXT, len(content)), content)
    elif kind is bool or value is None:
        found.append({False: b"\xf4", True: b"\xf5", None: b"\xf6"}[value])
    elif kind is int:
        found.append(_integer(value))
    else:
        found.append(_number(value))


def _integer(value: int) -> bytes:
    negative = value < 0
    size = -1 - value if negative else value
    if size < 1 << 64:
        return _head(_NEGATIVE if negative else _UNSIGNED, size)
    content = size.to_bytes((size.bit_length() + 7) // 8)
    return _head(_TAG, _TAG_BIG + negative) + _head(_BYTES, len(content)) + content


def _number(value: float | Decimal) -> bytes:
    if isinstance(value, float):
        return b"\xfb" + struct.pack(">d", numbers.convert_to_double(value))
    whole, exponent = numbers.split_decimal(value)
    return _head(_TAG, _TAG_DECIMAL) + b"\x82" + _integer(exponent) + _integer(whole)
