"""Bodies: the text of an HTTP body as the JSON value of a field, and back.

Sources: OpenAPI 3.1.0, section 4.8.14 (media type); RFC 6838, section 4.2.8 (suffixes); the NDJSON format.
"""

from __future__ import annotations

from typing import Any

from postprocess.codec import texts
from postprocess.codec.errors import CodecError
from postprocess.codec.model import FieldPlan

_LINES = ("ndjson", "jsonl", "jsonlines", "json-lines", "json-seq", "stream+json")


def is_json(media_type: str) -> bool:
    """Whether a media type, without parameters, is JSON; none counts as JSON."""
    return media_type in {"", "*/*", "application/json", "text/json"} or media_type.endswith("+json")


def is_lines(media_type: str) -> bool:
    """Whether a media type is one JSON text a line."""
    return media_type.endswith(_LINES)


def is_plain(item: FieldPlan | None) -> bool:
    """Whether a field holds a body as it is: a text or bytes that its schema does not describe."""
    return (
        item is not None and item.label.value == "one" and item.kind in {"string", "bytes"} and item.coding != "number"
    )


def read(text: str, media_type: str, item: FieldPlan | None) -> Any:
    """The JSON value of a body.

    Args:
        text: the body; base64 where it is bytes.
        media_type: without parameters.
        item: the field that is to carry it, None for the message itself.

    Raises:
        CodecError: when it is no body of that type, or the type is none that the codec reads.
    """
    if is_lines(media_type):
        return texts.parse_lines(text)
    if is_json(media_type):
        return texts.parse(text)
    if is_plain(item):
        return text
    raise CodecError(f"a body of `{media_type}` is not read")


def write(value: Any, media_type: str) -> str:
    """The text of a body.

    Raises:
        CodecError: when the value is none that such a body can be.
    """
    if is_lines(media_type) and type(value) is list:
        return texts.write_lines(value)
    if is_json(media_type):
        return texts.write(value)
    return value if type(value) is str else texts.write(value)
