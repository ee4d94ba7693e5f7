"""Decide from its media type what a body is: what its schema declares, a string, bytes, or a sequence of values.

JSON, YAML, CBOR, SMILE and forms write the same values in different ways, so such a body is what its schema declares.
Sources: OpenAPI 3.0.3 and 3.1.0, section 4.8.14 (media type object); RFC 6838 (media types), section 4.2.8 (suffixes);
RFC 9110, section 8.3.1 (parameters and case).
"""

from __future__ import annotations

import re
from enum import StrEnum

from pipeline.model.contract import Rule
from pipeline.model.document.located import LocatedMap, make_map
from preprocess.schema.all_of import JSON_TYPES, find_json_types, resolve_refs
from preprocess.schema.context import Context

RULE_MEDIA = Rule("media-types")


class BodyKind(StrEnum):
    """What a body is: one value, NDJSON lines, server-sent events, a string or bytes."""

    VALUE = "value"
    LINES = "lines"
    EVENTS = "events"
    TEXT = "text"
    BYTES = "bytes"


# The field names of bodies that the schema does not describe.
FIELD_NAMES = {BodyKind.TEXT: "text", BodyKind.BYTES: "data"}
_VALUES = re.compile(
    r"\*/\*|application/(\*|json|(x-|vnd\.)?yaml|cbor|(x-jackson-)?smile|(x-)?msgpack|x-www-form-urlencoded)"
    r"|text/(json|(x-)?yaml)|multipart/.*|.*\+(json|yaml|cbor|smile|msgpack)",
    re.DOTALL,
)
_LINES = re.compile(r".*(ndjson|jsonl|json-?lines|json-seq|stream\+json)")
_EVENTS = "text/event-stream"
_TEXTS = re.compile(r"text/.*|application/(javascript|ecmascript|graphql|sql|jwt|x-sh|x-pem-file)|.*[/+]xml", re.DOTALL)


def strip_parameters(media_type: str) -> str:
    """Return a media type without parameters, in lower case: `application/JSON; charset=utf-8` → `application/json`."""
    return media_type.partition(";")[0].strip().lower()


def identify_kind(media_type: str) -> BodyKind:
    """Return what a body of a media type is unless its schema says otherwise."""
    name = strip_parameters(media_type)
    if name == _EVENTS:
        return BodyKind.EVENTS
    if _LINES.fullmatch(name):
        return BodyKind.LINES
    if _VALUES.fullmatch(name):
        return BodyKind.VALUE
    return BodyKind.TEXT if _TEXTS.fullmatch(name) else BodyKind.BYTES


def resolve_body(context: Context, media_type: str, schema: LocatedMap) -> tuple[BodyKind, LocatedMap]:
    """Return what a body is, and the schema of the field that carries it.

    A string or bytes whose schema is an object, an array or a number is that value, written in some other way. Lines
    are an array. Events are the items of an array.
    """
    kind = identify_kind(media_type)
    json_types = find_json_types(context, schema)
    is_plain = json_types == JSON_TYPES or json_types <= {"string", "null"}
    is_array = json_types - {"null"} == {"array"}
    if kind in FIELD_NAMES and not is_plain:
        return BodyKind.VALUE, schema
    if kind is BodyKind.TEXT or (kind is BodyKind.EVENTS and is_plain):
        return BodyKind.TEXT, make_map({"type": "string"}, schema.place)
    if kind is BodyKind.BYTES:
        return kind, make_map({"type": "string", "format": "binary"}, schema.place)
    if kind is BodyKind.LINES and not is_array:
        return kind, make_map({"type": "array", "items": schema}, schema.place)
    if kind is BodyKind.EVENTS and is_array:
        items = resolve_refs(context, schema).get("items")
        return kind, items if isinstance(items, LocatedMap) else make_map({}, schema.place)
    return kind, schema
