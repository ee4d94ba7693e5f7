"""The media type of a body decides what the body is, unless its schema says otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from preprocess.operations.bodies import BodyKind, identify_kind, resolve_body
from tests.preprocess.schema.support import locate, make_converter

STRING, ARRAY = {"type": "string"}, {"type": "array", "items": {"type": "integer"}}


@pytest.mark.parametrize(
    ("media_type", "expected"),
    [
        ("application/JSON; charset=utf-8", BodyKind.VALUE),
        ("*/*", BodyKind.VALUE),
        ("application/vnd.books.v1+json", BodyKind.VALUE),
        ("multipart/form-data", BodyKind.VALUE),
        ("application/x-yaml", BodyKind.VALUE),
        ("application/x-ndjson", BodyKind.LINES),
        ("application/stream+json", BodyKind.LINES),
        ("text/event-stream", BodyKind.EVENTS),
        ("text/plain", BodyKind.TEXT),
        ("application/atom+xml", BodyKind.TEXT),
        ("application/sql", BodyKind.TEXT),
        ("application/octet-stream", BodyKind.BYTES),
        ("application/x-json", BodyKind.BYTES),
    ],
)
def test_the_kind_of_a_body(media_type: str, expected: BodyKind) -> None:
    assert identify_kind(media_type) is expected


@pytest.mark.parametrize(
    ("media_type", "schema", "expected"),
    [
        ("text/plain", {}, (BodyKind.TEXT, STRING)),
        ("text/plain", ARRAY, (BodyKind.VALUE, ARRAY)),
        ("image/png", STRING, (BodyKind.BYTES, STRING | {"format": "binary"})),
        ("application/x-ndjson", STRING, (BodyKind.LINES, {"type": "array", "items": STRING})),
        ("application/x-ndjson", ARRAY, (BodyKind.LINES, ARRAY)),
        ("text/event-stream", STRING, (BodyKind.TEXT, STRING)),
        ("text/event-stream", ARRAY, (BodyKind.EVENTS, {"type": "integer"})),
        ("application/json", STRING, (BodyKind.VALUE, STRING)),
    ],
)
def test_the_schema_of_a_body(media_type: str, schema: dict[str, Any], expected: tuple[BodyKind, Any]) -> None:
    assert resolve_body(make_converter(), media_type, locate(schema)) == expected
