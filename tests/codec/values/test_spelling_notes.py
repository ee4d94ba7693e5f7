"""Notes on the wire: records are written and read back, and broken ones are refused."""

from __future__ import annotations

import pytest
from google.protobuf.empty_pb2 import Empty
from hypothesis import given
from hypothesis import strategies as st
from spec2proto_codec.errors import CodecError
from spec2proto_codec.values.spelling_notes import (
    Kind,
    attach,
    encode_record,
    find_argument,
    find_string,
    has_unknown_fields,
    read_notes,
    read_varint,
    write_varint,
)


@given(st.integers(0, 2**63 - 1))
def test_a_varint_is_read_back(value: int) -> None:
    content = write_varint(value)
    assert read_varint(b"\xff" + content, 1) == (value, len(content) + 1)


@pytest.mark.parametrize("content", [b"", b"\x80", b"\xff" * 10 + b"\x01"])
def test_a_varint_without_its_end_is_refused(content: bytes) -> None:
    with pytest.raises(IndexError):
        read_varint(content, 0)


def test_records_are_read_back() -> None:
    message = Empty()
    assert not has_unknown_fields(message)
    attach(message, encode_record(Kind.NULL, 3, place=7) + encode_record(Kind.NULL, 3, place="\ud800"))
    attach(message, encode_record(Kind.STATUS, 0, b"404") + encode_record(Kind.EMPTY, 2**28))
    assert has_unknown_fields(message)
    notes = read_notes(message)
    assert notes == {
        (Kind.NULL, 3): {"7": b"", "\ud800": b""},
        (Kind.STATUS, 0): {None: b"404"},
        (Kind.EMPTY, 2**28): {None: b""},
    }
    assert (find_string(notes, Kind.STATUS), find_argument(notes, Kind.NULL, 3)) == ("404", None)


def test_another_unknown_field_is_refused() -> None:
    with pytest.raises(CodecError, match=r"field 1 of google.protobuf.Empty is not of this contract"):
        read_notes(Empty.FromString(b"\x08\x01"))
