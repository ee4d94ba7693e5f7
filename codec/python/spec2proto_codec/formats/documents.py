"""JSON values in bytes: as JSON text, as CBOR or as SMILE; bodies by their media type, documents by their first bytes.

A document that begins with the header of SMILE is SMILE. No JSON text begins with a byte above 127, and CBOR's lists,
maps, literals and floats all do; integers and texts in CBOR are told by the tag for that (RFC 8949, section 3.4.6).
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


def encoding_of(media_type: str) -> Encoding | None:
    """The encoding of bodies of a media type without parameters; None where they are texts, or no JSON values."""
    suffix = media_type.rpartition("+")[2]
    return _TYPES.get(media_type) or _TYPES.get(f"application/{suffix}")


def read(content: bytes, encoding: Encoding) -> Any:
    """The JSON value of bytes.

    Raises:
        CodecError: when they are none of that encoding, or of a value that JSON does not have.
    """
    return _READ[encoding](content)


def write(value: Any, encoding: Encoding) -> bytes:
    """The bytes of a JSON value.

    Raises:
        CodecError: when the value holds a number or a text that the encoding does not have.
    """
    return _WRITE[encoding](value)


def read_lines(content: bytes, encoding: Encoding) -> list[Any]:
    """The JSON values of what would be a body of JSON lines.

    Raises:
        CodecError: as `read`; of CBOR, which has nothing between values.
    """
    if encoding != "smile":
        raise CodecError(f"a body of lines has no form in {encoding.upper()}")
    return smile_reader.read_all(content)


def write_lines(values: list[Any]) -> bytes:
    """As many SMILE documents, each with its end mark.

    Raises:
        CodecError: as `write`.
    """
    return b"".join(smile_writer.write(value) + bytes([smile_reader.END]) for value in values)


def read_document(content: bytes) -> Any:
    """The JSON value of a document, whose encoding its first bytes tell.

    Raises:
        CodecError: as `read`.
    """
    if content.startswith(smile_reader.HEADER):
        return smile_reader.read(content)
    return cbor.read(content) if content[:1] >= b"\x80" else json.parse(content)


def write_document(value: Any, encoding: Encoding) -> bytes:
    """The bytes of a document, which tell their encoding.

    Raises:
        CodecError: as `write`.
    """
    content = write(value, encoding)
    return cbor.SELF_DESCRIBED + content if encoding == "cbor" and content[0] < _NO_ASCII else content
