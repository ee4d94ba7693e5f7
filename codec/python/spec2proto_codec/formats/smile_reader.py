"""SMILE as JSON values: each that JSON has, with its value.

A float of 32 bits is the number with the fewest digits that gives it back, as a server writes it in JSON; binary data
is its base64. Names and short texts that were seen may be written as references to them, of which there are up to
1,024.

Source: the Smile data format specification, version 1.0.7 (header, value tokens, key tokens, shared names and texts).
"""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Callable
from typing import Any

from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats import json, numbers

HEADER = b":)\n"
END = 0xFF
_SHARED_NAMES, _SHARED_TEXTS, _VERSION = 1, 2, 0xF0
_MOST_SHARED = 1024
_UNICODE = 0x80
_EMPTY, _LONG_NAME, _END_OF_TEXT, _LIST, _LIST_END, _OBJECT, _OBJECT_END = 0x20, 0x34, 0xFC, 0xF8, 0xF9, 0xFA, 0xFB
_VALUES = {0x20: "", 0x21: None, 0x22: False, 0x23: True}
# Bytes of the largest integer that is read; it has no more digits than one in a JSON text.
_MOST = int(json.MAX_DIGITS * math.log(10, 256))


def read(content: bytes) -> Any:
    """The JSON value of one SMILE document.

    Raises:
        CodecError: when the bytes are none, or one that JSON has no value for.
    """
    value, end = _read(content, 0)
    if content[end:].strip(bytes([END])):
        raise CodecError(f"no SMILE: it goes on after its end at byte {end}")
    return value


def read_all(content: bytes) -> list[Any]:
    """The JSON values of SMILE documents, one after the other.

    Raises:
        CodecError: as above, with the number of the value.
    """
    values: list[Any] = []
    at = 0
    while at < len(content):
        if content[at] == END:
            at += 1
            continue
        try:
            value, at = _read(content, at)
        except CodecError as error:
            raise error.at(len(values)) from None
        values.append(value)
    return values


def _read(content: bytes, at: int) -> tuple[Any, int]:
    """The value of the document that begins at a place, and the place after it."""
    reader = _Reader(content, at)
    try:
        return reader.value(reader.take(1)[0]), reader.at
    except IndexError:
        raise CodecError("no SMILE: it ends too early") from None
    except UnicodeDecodeError:
        raise CodecError("no SMILE: a text is not UTF-8") from None
    except RecursionError:
        raise CodecError("nested too deeply") from None


