"""Responses that are a stream of messages: one message for each server-sent event or NDJSON line.

`data` of an event is the JSON of the message. The lines `event`, `id` and `retry` have no field; they travel in the
spelling note of the message. Comments are dropped, as white space in JSON is.

Sources: HTML Living Standard, section 9.2 (server-sent events); gRPC core concepts (server streaming). Delimited
messages, each after its length as a varint, are those of protobuf's libraries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from spec2proto_codec.errors import CodecError
from spec2proto_codec.http import bodies
from spec2proto_codec.http.responses import HttpResponse
from spec2proto_codec.http.routes import strip_parameters
from spec2proto_codec.values.spelling_notes import Kind, Notes, encode_record, find_string, read_varint, write_varint

_BREAK = re.compile(r"\r\n|\n|\r")
_FIELDS = frozenset({"event", "id", "retry"})


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event: the lines of `data`, joined, and the other lines, unchanged."""

    data: str = ""
    others: tuple[str, ...] = ()


def parse(text: str) -> list[Event]:
    """Parse server-sent events; the last event need not end with an empty line.

    An unknown field name raises `CodecError` with the number of the event.
    """
    events: list[Event] = []
    data: list[str] = []
    others: list[str] = []
    for line in (*_BREAK.split(text.removeprefix("\ufeff")), ""):
        name, _, value = line.partition(":")
        if line and not name:
            continue
        if name == "data":
            data.append(value.removeprefix(" "))
        elif name in _FIELDS:
            others.append(line)
        elif name:
            raise CodecError(f"`{name[:40]}` is no field of an event", len(events))
        else:
            if others or any(data):
                events.append(Event("\n".join(data), tuple(others)))
            data, others = [], []
    return events


def write(events: Iterable[Event]) -> str:
    """Return the body that holds server-sent events."""
    lines: list[str] = []
    for event in events:
        data = [f"data: {line}" for line in event.data.split("\n")] if event.data else []
        lines += [*event.others, *data, ""]
    return "".join(f"{line}\n" for line in lines)


def split_response(response: HttpResponse) -> Iterator[tuple[HttpResponse, bytes]]:
    """Split a response into one response for each message; yield each with its note records."""
    media_type = strip_parameters(response.content_type)
    if response.body is None or not (media_type == bodies.EVENTS or bodies.is_lines(media_type)):
        yield response, b""
    elif bodies.is_lines(media_type):
        yield from ((replace(response, body=line), b"") for line in response.body.split("\n") if line.strip())
    else:
        for event in parse(response.body):
            records = encode_record(Kind.EVENT, 0, "\n".join(event.others).encode()) if event.others else b""
            records += b"" if event.data else encode_record(Kind.ABSENT)
            yield replace(response, body=event.data), records


def join_responses(responses: list[tuple[HttpResponse, Notes]]) -> HttpResponse:
    """Join the responses of single messages, each with its notes, to the response of the stream."""
    if not responses:
        return HttpResponse(200)
    first = responses[0][0]
    if any(response.content_type == bodies.EVENTS or (Kind.EVENT, 0) in notes for response, notes in responses):
        text = write(_build_event(response, notes) for response, notes in responses)
        return HttpResponse(first.status, bodies.EVENTS, text)
    if len(responses) == 1:
        return first
    if not bodies.is_lines(first.content_type):
        raise CodecError(f"expected one message for a response of `{first.content_type}`, found {len(responses)}")
    return replace(first, body="".join(response.body or "" for response, _ in responses))


def _build_event(response: HttpResponse, notes: Notes) -> Event:
    others = find_string(notes, Kind.EVENT)
    data = "" if (Kind.ABSENT, 0) in notes else response.body or ""
    return Event(data, tuple(others.split("\n")) if others else ())


def write_delimited(contents: Iterable[bytes]) -> bytes:
    """Return serialized messages in one byte string, each after its length."""
    return b"".join(write_varint(len(content)) + content for content in contents)


def read_delimited(content: bytes) -> list[bytes]:
    """Return the serialized messages that `write_delimited` joined; raise `CodecError` if one ends too early."""
    contents: list[bytes] = []
    at = 0
    while at < len(content):
        try:
            length, at = read_varint(content, at)
        except IndexError:
            length = len(content) + 1
        contents.append(content[at : at + length])
        if len(contents[-1]) != length:
            raise CodecError("no messages with their lengths: one ends too early", len(contents) - 1)
        at += length
    return contents
