"""Write JSON values as SMILE, with references to the names written before; `smile_reader` reads them back.

Source: see `smile_reader`. A reference never ends with the bytes 0xFE and 0xFF, which frame documents.
"""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import Any

from spec2proto_codec.errors import call_nested
from spec2proto_codec.formats import numbers
from spec2proto_codec.formats.json import check_string
from spec2proto_codec.formats.smile_reader import HEADER, MOST_SHARED

_SHARED_NAMES = b"\x01"
_FRAMING = 0xFE
# Names of lower numbers have a reference of one byte, others of two.
_SHORT_REFERENCES = 64
_SHORT_STRING, _SHORT_NAME, _SHORT_UNICODE_NAME = 64, 64, 56
_SMALL = 16
_PIECE = 7


def write(value: Any) -> bytes:
    """Return the SMILE document of a JSON value; raise `CodecError` for a lone surrogate, infinity and NaN."""
    writer = _Writer()
    call_nested(writer.append_value, value)
    return b"".join(writer.parts)


class _Writer:
    """Writes one document to `parts`; `names` numbers those that a reference may stand for."""

    def __init__(self) -> None:
        self.parts = [HEADER + _SHARED_NAMES]
        self.names: dict[str, int] = {}
        self.count = 0

    def append_value(self, value: Any) -> None:
        kind = type(value)
        if kind is dict:
            self.parts.append(b"\xfa")
            for name, entry in value.items():
                self.parts.append(self.encode_name(name))
                self.append_value(entry)
            self.parts.append(b"\xfb")
        elif kind is list:
            self.parts.append(b"\xf8")
            for entry in value:
                self.append_value(entry)
            self.parts.append(b"\xf9")
        elif kind is str:
            self.parts.append(_encode_string(value))
        elif kind is bool or value is None:
            self.parts.append({None: b"\x21", False: b"\x22", True: b"\x23"}[value])
        else:
            self.parts.append(_encode_integer(value) if kind is int else _encode_number(value))

    def encode_name(self, name: str) -> bytes:
        number = self.names.get(name)
        if number is not None:
            return bytes([0x40 + number] if number < _SHORT_REFERENCES else [0x30 | number >> 8, number & 0xFF])
        content = check_string(name).encode()
        if not content:
            return b"\x20"
        is_ascii = content.isascii()
        self.number_name(name)
        if len(content) > (_SHORT_NAME if is_ascii else _SHORT_UNICODE_NAME):
            return b"\x34" + content + b"\xfc"
        return bytes([(0x7F if is_ascii else 0xBE) + len(content)]) + content

    def number_name(self, name: str) -> None:
        """Give a name the next number, as a reader does; after the last number all names lose theirs."""
        if self.count == MOST_SHARED:
            self.names.clear()
            self.count = 0
        if self.count & 0xFF < _FRAMING:
            self.names[name] = self.count
        self.count += 1


def _encode_string(value: str) -> bytes:
    content = check_string(value).encode()
    if not content:
        return b"\x20"
    is_short = len(content) <= _SHORT_STRING
    if content.isascii():
        return bytes([0x3F + len(content)]) + content if is_short else b"\xe0" + content + b"\xfc"
    return bytes([0x7E + len(content)]) + content if is_short else b"\xe4" + content + b"\xfc"


def _encode_varint(number: int) -> bytes:
    reversed_bytes = [number & 0x3F | 0x80]
    number >>= 6
    while number:
        reversed_bytes.append(number & 0x7F)
        number >>= 7
    return bytes(reversed(reversed_bytes))


def _encode_zigzag(number: int) -> int:
    return number << 1 if number >= 0 else ~(number << 1)


def _encode_septets(content: bytes) -> bytes:
    """Return the number of bytes, then the bytes in pieces of seven bits; the last piece holds the remaining bits."""
    pieces = [_encode_varint(len(content))]
    for at in range(0, len(content), _PIECE):
        part = content[at : at + _PIECE]
        whole, bits = int.from_bytes(part), 8 * len(part)
        while bits > _PIECE:
            bits -= _PIECE
            pieces.append(bytes([whole >> bits & 0x7F]))
        pieces.append(bytes([whole & (1 << bits) - 1]))
    return b"".join(pieces)


def _encode_big_integer(number: int) -> bytes:
    return _encode_septets(number.to_bytes(number.bit_length() // 8 + 1, signed=True))


def _encode_integer(value: int) -> bytes:
    if -_SMALL <= value < _SMALL:
        return bytes([0xC0 | _encode_zigzag(value)])
    if -(2**63) <= value < 2**63:
        return (b"\x24" if -(2**31) <= value < 2**31 else b"\x25") + _encode_varint(_encode_zigzag(value))
    return b"\x26" + _encode_big_integer(value)


def _encode_number(value: float | Decimal) -> bytes:
    if isinstance(value, float):
        whole = int.from_bytes(struct.pack(">d", numbers.convert_to_double(value)))
        return b"\x29" + bytes(whole >> 7 * at & 0x7F for at in range(9, -1, -1))
    whole, exponent = numbers.split_decimal(value)
    return b"\x2a" + _encode_varint(_encode_zigzag(-exponent)) + _encode_big_integer(whole)
