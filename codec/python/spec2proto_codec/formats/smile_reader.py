"""Read SMILE as JSON values.

A float of 32 bits becomes the number with the fewest digits that converts back to it, as a server writes it in JSON.
Binary data becomes base64. A name or short string may be written as a reference to an earlier one, of up to 1,024.

Source: the Smile data format specification, version 1.0.7 (header, value tokens, key tokens, shared names and strings).
"""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Callable
from typing import Any

from spec2proto_codec.errors import CodecError, call_nested
from spec2proto_codec.formats import json, numbers

HEADER = b":)\n"
END = 0xFF
MOST_SHARED = 1024
_SHARED_NAMES, _SHARED_STRINGS, _VERSION = 1, 2, 0xF0
_LIST, _LIST_END, _OBJECT, _OBJECT_END = 0xF8, 0xF9, 0xFA, 0xFB
_EMPTY_NAME, _LONG_NAME, _END_OF_STRING = 0x20, 0x34, 0xFC
# The first token of each range of key tokens.
_LONG_REFERENCES, _SHORT_REFERENCES, _ASCII_NAMES, _UNICODE_NAMES, _AFTER_NAMES = 0x30, 0x40, 0x80, 0xC0, 0xF8
_UNICODE_STRINGS = 0x80
# The bit that ends a number, and that a piece of seven bits does not have.
_LAST_BYTE = 0x80
_VALUES = {0x20: "", 0x21: None, 0x22: False, 0x23: True}
# Bytes of the largest integer that is read; it has no more digits than the JSON parser takes.
_MOST_BYTES = int(json.MAX_DIGITS * math.log(10, 256))


def read(content: bytes) -> Any:
    """Return the JSON value of one SMILE document; raise `CodecError` for other bytes, infinity and NaN."""
    value, end = _read_document(content, 0)
    if content[end:].strip(bytes([END])):
        raise CodecError(f"no SMILE: it goes on after its end at byte {end}")
    return value


def read_all(content: bytes) -> list[Any]:
    """Return the JSON values of SMILE documents that follow each other; errors begin with the number of the value."""
    values: list[Any] = []
    at = 0
    while at < len(content):
        if content[at] == END:
            at += 1
            continue
        try:
            value, at = _read_document(content, at)
        except CodecError as error:
            raise error.add_step(len(values)) from None
        values.append(value)
    return values


def _read_document(content: bytes, at: int) -> tuple[Any, int]:
    reader = _Reader(content, at)
    try:
        return call_nested(reader.read_value, reader.take_byte()), reader.at
    except IndexError:
        raise CodecError("no SMILE: it ends too early") from None
    except UnicodeDecodeError:
        raise CodecError("no SMILE: a string is not UTF-8") from None


