"""Answers in pieces: server-sent events or lines, one message each.

An event has its JSON in `data`; its name, its id and the time to wait before asking again have no field and travel in
the message's note, as the lines that they were. Comments are left out, like white space in JSON.

Sources: HTML Living Standard, section 9.2 (server-sent events); gRPC core concepts (server streaming); the delimited
form of messages in protobuf's libraries: each after its length as a varint.
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
    """One event: its data, and its other lines as they stand."""

    data: str = ""
    others: tuple[str, ...] = ()


def parse(text: str) -> list[Event]:
    """The events of a text; the last one need not be ended by an empty line.

    Raises:
        CodecError: with the number of the event that has a field which events do not have.
    """
    found: list[Event] = []
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
            raise CodecError(f"`{name[:40]}` is no field of an event", len(found))
        else:
            if others or any(data):
                found.append(Event("\n".join(data), tuple(others)))
            data, others = [], []
    return found


def write(events: Iterable[Event]) -> str:
    """The text of events."""
    return "".join("".join(f"{line}\n" for line in _lines(event)) + "\n" for event in events)


def _lines(event: Event) -> Iterator[str]:
    yield from event.others
    if event.data:
        yield from (f"data: {line}" for line in event.data.split("\n"))


def split_response(response: HttpResponse) -> Iterator[tuple[HttpResponse, bytes]]:
    """The answers of which each is one message, and what is to be noted of it.

    Raises:
        CodecError: when the body is none of its type.
    """
    media_type = strip_parameters(response.content_type)
    if response.body is None or not (bodies.is_events(media_type) or bodies.is_lines(media_type)):
        yield response, b""
    elif bodies.is_lines(media_type):
        yield from ((replace(response, body=line), b"") for line in response.body.split("\n") if line.strip())
    else:
        for event in parse(response.body):
            told = encode_record(Kind.EVENT, 0, "\n".join(event.others).encode()) if event.others else b""
            told += b"" if event.data else encode_record(Kind.ABSENT)
            yield replace(response, body=event.data), told


def join_responses(answers: list[tuple[HttpResponse, Notes]]) -> HttpResponse:
    """The answer that messages stand for, each with its notes."""
    if not answers:
        return HttpResponse(200)
    first = answers[0][0]
    if any(bodies.is_events(answer.content_type) or (Kind.EVENT, 0) in notes for answer, notes in answers):
        text = write(_event(answer, notes) for answer, notes in answers)
        return HttpResponse(first.status, bodies.EVENTS, text)
    if len(answers) == 1:
        return first
    if not bodies.is_lines(first.content_type):
        raise CodecError(f"an answer of `{first.content_type}` is one message, not {len(answers)}")
    return replace(first, body="".join(answer.body or "" for answer, _ in answers))


def _event(answer: HttpResponse, notes: Notes) -> Event:
    noted = find_string(notes, Kind.EVENT)
    data = "" if (Kind.ABSENT, 0) in notes else answer.body or ""
    return Event(data, tuple(noted.split("\n")) if noted else ())


def write_delimited(contents: Iterable[bytes]) -> bytes:
    """Messages one after the other, each after its length."""
    return b"".join(write_varint(len(content)) + content for content in contents)


def read_delimited(content: bytes) -> list[bytes]:
    """The messages of such bytes.

    Raises:
        CodecError: when they end within a message.
    """
    found: list[bytes] = []
    at = 0
    while at < len(content):
        try:
            length, at = read_varint(content, at)
        except IndexError:
            length = len(content) + 1
        found.append(content[at : at + length])
        if len(found[-1]) != length:
            raise CodecError("no messages with their lengths: one ends too early", len(found) - 1)
        at += length
    return found
