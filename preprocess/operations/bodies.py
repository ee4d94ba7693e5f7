"""Collect the HTTP forms of an operation group, and the distinct bodies of their requests and responses.

JSON, YAML, CBOR, SMILE and forms write the same values in different ways, so such a body is what its schema declares.
Sources: OpenAPI 3.0.3 and 3.1.0, sections 4.8.13 to 4.8.17; RFC 6838 (media types), section 4.2.8 (suffixes);
RFC 9110, section 8.3.1 (parameters and case).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from pipeline.model.contract import CarriedBody, HttpBinding, Rule
from pipeline.model.diagnostics import Place
from pipeline.model.document.located import LocatedMap, make_map
from preprocess.document.scope import Operation
from preprocess.schema.all_of import JSON_TYPES, find_json_types, resolve_refs
from preprocess.schema.context import Context

RULE_STREAMING = Rule("streaming")
# Two schemas that differ only in these keywords allow the same values.
_DESCRIPTIONS = frozenset({"description", "example", "examples", "summary", "x-examples"})
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


@dataclass(frozen=True, slots=True)
class Body:
    """A distinct body of an operation group.

    Attributes:
        schema: the schema of the field that carries it.
        kind: whether it is what the schema declares, a string, bytes, or a sequence of values.
        carried: the HTTP forms and media types that it appears in.
        places: where the specification declares it; the first place is the schema's.
        required: whether every HTTP form has this body, and no other.
    """

    schema: LocatedMap
    kind: BodyKind
    carried: tuple[CarriedBody, ...]
    places: tuple[Place, ...]
    required: bool = False


def group_operations(operations: Iterable[Operation]) -> dict[str, list[Operation]]:
    """Return the operations of each group, groups sorted, operations by path and method, superseded ones last."""
    groups: dict[str, list[Operation]] = {}
    for operation in sorted(operations, key=lambda item: (item.group, item.is_superseded, item.path, item.method)):
        groups.setdefault(operation.group, []).append(operation)
    return groups


def collect_request_bodies(context: Context, forms: list[Operation]) -> list[Body]:
    """Return the distinct request bodies of an operation group."""
    bodies = _collect_distinct(context, ((form, "", form.body) for form in forms))
    everywhere = all(form.body is not None and form.body.get("required") is True for form in forms)
    return [replace(body, required=everywhere and len(bodies) == 1) for body in bodies]


def collect_response_bodies(context: Context, forms: list[Operation]) -> list[Body]:
    """Return the distinct bodies of an operation group's successful responses."""
    return _collect_distinct(
        context, ((form, status, node) for form in forms for status, node in sorted(form.successful_responses.items()))
    )


def _collect_distinct(context: Context, holders: Iterable[tuple[Operation, str, LocatedMap | None]]) -> list[Body]:
    bodies: dict[str, Body] = {}
    for form, status, node in holders:
        for media_type, media in sorted(node["content"].items(), key=_order_json_first) if node is not None else ():
            kind, schema = resolve_body(context, media_type, media["schema"])
            key = kind if kind in {BodyKind.TEXT, BodyKind.BYTES} else make_schema_key(schema)
            carried = CarriedBody(form.method.upper(), form.path, status, media_type)
            body = bodies.get(key) or Body(schema, kind, (), ())
            kind = BodyKind.LINES if BodyKind.LINES in {body.kind, kind} else body.kind
            places = tuple(dict.fromkeys((*body.places, media["schema"].place)))
            bodies[key] = replace(body, kind=kind, carried=(*body.carried, carried), places=places)
    return list(bodies.values())


def _order_json_first(item: tuple[str, Any]) -> tuple[bool, str]:
    return strip_parameters(item[0]) != "application/json", item[0]


def make_schema_key(schema: Any) -> str:
    """Return a key that is equal for two schemas if they differ only in their places and descriptions."""
    if isinstance(schema, LocatedMap) and "$ref" in schema:
        return str(schema["$ref"])
    return json.dumps(_strip_descriptions(schema), sort_keys=True)


def _strip_descriptions(value: Any) -> Any:
    """Return a schema without descriptions; a property may have the name of such a keyword, so objects stay."""
    if isinstance(value, list):
        return [_strip_descriptions(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _strip_descriptions(item)
        for key, item in value.items()
        if key not in _DESCRIPTIONS or isinstance(item, dict)
    }


def build_binding(operation: Operation) -> HttpBinding:
    """Return the HTTP form of an operation."""
    types = tuple(sorted(operation.body["content"])) if operation.body is not None else ()
    responses = tuple(
        (status, media_type)
        for status, node in sorted(operation.responses.items())
        for media_type in (sorted(node["content"]) or [""])
    )
    return HttpBinding(operation.method.upper(), operation.path, types, responses, operation.is_superseded)


def is_streaming(forms: list[Operation]) -> bool:
    """Return whether a response is a sequence of events (`text/event-stream`)."""
    return any(
        identify_kind(media_type) is BodyKind.EVENTS
        for form in forms
        for node in form.successful_responses.values()
        for media_type in node["content"]
    )
