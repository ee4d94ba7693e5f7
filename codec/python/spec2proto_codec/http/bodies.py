"""Read the body of an HTTP message as a JSON value, and write it back; a mismatch raises `CodecError`.

Sources: OpenAPI 3.1.0, section 4.8.14 (media type); RFC 6838, section 4.2.8 (suffixes); the NDJSON format.
"""

from __future__ import annotations

from typing import Any

from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats import documents, json
from spec2proto_codec.plans.types import FieldPlan, Label

Body = str | bytes  # A body is a string; it is bytes if its media type is binary.
Sources = dict[int, bytes]  # The JSON string of each NDJSON line, by the `id` of its value.
EVENTS = "text/event-stream"  # The media type of server-sent events, each of which has a body of its own.
_LINES = ("ndjson", "jsonl", "jsonlines", "json-lines", "json-seq", "stream+json")


def split_body(content: Body) -> tuple[str | None, bytes | None]:
    """Return a body as the attributes `body` and `data` of a request or response; one of them is None."""
    return (content, None) if isinstance(content, str) else (None, content)


def is_json(media_type: str) -> bool:
    """Return whether a media type without parameters is JSON; an empty one counts as JSON."""
    return media_type in {"", "*/*", "application/json", "text/json"} or media_type.endswith("+json")


def is_lines(media_type: str) -> bool:
    """Return whether a media type means one JSON value a line (NDJSON)."""
    return media_type.endswith(_LINES)


def is_plain(item: FieldPlan | None) -> bool:
    """Return whether a field holds a body unparsed: as a string or bytes whose content no schema describes."""
    if item is None or item.label is not Label.ONE:
        return False
    return item.kind in {"string", "bytes"} and item.options.coding != "number"


def can_read(body: Body, media_type: str, item: FieldPlan | None) -> bool:
    """Return whether a body of a media type can be the value of a field."""
    if isinstance(body, bytes):
        is_raw = item is not None and item.options.coding == "raw" and is_plain(item)
        return is_raw or documents.find_encoding(media_type) is not None
    return is_lines(media_type) or is_json(media_type) or media_type == EVENTS or is_plain(item)


def read(body: Body, media_type: str, item: FieldPlan | None, declared: str = "") -> tuple[Any, Sources]:
    """Return the JSON value of a body, and the source of each of its lines.

    Of server-sent events, `body` is the data of one event. `item` is the field that carries the body; None if the
    message itself does. The media types, of the body and `declared` by the API, have no parameters.
    """
    encoding = documents.find_encoding(media_type)
    if encoding is not None:
        if isinstance(body, str):
            raise CodecError(f"expected bytes in a body of `{media_type}`, found a string")
        return documents.read_lines(body, encoding) if is_lines(declared) else documents.read(body, encoding), {}
    if not can_read(body, media_type, item):
        raise CodecError(f"a body of `{media_type}` is not read")
    if isinstance(body, bytes):
        return body, {}
    if is_lines(media_type):
        return json.parse_lines(body)
    plain = is_plain(item) and not is_json(media_type)
    return (body if plain else json.parse(body)), {}


def write(value: Any, media_type: str, sources: Sources | None = None, declared: str = "") -> Body:
    """Return the body that holds a JSON value."""
    encoding = documents.find_encoding(media_type)
    if encoding is not None:
        lines = is_lines(declared) and type(value) is list
        return documents.write_lines(value) if lines else documents.write(value, encoding)
    if is_lines(media_type) and type(value) is list:
        return json.write_lines(value, sources or {})
    if is_json(media_type):
        return json.write(value)
    return value if type(value) in {str, bytes} else json.write(value)
