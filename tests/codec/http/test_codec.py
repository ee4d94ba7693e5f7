"""Requests and answers of the REST API: there and back, by all forms of an operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from spec2proto_codec import CodecError, HttpCodec, HttpRequest, HttpResponse
from spec2proto_codec.formats.json import parse
from spec2proto_codec.values.spelling_notes import has_unknown_fields

LINES = '{"index":{"_id":"1"}}\n{"title":"x"}\n{"delete":{"_id":"2"}}\n{"index":{}}\n{"doc":{"a":1},"script":"s"}\n'
REQUESTS = [
    ("search", "POST", "/search", "", '{"title":"x"}'),
    ("search", "GET", "/search", "", None),
    ("search", "GET", "/search", "fields=a&fields=b&limit=5", '{"size":1}'),
    ("search", "POST", "/search", "fields=a,b&exact=2.50&wait=true", "{}"),
    ("search", "POST", "/a,b/search", "pretty&fields=", '{"title":"x"}'),
    ("search", "POST", "/a%2Fb/search", "wait=soon&pretty=true", None),
    ("search", "GET", "/search", "wait=5&exact=10&limit=0", None),
    ("bulk", "POST", "/bulk", "", LINES),
    ("exists", "HEAD", "/notes/5", "", None),
    ("close", "DELETE", "/cursors", "", '{"ids":["a"]}'),
    ("close", "DELETE", "/cursors", "", '{"ids":[]}'),
    ("close", "DELETE", "/cursors", "", "{}"),
    ("close", "DELETE", "/cursors", "", None),
]

ANSWERS = [
    ("search", HttpRequest("GET", "/search"), HttpResponse(200, "application/json", '{"hits":["a"]}')),
    ("search", HttpRequest("POST", "/a/search"), HttpResponse(202, "application/json", '{"hits":[]}')),
    ("read", HttpRequest("GET", "/notes/1"), HttpResponse(200, "text/plain", "a text\n")),
    ("close", HttpRequest("DELETE", "/cursors"), HttpResponse(200, "application/json", "{}")),
    ("close", HttpRequest("DELETE", "/cursors"), HttpResponse(200, "application/json", '{"a":1}')),
    ("exists", HttpRequest("HEAD", "/notes/1"), HttpResponse(404)),
    ("exists", HttpRequest("HEAD", "/notes/1"), HttpResponse(200)),
    ("bulk", HttpRequest("POST", "/bulk"), HttpResponse(204)),
]


@pytest.fixture(scope="module")
def http(codec: Callable[..., HttpCodec]) -> HttpCodec:
    return codec("http")


def pairs(query: str) -> list[tuple[str, str]]:
    return sorted((name, text or "true") for name, text in parse_qsl(query, keep_blank_values=True))


@pytest.mark.parametrize("sent", REQUESTS, ids=lambda sent: " ".join(map(str, sent[1:4])))
def test_a_request_comes_back(http: HttpCodec, sent: tuple[str, str, str, str, str | None]) -> None:
    group, method, path, query, body = sent
    kind = "application/x-ndjson" if group == "bulk" else "application/json"
    rpc = http.find_rpc(group)
    back = http.decode_request(rpc, http.encode_request(rpc, HttpRequest(method, path, query, body, kind)))
    assert (back.method, back.path.replace("%2F", "/")) == (method, path.replace("%2F", "/"))
    assert pairs(back.query) == pairs(query)
    if body is None or group == "bulk":
        assert back.body == body
    else:
        assert parse(back.body or "") == parse(body)


def test_lines_are_grouped_by_their_actions(http: HttpCodec) -> None:
    rpc = http.find_rpc("bulk")
    content = http.encode_request(rpc, HttpRequest("POST", "/bulk", "", LINES, "application/x-ndjson"))
    message = http.parse_message(rpc.request.name, content)
    lines: Any = message.bulk_line
    assert [[field.name for field, _ in group.ListFields()] for group in lines] == [
        ["action", "document"],
        ["action"],
        ["action", "change"],
    ]
    assert not has_unknown_fields(message)


def test_the_usual_form_needs_no_note(http: HttpCodec) -> None:
    rpc = http.find_rpc("search")
    for request in (HttpRequest("POST", "/a/search", "", "{}"), HttpRequest("GET", "/search", "fields=a", "{}")):
        assert not has_unknown_fields(http.parse_message(rpc.request.name, http.encode_request(rpc, request)))


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (HttpRequest("POST", "/search", "colour=red"), "/?colour: no such parameter in SearchRequest"),
        (HttpRequest("POST", "/search", "limit=x"), '/?limit: "x" is no value of the parameter `limit`'),
        (HttpRequest("POST", "/search", "limit=1&limit=2"), '/?limit: "1, 2" is no value of the parameter `limit`'),
        (HttpRequest("POST", "/search", "", '{"size":"x"}'), '/size: expected an integer, found "x"'),
        (HttpRequest("POST", "/search", "", "x: 1", "application/yaml"), "/: a body of `application/yaml` is not read"),
        (HttpRequest("PUT", "/search"), "/: `PUT /search` is no form of `search`"),
    ],
)
def test_a_request_that_cannot_be_carried_is_refused(http: HttpCodec, request_: HttpRequest, told: str) -> None:
    with pytest.raises(CodecError) as caught:
        http.encode_request(http.find_rpc("search"), request_)
    assert str(caught.value) == told


def test_unknown_parameters_are_kept_where_that_is_asked_for(codec: Callable[..., HttpCodec]) -> None:
    http = codec("http", "keep")
    rpc = http.find_rpc("search")
    back = http.decode_request(
        rpc, http.encode_request(rpc, HttpRequest("POST", "/search", "colour=red&limit=1", "{}"))
    )
    assert sorted(back.query.split("&")) == ["colour=red", "limit=1"]


@pytest.mark.parametrize(("group", "asked", "answer"), ANSWERS)
def test_an_answer_comes_back(http: HttpCodec, group: str, asked: HttpRequest, answer: HttpResponse) -> None:
    rpc = http.find_rpc(group)
    content, failed = http.encode_response(rpc, asked, answer)
    assert not failed
    assert http.decode_response(rpc, content) == answer


@pytest.mark.parametrize(
    "answer",
    [
        HttpResponse(400, "application/json; charset=UTF-8", '{"error": "no  handler"}'),
        HttpResponse(200, "application/cbor", None, b"\xbf\xff"),
        HttpResponse(418, "text/html", "<h1>teapot</h1>"),
        HttpResponse(503),
    ],
)
def test_an_answer_that_the_contract_does_not_have_is_an_error_with_its_body(
    http: HttpCodec, answer: HttpResponse
) -> None:
    rpc = http.find_rpc("search")
    content, failed = http.encode_response(rpc, HttpRequest("GET", "/search"), answer)
    assert failed
    back = http.decode_response(rpc, content, failed=True)
    assert (back.status, back.content_type, back.body or "", back.data) == (
        answer.status,
        answer.content_type,
        answer.body or "",
        answer.data,
    )


def test_a_broken_binding_is_refused_when_it_is_loaded(
    bindings: dict[str, tuple[FileDescriptorSet, dict[str, Any]]],
) -> None:
    descriptors, binding = bindings["http"]
    with pytest.raises(CodecError, match="the binding is of format 0, not 1"):
        HttpCodec(descriptors, binding | {"version": 0})
    with pytest.raises(KeyError, match="rpcs"):
        HttpCodec(descriptors, {name: part for name, part in binding.items() if name != "rpcs"})
