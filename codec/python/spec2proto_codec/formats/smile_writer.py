"""JSON values as SMILE, with references to names that were seen; `smile` reads them back.

Source: as of `smile`. A reference never ends with the bytes 0xFE and 0xFF, which frame documents.
"""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import Any

from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats import numbers
from spec2proto_codec.formats.json import check_string
from spec2proto_codec.formats.smile_reader import HEADER

_SHARED_NAMES = b"\x01"
_MOST_SHARED = 1024
_FRAMING = 0xFE
_SHORT_TEXT, _SHORT_NAME, _SHORT_UNICODE_NAME = 64, 64, 56
_SMALL = 16


def write(value: Any) -> bytes:
    """The SMILE document of a JSON value.

    Raises:
        CodecError: when it holds a text that UTF-8 cannot write, or a number that JSON does not have.
    """
    writer = _Writer()
    try:
        writer.put(value)
    except RecursionError:
        raise CodecError("nested too deeply") from None
    return b"".join(writer.found)


class _Writer:
    def __init__(self) -> None:
        self.found = [HEADER + _SHARED_NAMES]
        self.names: dict[str, int] = {}
        self.count = 0

    def put(self, value: Any) -> None:
        kind = type(value)
        if kind is dict:
            self.found.append(b"\xfa")
            for name, entry in value.items():
                self.found.append(self.name(name))
                self.put(entry)
            self.found.append(b"\xfb")
        elif kind is list:
            self.found.append(b"\xf8")
            for entry in value:
                self.put(entry)
            self.found.append(b"\xf9")
        elif kind is str:
            self.found.append(_text(value))
        elif kind is bool or value is None:
            self.found.append({None: b"\x21", False: b"\x22", True: b"\x23"}[value])
        else:
            self.found.append(_integer(value) if kind is int else _number(value))

    def name(self, name: str) -> bytes:
        known = self.names.get(name)
        if known is not None:
            return bytes([0x40 + known]) if known < 64 else bytes([0x30 | known >> 8, known & 0xFF])  # noqa: PLR2004 - of one byte
        content = check_string(name).encode()
        if not content:
            return b"\x20"
        plain = content.isascii()
        self.remember(name)
        if len(content) > (_SHORT_NAME if plain else _SHORT_UNICODE_NAME):
            return b"\x34" + content + b"\xfc"
        return bytes([(0x7F if plain else 0xBE) + len(content)]) + content

    def remember(self, name: str) -> None:
        """Give a name the next number, as a reader does; after the last one all are forgotten."""
        if self.count == _MOST_SHARED:
            self.names.clear()
            self.count = 0
        if self.count & 0xFF < _FRAMING:
            self.names[name] = self.count
        self.count += 1


def _text(value: str) -> bytes:
    content = check_string(value).encode()
    if not content:
        return b"\x20"
    if content.isascii():
        short = bytes([0x3F + len(content)]) if len(content) <= _SHORT_TEXT else b""
        return short + content if short else b"\xe0" + content + b"\xfc"
    return bytes([0x7E + len(content)]) + content if len(content) <= _SHORT_TEXT else b"\xe4" + content + b"\xfc"


def _varint(number: int) -> bytes:
    found = [number & 0x3F | 0x80]
    number >>= 6
    while number:
        found.append(number & 0x7F)
        number >>= 7
    return bytes(reversed(found))


def _zigzag(number: int) -> int:
    return number << 1 if number >= 0 else ~(number << 1)


def _sevens(content: bytes) -> bytes:
    """The number of bytes, and the bytes in pieces of seven bits; the last piece holds those that are left."""
    found = [_varint(len(content))]
    for at in range(0, len(content), 7):
        part = content[at : at + 7]
        whole, bits = int.from_bytes(part), 8 * len(part)
        while bits > 7:  # noqa: PLR2004 - bits of a piece
            bits -= 7
            found.append(bytes([whole >> bits & 0x7F]))
        found.append(bytes([whole & (1 << bits) - 1]))
    return b"".join(found)


def _big(number: int) -> bytes:
    return _sevens(number.to_bytes(number.bit_length() // 8 + 1, signed=True))


def _integer(value: int) -> bytes:
    if -_SMALL <= value < _SMALL:
        return bytes([0xC0 | _zigzag(value)])
    if -(2**31) <= value < 2**31:
        return b"\x24" + _varint(_zigzag(value))
    return b"\x25" + _varint(_zigzag(value)) if -(2**63) <= value < 2**63 else b"\x26" + _big(value)


def _number(value: float | Decimal) -> bytes:
    if isinstance(value, float):
        whole = int.from_bytes(struct.pack(">d", numbers.convert_to_double(value)))
        return b"\x29" + bytes(whole >> 7 * at & 0x7F for at in range(9, -1, -1))
    whole, exponent = numbers.split_decimal(value)
    return b"\x2a" + _varint(_zigzag(-exponent)) + _big(whole)
