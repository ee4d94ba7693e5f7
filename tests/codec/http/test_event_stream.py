"""Answers in pieces are sequences of messages: server-sent events and lines."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from spec2proto_codec import CodecError, HttpCodec, HttpRequest, HttpResponse
from spec2proto_codec.http.event_stream import Event, parse, read_delimited, write, write_delimited

ASKED = HttpRequest("POST", "/talk")
EVENTS = [
    'data: {"text":"a"}\n\n',
    'data: {"text":"a"}\n\ndata: {"text":"b","weight":0.1}\n\n',
    'event: word\nid: 1\nretry: 3000\ndata: {"text":"a"}\n\nevent: end\n\n',
    "event: open\n\n",
    "id\ndata: {}\n\n",
]


@pytest.fixture(scope="module")
def streams(codec: Callable[..., HttpCodec]) -> HttpCodec:
    return codec("streams")


def back(http: HttpCodec, name: str, asked: HttpRequest, answer: HttpResponse) -> tuple[int, HttpResponse]:
    """How many messages an answer becomes, and what comes back of them."""
    rpc = http.find_rpc(name)
    contents, failed = http.encode_stream(rpc, asked, answer)
    return len(contents), http.decode_stream(rpc, read_delimited(write_delimited(contents)), failed=failed)


@pytest.mark.parametrize("text", EVENTS)
def test_each_event_is_a_message(streams: HttpCodec, text: str) -> None:
    answer = HttpResponse(200, "text/event-stream", text)
    assert back(streams, "talk", ASKED, answer) == (text.count("\n\n"), answer)


def test_messages_are_the_declared_ones(streams: HttpCodec) -> None:
    rpc = streams.find_rpc("talk")
    assert rpc.streaming
    contents, _ = streams.encode_stream(rpc, ASKED, HttpResponse(200, "text/event-stream", EVENTS[1]))
    assert [streams.parse_message(rpc.response.name, content).word.text for content in contents] == ["a", "b"]


def test_messages_of_generated_code_are_events(streams: HttpCodec) -> None:
    rpc = streams.find_rpc("talk")
    message = streams.create_message(rpc.response.name)
    message.word.text = "a"
    found = streams.decode_stream(rpc, [message.SerializeToString()] * 2)
    assert found == HttpResponse(200, "text/event-stream", 'data: {"text":"a"}\n\n' * 2)


def test_lines_are_a_message_each_where_the_rpc_streams(streams: HttpCodec) -> None:
    answer = HttpResponse(200, "application/x-ndjson", '{"text":"a"}\n{"text":"b"}\n')
    asked = HttpRequest("GET", "/log")
    assert back(streams, "TalkService/LogAll", asked, answer) == (2, answer)
    rpc = streams.find_rpc("log")
    assert not rpc.streaming
    assert streams.decode_response(rpc, streams.encode_response(rpc, asked, answer)[0]) == answer


def test_a_failure_is_one_status(streams: HttpCodec) -> None:
    answer = HttpResponse(503, "text/html", "<h1>busy</h1>")
    assert back(streams, "talk", ASKED, answer) == (1, answer)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('data: {"text":"a"}\n\ndata: [DONE]\n\n', "/1: no JSON"),
        ('data: {"text":5}\n\n', "/0/text: expected a string, found 5"),
        ('data: {}\n\ntype: "a"\n\n', "/1: `type` is no field of an event"),
    ],
)
def test_what_cannot_be_carried_is_told_with_its_event(streams: HttpCodec, text: str, told: str) -> None:
    with pytest.raises(CodecError) as caught:
        streams.encode_stream(streams.find_rpc("talk"), ASKED, HttpResponse(200, "text/event-stream", text))
    assert str(caught.value).startswith(told)


def test_events_are_read_as_the_standard_says() -> None:
    text = "\ufeff: hello\r\ndata:one\rdata:  two\nid: 5\r\n\r\ndata:\n\nevent: last\ndata: x"
    assert parse(text) == [Event("one\n two", ("id: 5",)), Event("x", ("event: last",))]
    assert write(parse(text)) == "id: 5\ndata: one\ndata:  two\n\nevent: last\ndata: x\n\n"


def test_messages_with_their_lengths_that_end_too_early_are_refused() -> None:
    assert read_delimited(write_delimited([b"", b"a" * 300, b"b"])) == [b"", b"a" * 300, b"b"]
    for content in (b"\x05abc", b"\x80", b"\x01a\x02b"):
        with pytest.raises(CodecError, match="ends too early"):
            read_delimited(content)