class _Reader:
    """Reads one document, beginning with its header."""

    def __init__(self, content: bytes, at: int) -> None:
        self.content = content
        self.at = at + len(HEADER) + 1
        if content[at : self.at - 1] != HEADER or len(content) < self.at or content[self.at - 1] & _VERSION:
            raise CodecError(f"no SMILE: no header of version 0 at byte {at}")
        flags = content[self.at - 1]
        self.names: list[str] | None = [] if flags & _SHARED_NAMES else None
        self.strings: list[str] | None = [] if flags & _SHARED_STRINGS else None

    def take_bytes(self, count: int) -> bytes:
        content = self.content[self.at : self.at + count]
        if len(content) != count:
            raise IndexError
        self.at += count
        return content

    def take_byte(self) -> int:
        byte = self.content[self.at]
        self.at += 1
        return byte

    def read_value(self, token: int) -> Any:
        read_token = _TOKENS.get(token)
        if read_token is None:
            raise self.build_error(token)
        return read_token(self, token)

    def build_error(self, token: int) -> CodecError:
        return CodecError(f"no SMILE: byte {self.at - 1} is {token:#04x}")

    def read_short_string(self, token: int) -> str:
        """Return a string of up to 64 bytes: ASCII has at least one byte, other strings have at least two."""
        least = 1 if token < _UNICODE_STRINGS else 2
        return self.share(self.strings, self.take_bytes((token & 0x3F) + least).decode())

    def read_long_string(self) -> str:
        end = self.content.find(_END_OF_STRING, self.at)
        if end < 0:
            raise IndexError
        text = self.content[self.at : end].decode()
        self.at = end + 1
        return text

    def share(self, shared: list[str] | None, text: str) -> str:
        """Number a name or string, so that later ones may refer to it."""
        if shared is not None:
            if len(shared) == MOST_SHARED:
                shared.clear()
            shared.append(text)
        return text

    def resolve(self, shared: list[str] | None, number: int) -> str:
        if shared is None or number >= len(shared):
            raise CodecError(f"no SMILE: a reference to nothing at byte {self.at - 1}")
        return shared[number]

    def read_list(self, _: int) -> Any:
        values = []
        while (token := self.take_byte()) != _LIST_END:
            values.append(self.read_value(token))
        return values

    def read_object(self, _: int) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        while (token := self.take_byte()) != _OBJECT_END:
            name = self.read_name(token)
            if name in entries:
                raise CodecError(f"the key `{name}` stands twice in one object")
            entries[name] = self.read_value(self.take_byte())
        return entries

    def read_name(self, token: int) -> str:
        if _SHORT_REFERENCES <= token < _ASCII_NAMES:
            return self.resolve(self.names, token - _SHORT_REFERENCES)
        if _ASCII_NAMES <= token < _UNICODE_NAMES:
            return self.share(self.names, self.take_bytes(token - _ASCII_NAMES + 1).decode())
        if _UNICODE_NAMES <= token < _AFTER_NAMES:
            return self.share(self.names, self.take_bytes(token - _UNICODE_NAMES + 2).decode())
        if token == _EMPTY_NAME:
            return ""
        if token == _LONG_NAME:
            return self.share(self.names, self.read_long_string())
        if _LONG_REFERENCES <= token < _LONG_NAME:
            return self.resolve(self.names, (token & 3) << 8 | self.take_byte())
        raise self.build_error(token)

    def read_varint(self) -> int:
        """Return a number of seven bits a byte, the highest first, and six bits in the last byte."""
        number = 0
        for _ in range(10):
            byte = self.take_byte()
            if byte & _LAST_BYTE:
                return number << 6 | byte & 0x3F
            number = number << 7 | byte
        raise CodecError(f"no SMILE: a number without its end at byte {self.at}")

    def read_signed(self) -> int:
        return _decode_zigzag(self.read_varint())

    def read_septets(self) -> bytes:
        """Return bytes that are stored in pieces of seven bits; the last piece holds the remaining bits."""
        count = self.read_varint()
        content = self.take_bytes((8 * count + 6) // 7)
        if max(content, default=0) >= _LAST_BYTE:
            raise CodecError(f"no SMILE: a piece of more than seven bits before byte {self.at}")
        starts = range(0, len(content), 8)
        return b"".join(
            _pack_septets(content[at : at + 8], min(7, count - 7 * index)) for index, at in enumerate(starts)
        )

    def read_big_integer(self) -> int:
        content = self.read_septets()
        if len(content) > _MOST_BYTES:
            raise CodecError(f"a number has more than {json.MAX_DIGITS} digits")
        return int.from_bytes(content, signed=True)

    def read_decimal(self, _: int) -> Any:
        scale = self.read_signed()
        return json.parse_decimal(f"{self.read_big_integer()}e{-scale}")

    def read_float(self, form: str, count: int) -> float:
        """Return a number of IEEE 754 that is stored in pieces of seven bits, the highest first."""
        whole = _join_septets(self.take_bytes(count)) & (1 << 8 * struct.calcsize(form)) - 1
        number: float = struct.unpack(form, whole.to_bytes(struct.calcsize(form)))[0]
        if not math.isfinite(number):
            raise CodecError(f"{number} is no JSON number")
        return number


def _decode_zigzag(number: int) -> int:
    return number >> 1 ^ -(number & 1)


def _join_septets(pieces: bytes) -> int:
    number = 0
    for piece in pieces:
        number = number << 7 | piece
    return number


def _pack_septets(pieces: bytes, count: int) -> bytes:
    """Return `count` bytes from pieces of seven bits."""
    last_bits = 8 * count - 7 * (len(pieces) - 1)
    return (_join_septets(pieces[:-1]) << last_bits | pieces[-1] & (1 << last_bits) - 1).to_bytes(count)


_TOKENS: dict[int, Callable[[_Reader, int], Any]] = {
    **dict.fromkeys(range(0x01, 0x20), lambda reader, token: reader.resolve(reader.strings, token - 1)),
    **dict.fromkeys(_VALUES, lambda _, token: _VALUES[token]),
    **dict.fromkeys((0x24, 0x25), lambda reader, _: reader.read_signed()),
    0x26: lambda reader, _: reader.read_big_integer(),
    0x28: lambda reader, _: numbers.find_shortest(reader.read_float(">f", 5)),
    0x29: lambda reader, _: reader.read_float(">d", 10),
    0x2A: _Reader.read_decimal,
    **dict.fromkeys(range(0x40, 0xC0), _Reader.read_short_string),
    **dict.fromkeys(range(0xC0, 0xE0), lambda _, token: _decode_zigzag(token & 0x1F)),
    **dict.fromkeys((0xE0, 0xE4), lambda reader, _: reader.read_long_string()),
    0xE8: lambda reader, _: base64.b64encode(reader.read_septets()).decode(),
    **dict.fromkeys(
        range(0xEC, 0xF0), lambda reader, token: reader.resolve(reader.strings, (token & 3) << 8 | reader.take_byte())
    ),
    _LIST: _Reader.read_list,
    _OBJECT: _Reader.read_object,
    0xFD: lambda reader, _: base64.b64encode(reader.take_bytes(reader.read_varint())).decode(),
}