class _Reader:
    """Reads one document, from its header on."""

    def __init__(self, content: bytes, at: int) -> None:
        self.content = content
        self.at = at + len(HEADER) + 1
        if content[at : self.at - 1] != HEADER or len(content) < self.at or content[self.at - 1] & _VERSION:
            raise CodecError(f"no SMILE: no header of version 0 at byte {at}")
        flags = content[self.at - 1]
        self.names: list[str] | None = [] if flags & _SHARED_NAMES else None
        self.texts: list[str] | None = [] if flags & _SHARED_TEXTS else None

    def take(self, count: int) -> bytes:
        found = self.content[self.at : self.at + count]
        if len(found) != count:
            raise IndexError
        self.at += count
        return found

    def value(self, token: int) -> Any:
        """The value that begins with a token."""
        read = _TOKENS.get(token)
        if read is None:
            raise self.broken(token)
        return read(self, token)

    def short(self, token: int) -> str:
        """A text of up to 64 bytes, of ASCII alone from one byte on, else from two."""
        return self.shared(self.texts, self.take((token & 0x3F) + (1 if token < _UNICODE else 2)).decode())

    def items(self, _: int) -> Any:
        found = []
        while (token := self.take(1)[0]) != _LIST_END:
            found.append(self.value(token))
        return found

    def broken(self, token: int) -> CodecError:
        return CodecError(f"no SMILE: byte {self.at - 1} is {token:#04x}")

    def shared(self, seen: list[str] | None, text: str) -> str:
        """A text, which may be referred to from now on."""
        if seen is not None:
            if len(seen) == _MOST_SHARED:
                seen.clear()
            seen.append(text)
        return text

    def seen(self, seen: list[str] | None, number: int) -> str:
        if seen is None or number >= len(seen):
            raise CodecError(f"no SMILE: a reference to what was not seen at byte {self.at - 1}")
        return seen[number]

    def object(self, _: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while (token := self.take(1)[0]) != _OBJECT_END:
            name = self.name(token)
            if name in found:
                raise CodecError(f"the key `{name}` stands twice in one object")
            found[name] = self.value(self.take(1)[0])
        return found

    def name(self, token: int) -> str:
        if 0x40 <= token < 0x80:  # noqa: PLR2004 - references
            return self.seen(self.names, token - 0x40)
        if 0x80 <= token < 0xC0:  # noqa: PLR2004 - ASCII
            return self.shared(self.names, self.take(token - 0x7F).decode())
        if 0xC0 <= token < 0xF8:  # noqa: PLR2004 - Unicode
            return self.shared(self.names, self.take(token - 0xBE).decode())
        if token == _EMPTY:
            return ""
        if token == _LONG_NAME:
            return self.shared(self.names, self.long())
        if 0x30 <= token < _LONG_NAME:  # noqa: PLR2004 - long references
            return self.seen(self.names, (token & 3) << 8 | self.take(1)[0])
        raise self.broken(token)

    def long(self) -> str:
        """A text up to its end mark."""
        end = self.content.find(_END_OF_TEXT, self.at)
        if end < 0:
            raise IndexError
        found = self.content[self.at : end].decode()
        self.at = end + 1
        return found

    def varint(self) -> int:
        """A number of seven bits a byte, the highest first, and six bits in the last one."""
        found = 0
        for _ in range(10):
            byte = self.take(1)[0]
            if byte & 0x80:
                return found << 6 | byte & 0x3F
            found = found << 7 | byte
        raise CodecError(f"no SMILE: a number without its end at byte {self.at}")

    def sevens(self) -> bytes:
        """Bytes in pieces of seven bits; the last one holds those that are left."""
        count = self.varint()
        content = self.take((8 * count + 6) // 7)
        if max(content, default=0) >= _UNICODE:
            raise CodecError(f"no SMILE: a piece of more than seven bits before byte {self.at}")
        found = [
            _packed(content[at : at + 8], min(7, count - 7 * index))
            for index, at in enumerate(range(0, len(content), 8))
        ]
        return b"".join(found)

    def big(self) -> int:
        content = self.sevens()
        if len(content) > _MOST:
            raise CodecError(f"a number has more than {json.MAX_DIGITS} digits")
        return int.from_bytes(content, signed=True)

    def decimal(self, _: int) -> Any:
        scale = _signed(self.varint())
        return json.decimal(f"{self.big()}e{-scale}")

    def float32(self, _: int) -> float:
        return numbers.find_shortest(self.number(">f", 5))

    def number(self, form: str, count: int) -> float:
        """A number of IEEE 754 in pieces of seven bits, the highest first."""
        whole = _bits(self.take(count)) & (1 << 8 * struct.calcsize(form)) - 1
        found: float = struct.unpack(form, whole.to_bytes(struct.calcsize(form)))[0]
        if not math.isfinite(found):
            raise CodecError(f"{found} is no JSON number")
        return found

    def raw(self, _: int) -> str:
        return base64.b64encode(self.take(self.varint())).decode()


def _signed(number: int) -> int:
    return number >> 1 ^ -(number & 1)


def _bits(pieces: bytes) -> int:
    found = 0
    for piece in pieces:
        found = found << 7 | piece
    return found


def _packed(pieces: bytes, count: int) -> bytes:
    """So many bytes of pieces of seven bits."""
    left = 8 * count - 7 * (len(pieces) - 1)
    return (_bits(pieces[:-1]) << left | pieces[-1] & (1 << left) - 1).to_bytes(count)


_TOKENS: dict[int, Callable[[_Reader, int], Any]] = {
    **dict.fromkeys(range(0x01, 0x20), lambda reader, token: reader.seen(reader.texts, token - 1)),
    **dict.fromkeys(_VALUES, lambda _, token: _VALUES[token]),
    0x24: lambda reader, _: _signed(reader.varint()),
    0x25: lambda reader, _: _signed(reader.varint()),
    0x26: lambda reader, _: reader.big(),
    0x28: _Reader.float32,
    0x29: lambda reader, _: reader.number(">d", 10),
    0x2A: _Reader.decimal,
    **dict.fromkeys(range(0x40, 0xC0), _Reader.short),
    **dict.fromkeys(range(0xC0, 0xE0), lambda _, token: _signed(token & 0x1F)),
    0xE0: lambda reader, _: reader.long(),
    0xE4: lambda reader, _: reader.long(),
    0xE8: lambda reader, _: base64.b64encode(reader.sevens()).decode(),
    **dict.fromkeys(
        range(0xEC, 0xF0), lambda reader, token: reader.seen(reader.texts, (token & 3) << 8 | reader.take(1)[0])
    ),
    _LIST: _Reader.items,
    _OBJECT: _Reader.object,
    0xFD: _Reader.raw,
}
