"""Spelling notes: how JSON spelled a message where protobuf cannot tell two spellings apart.

A contract carries what JSON means. `"a"` and `["a"]` may mean the same list, as may an absent list and an empty one.
The note says which spelling JSON had. It is an unknown field of the message that it describes, with the highest field
number, which no message declares; protobuf implementations keep unknown fields. A message without a note has the
canonical spelling.

The field has the number 536870911 and the wire type LEN. It holds the version of the format in one byte, then records.
A record has these parts:

1. One byte: the kind in the low five bits, plus 32 if a place follows, plus 64 if an argument follows.
2. A varint: the number of the field that the record describes, or 0 for the message itself.
3. Place and argument: each a varint of the length and that many bytes.

A place is the index of a list item in decimal digits, or the key of a map's value, in UTF-8.

Source: protobuf guide, unknown fields and field numbers (1 to 536,870,911).
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats.json import parse

FIELD_NUMBER = 536_870_911
VERSION = 1
_TAG = bytes([0xFA, 0xFF, 0xFF, 0xFF, 0x0F])
_KIND, _PLACE, _ARGUMENT = 31, 32, 64
_WIRE_TYPE_LEN = 2
_SEVEN_BITS = 0x7F
_MAX_SHIFT = 63


class Kind(IntEnum):
    """What a record says about the spelling."""

    SINGLE = 1  # One item stands without its list.
    EMPTY = 2  # A field without presence is written although it has its default value or no items.
    ABSENT = 3  # A field that the canonical spelling writes is absent.
    NULL = 4  # Null is written; the place names the list item or map key, if any.
    ALONE = 5  # The property of the shorthand stands alone in place of the object.
    TEXT = 6  # Argument: another JSON string of the enum value, or an unknown one that is kept.
    DIGITS = 7  # Argument: the number or boolean as written, where the field cannot reproduce it.
    KEPT = 8  # Argument: JSON object of the keys that the contract does not have.
    FORM = 9  # Argument: method and path template of a request.
    RAW = 10  # Argument: JSON list of the strings of a parameter as written.
    STATUS = 11  # Argument: HTTP status of a response.
    BODY = 12  # Argument: media type of a body.
    QUOTED = 13  # A number or boolean is written as a string; argument: that string, if it is not the canonical one.
    DOUBLES = 14  # Argument: numbers of a list as written, one little-endian double for each item.
    EVENT = 15  # Argument: lines of a server-sent event other than its data.


Notes = dict[tuple[int, int], dict[str | None, bytes]]
"""Argument by place, by kind and field number; the place None is the field or message as a whole."""
NO_NOTES: Notes = {}


def write_varint(value: int) -> bytes:
    """Return a non-negative integer as a varint of the protobuf wire format."""
    content = bytearray()
    while value > _SEVEN_BITS:
        content.append(value & _SEVEN_BITS | 0x80)
        value >>= 7
    content.append(value)
    return bytes(content)


def read_varint(content: bytes, at: int) -> tuple[int, int]:
    """Return the varint at an offset, and the offset after it; raise `IndexError` if it is cut off or over 64 bits."""
    value = shift = 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & _SEVEN_BITS) << shift
        if byte <= _SEVEN_BITS:
            return value, at
        shift += 7
        if shift > _MAX_SHIFT:
            raise IndexError


def encode_record(kind: Kind, field: int = 0, argument: bytes = b"", place: str | int | None = None) -> bytes:
    """Return one record of a note; field 0 is the message itself.

    `place` is the index of a list item, or the key of a map's value; the argument belongs to the kind.
    """
    flags = int(kind) | (_ARGUMENT if argument else 0)
    if place is None:
        head = bytes([flags]) + write_varint(field)
    else:
        key = str(place).encode("utf-8", "surrogatepass")
        head = bytes([flags | _PLACE]) + write_varint(field) + write_varint(len(key)) + key
    return head + write_varint(len(argument)) + argument if argument else head


def attach(message: Message, records: bytes) -> None:
    """Add a note with these records to a message."""
    content = bytes([VERSION]) + records
    message.MergeFromString(_TAG + write_varint(len(content)) + content)


def has_unknown_fields(message: Any) -> bool:
    """Return whether a message, or a message inside it, has an unknown field; copies the message instead of walking."""
    copy = type(message)()
    copy.CopyFrom(message)
    copy.DiscardUnknownFields()
    return bool(copy.ByteSize() != message.ByteSize())


def read_notes(message: Message) -> Notes:
    """Return the records of a message's own notes; raise `CodecError` for a broken one or another unknown field."""
    notes: Notes = {}
    unknown_fields: Any = UnknownFieldSet(message)
    for item in unknown_fields:
        if item.field_number != FIELD_NUMBER or item.wire_type != _WIRE_TYPE_LEN:
            raise CodecError(f"field {item.field_number} of {message.DESCRIPTOR.full_name} is not of this contract")
        _add_records(item.data, notes)
    return notes


def _add_records(content: bytes, notes: Notes) -> None:
    if content[:1] != bytes([VERSION]):
        raise CodecError("a spelling note of another version")
    at = 1
    try:
        while at < len(content):
            flags = content[at]
            field, at = read_varint(content, at + 1)
            place, argument = None, b""
            if flags & _PLACE:
                key, at = _read_bytes(content, at)
                place = key.decode("utf-8", "surrogatepass")
            if flags & _ARGUMENT:
                argument, at = _read_bytes(content, at)
            notes.setdefault((flags & _KIND, field), {})[place] = argument
    except (IndexError, UnicodeDecodeError):
        raise CodecError("a broken spelling note") from None


def _read_bytes(content: bytes, at: int) -> tuple[bytes, int]:
    length, at = read_varint(content, at)
    if at + length > len(content):
        raise IndexError
    return content[at : at + length], at + length


def find_argument(notes: Notes, kind: Kind, number: int = 0) -> bytes | None:
    """Return the argument of a record about a whole field, or about the message (0); None without such a record."""
    return notes.get((kind, number), {}).get(None)


def find_string(notes: Notes, kind: Kind) -> str | None:
    """Return the argument of a record about the message as a string; None without such a record."""
    content = find_argument(notes, kind)
    return None if content is None else decode_string(content)


def decode_string(content: bytes) -> str:
    """Return an argument as a string. Raise `CodecError` if the argument is no UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise CodecError("a broken spelling note") from None


def parse_object(content: bytes) -> dict[str, Any]:
    """Parse an argument that is a JSON object. Raise `CodecError` if the argument is no JSON object."""
    value = parse(content)
    if type(value) is not dict:
        raise CodecError("a broken spelling note")
    return value
