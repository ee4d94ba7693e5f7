"""Media types: whether a body is what its schema says, a text, bytes, or several values one after the other.

JSON, YAML, CBOR, SMILE and forms are ways to write the same values, so that their bodies are what the schema says.
Sources: OpenAPI 3.0.3 and 3.1.0, section 4.8.14 (media type object); RFC 6838 (media types), section 4.2.8 (suffixes);
RFC 9110, section 8.3.1 (parameters and case).
"""

from __future__ import annotations

import re
from enum import StrEnum

from pipeline.model.document.located import LocatedMap, make_map
from pipeline.model.rule import Rule
from preprocess.schema import all_of
from preprocess.schema.context import ConversionContext

RULE_MEDIA = Rule("media-types")


class Nature(StrEnum):
    """What a body is."""

    VALUE = "value"
    LINES = "lines"
    EVENTS = "events"
    TEXT = "text"
    BYTES = "bytes"


# What the field of a body is called that its schema does not describe.
NAMES = {Nature.TEXT: "text", Nature.BYTES: "data"}
_VALUES = frozenset(
    {
        "*/*",
        "application/*",
        "application/json",
        "application/yaml",
        "application/x-yaml",
        "application/vnd.yaml",
        "text/yaml",
        "text/x-yaml",
        "text/json",
        "application/cbor",
        "application/smile",
        "application/x-jackson-smile",
        "application/msgpack",
        "application/x-msgpack",
        "application/x-www-form-urlencoded",
    }
)
_VALUE_SUFFIXES = ("+json", "+yaml", "+cbor", "+smile", "+msgpack")
_LINES = re.compile(r".*(ndjson|jsonl|json-?lines|json-seq|stream\+json)")
_EVENTS = "text/event-stream"
_TEXTS = frozenset(
    {
        "application/javascript",
        "application/ecmascript",
        "application/graphql",
        "application/sql",
        "application/jwt",
        "application/x-sh",
        "application/x-pem-file",
    }
)
_XML = ("/xml", "+xml")


def essence(media_type: str) -> str:
    """A media type without its parameters, in lower case: `application/JSON; charset=utf-8` → `application/json`."""
    return media_type.partition(";")[0].strip().lower()


def nature(media_type: str) -> Nature:
    """What bodies of a media type are, where their schema does not say otherwise."""
    name = essence(media_type)
    if name == _EVENTS:
        return Nature.EVENTS
    if _LINES.fullmatch(name):
        return Nature.LINES
    if name in _VALUES or name.endswith(_VALUE_SUFFIXES) or name.startswith("multipart/"):
        return Nature.VALUE
    return Nature.TEXT if name.startswith("text/") or name in _TEXTS or name.endswith(_XML) else Nature.BYTES


def content(context: ConversionContext, media_type: str, schema: LocatedMap) -> tuple[Nature, LocatedMap]:
    """What a body is, and the schema of the field that carries it.

    A text or bytes whose schema is an object, a list or a number are that, written in a way of its own. Lines are a
    list, of which each event is one item.

    Args:
        context: to see through references.
        media_type: as the spec writes it.
        schema: of the body, empty where the spec has none.
    """
    found = nature(media_type)
    kinds = all_of.find_json_types(context, schema)
    plain = kinds == all_of.JSON_TYPES or kinds <= {"string", "null"}
    listed = kinds - {"null"} == {"array"}
    if found in {Nature.TEXT, Nature.BYTES} and not plain:
        return Nature.VALUE, schema
    if found is Nature.TEXT or (found is Nature.EVENTS and plain):
        return Nature.TEXT, make_map({"type": "string"}, schema.place)
    if found is Nature.BYTES:
        return found, make_map({"type": "string", "format": "binary"}, schema.place)
    if found is Nature.LINES and not listed:
        return found, make_map({"type": "array", "items": schema}, schema.place)
    if found is Nature.EVENTS and listed:
        items = all_of.resolve_refs(context, schema).get("items")
        return found, items if isinstance(items, LocatedMap) else make_map({}, schema.place)
    return found, schema
