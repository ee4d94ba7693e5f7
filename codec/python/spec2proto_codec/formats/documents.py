"""JSON values in bytes: JSON, CBOR or SMILE. Bodies name their encoding by media type, documents by their first bytes.

A document that begins with the header of SMILE is SMILE. A document whose first byte is above 127 is CBOR: JSON never
begins so, while the lists, maps, literals and floats of CBOR do. Integers and strings in CBOR get the tag that marks
CBOR (RFC 8949, section 3.4.6). Bytes without a JSON value and values without an encoding raise `CodecError`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats import cbor, json, smile_reader, smile_writer

Encoding = Literal["json", "cbor", "smile"]
_TYPES: dict[str, Encoding] = {
    "application/cbor": "cbor",
    "application/smile": "smile",
    "application/x-jackson-smile": "smile",
}
_READ: dict[Encoding, Callable[[bytes], Any]] = {"json": json.parse, "cbor": cbor.read, "smile": smile_reader.read}
_WRITE: dict[Encoding, Callable[[Any], bytes]] = {
    "json": json.write_bytes,
    "cbor": cbor.write,
    "smile": smile_writer.write,
}
_NO_ASCII = 0x80


def find_encoding(media_type: str) -> Encoding | None:
    """Return the binary encoding that a media type without parameters names; None for any other media type."""
    suffix = media_type.rpartition("+")[2]
    return _TYPES.get(media_type) or _TYPES.get(f"application/{suffix}")


def read(content: bytes, encoding: Encoding) -> Any:
    """Return the JSON value of bytes in an encoding."""
    return _READ[encoding](content)


def write(value: Any, encoding: Encoding) -> bytes:
    """Return the bytes of a JSON value in an encoding."""
    return _WRITE[encoding](value)


def read_lines(content: bytes, encoding: Encoding) -> list[Any]:
    """Return the JSON values of a body that the API declares as NDJSON; CBOR has no separator between values."""
    if encoding != "smile":
        raise CodecError(f"a body of lines has no form in {encoding.upper()}")
    return smile_reader.read_all(content)


def write_lines(values: list[Any]) -> bytes:
    """Return one SMILE document for each value, each with its end marker."""
    return b"".join(smile_writer.write(value) + bytes([smile_reader.END]) for value in values)


def read_document(content: bytes) -> Any:
    """Return the JSON value of a document; its first bytes tell the encoding."""
    if content.startswith(smile_reader.HEADER):
        return smile_reader.read(content)
    return cbor.read(content) if content[:1] >= b"\x80" else json.parse(content)


def write_document(value: Any, encoding: Encoding) -> bytes:
    """Return the bytes of a document, whose first bytes tell the encoding."""
    content = write(value, encoding)
    return cbor.SELF_DESCRIBED + content if encoding == "cbor" and content[0] < _NO_ASCII else content
