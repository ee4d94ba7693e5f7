"""Spelling notes: how a message was written in JSON where protobuf cannot tell two ways apart.

A contract carries what JSON means. A list of one item that was written without its list, or an empty list that is there
where another one is absent, mean the same and are spelled differently. Such a spelling travels in the message that
it is about, as an unknown field of the highest number, which no message declares and which protobuf implementations
keep. A message without a note has the canonical spelling; only what differs from it is noted.

Field `536870911`, wire type bytes. Its content: the version of the format, one byte, then records. A record is a byte
with its kind (low five bits), whether a place follows (32), whether an argument follows (64); the number of the field
that it is about as a varint, 0 for the message itself; then place and argument, each a length as a varint and bytes. A
place is the index of an item in decimal digits, or the key of a map's value, in UTF-8.

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
_BYTES = 2


class Kind(IntEnum):
    """What a record says."""

    SINGLE = 1
    """One item stands without its list."""
    EMPTY = 2
    """What has no presence is written though it has its default, or no items."""
    ABSENT = 3
    """What would be written in any case is not."""
    NULL = 4
    """Null is written; for an item or a map's value by its place."""
    ALONE = 5
    """The property of the shorthand stands alone for the object."""
    TEXT = 6
    """Another text of the enum's value is written; the argument is that text, of no value where unknown is kept."""
    DIGITS = 7
    """The number or boolean as written, where the field cannot give it back."""
    KEPT = 8
    """Keys that the contract does not have, as a JSON object."""
    FORM = 9
    """The method and the path template of a request."""
    RAW = 10
    """The texts of a parameter as written, as a JSON list."""
    STATUS = 11
    """The HTTP status of a response."""
    BODY = 12
    """The media type of a body."""
    EVENT = 15
    """The lines of a server-sent event other than its data."""
    DOUBLES = 14
    """The numbers of a list as written; the argument is a double of eight bytes, low ones first, for each item."""
    QUOTED = 13
    """A number or boolean is written as a text; the argument is that text where it is not the canonical one."""


Notes = dict[tuple[int, int], dict[str | None, bytes]]
NO_NOTES: Notes = {}


def write_varint(value: int) -> bytes:
    """A number, seven bits a byte, low ones first."""
    found = bytearray()
    while value > 0x7F:  # noqa: PLR2004 - seven bits a byte
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def encode_record(kind: Kind, field: int = 0, argument: bytes = b"", place: str | int | None = None) -> bytes:
    """One record.

    Args:
        kind: what it says.
        field: the number of the field that it is about; 0 for the message.
        argument: what belongs to it.
        place: the index of an item, or the key of a map's value.
    """
    flags = int(kind) | (_ARGUMENT if argument else 0)
    if place is None:
        found = bytes([flags]) + write_varint(field)
    else:
        content = str(place).encode("utf-8", "surrogatepass")
        found = bytes([flags | _PLACE]) + write_varint(field) + write_varint(len(content)) + content
    return found + write_varint(len(argument)) + argument if argument else found


def attach(message: Message, records: bytes) -> None:
    """Put records into a message, as a note."""
    content = bytes([VERSION]) + records
    message.MergeFromString(_TAG + write_varint(len(content)) + content)


def read_notes(message: Message) -> Notes:
    """The records of a message: kind and field → place → argument.

    Raises:
        CodecError: when a note is of another version or broken, or when there is an unknown field that is no note.
    """
    found: Notes = {}
    unknown: Any = UnknownFieldSet(message)
    for item in unknown:
        if item.field_number != FIELD_NUMBER or item.wire_type != _BYTES:
            raise CodecError(f"field {item.field_number} of {message.DESCRIPTOR.full_name} is not of this contract")
        _read(item.data, found)
    return found


def _read(content: bytes, found: Notes) -> None:
    if content[:1] != bytes([VERSION]):
        raise CodecError("a spelling note of another version")
    at = 1
    try:
        while at < len(content):
            flags = content[at]
            field, at = read_varint(content, at + 1)
            place, argument = None, b""
            if flags & _PLACE:
                content_of_place, at = _bytes(content, at)
                place = content_of_place.decode("utf-8", "surrogatepass")
            if flags & _ARGUMENT:
                argument, at = _bytes(content, at)
            found.setdefault((flags & _KIND, field), {})[place] = argument
    except (IndexError, UnicodeDecodeError):
        raise CodecError("a broken spelling note") from None


def read_varint(content: bytes, at: int) -> tuple[int, int]:
    """The number at a place, and the place after it.

    Raises:
        IndexError: when it does not end.
    """
    value = shift = 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte <= 0x7F:  # noqa: PLR2004 - the last byte
            return value, at
        shift += 7
        if shift > 63:  # noqa: PLR2004 - no length and no number has more bits
            raise IndexError


def _bytes(content: bytes, at: int) -> tuple[bytes, int]:
    length, at = read_varint(content, at)
    if at + length > len(content):
        raise IndexError
    return content[at : at + length], at + length


def find_argument(notes: Notes, kind: Kind, number: int = 0) -> bytes | None:
    """The argument of a record about a field as a whole, or about the message; None where there is no such record."""
    return notes.get((kind, number), {}).get(None)


def decode_string(content: bytes) -> str:
    """The text that an argument is.

    Raises:
        CodecError: when it is none.
    """
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise CodecError("a broken spelling note") from None


def find_string(notes: Notes, kind: Kind) -> str | None:
    """The text of a record about the message; None where there is no such record.

    Raises:
        CodecError: when the argument is no text.
    """
    content = find_argument(notes, kind)
    return None if content is None else decode_string(content)


def parse_object(content: bytes) -> dict[str, Any]:
    """The object that an argument is in JSON.

    Raises:
        CodecError: when it is none.
    """
    found = parse(content)
    if type(found) is not dict:
        raise CodecError("a broken spelling note")
    return found


def has_unknown_fields(message: Any) -> bool:
    """Whether a message, or any message in it, has an unknown field; takes one copy of it, no walk."""
    copy = type(message)()
    copy.CopyFrom(message)
    copy.DiscardUnknownFields()
    return bool(copy.ByteSize() != message.ByteSize())
