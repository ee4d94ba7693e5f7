"""Answers that the contract has no field for are errors of gRPC, with the answer in their details."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from google.api.httpbody_pb2 import HttpBody
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status
from spec2proto_codec import CodecError, HttpCodec, HttpRequest, HttpResponse

ASKED = HttpRequest("PUT", "/rows")


@pytest.fixture(scope="module")
def http(codec: Callable[..., HttpCodec]) -> HttpCodec:
    return codec("streams")


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (HttpResponse(503, "text/html; charset=utf-8", "<h1>bücher</h1>"), Code.UNAVAILABLE),
        (HttpResponse(502, "text/html", None, b"\xff\xfe"), Code.INTERNAL),
        (HttpResponse(503, "application/json", '{"text":"busy"}'), Code.UNAVAILABLE),
        (HttpResponse(404, "application/problem+json", '{"title": "gone"}'), Code.NOT_FOUND),
        (HttpResponse(429, "text/html", ""), Code.RESOURCE_EXHAUSTED),
        (HttpResponse(200, "application/xml", "<a/>"), Code.UNKNOWN),
        (HttpResponse(200, "application/yaml", "text: a\n"), Code.UNKNOWN),
        (HttpResponse(200, "application/json", None, b'{"text":"\xff"}'), Code.UNKNOWN),
    ],
)
def test_failures_and_what_is_not_declared_travel_in_the_details(
    http: HttpCodec, answer: HttpResponse, code: int
) -> None:
    rpc = http.find_rpc("rows")
    content, failed = http.encode_response(rpc, ASKED, answer)
    assert failed
    status, body, info = Status.FromString(content), HttpBody(), ErrorInfo()
    assert status.code == code
    assert [detail.TypeName() for detail in status.details] == ["google.api.HttpBody", "google.rpc.ErrorInfo"]
    assert status.details[0].Unpack(body)
    assert status.details[1].Unpack(info)
    assert (body.content_type, body.data) == (answer.content_type, answer.data or (answer.body or "").encode())
    assert info.metadata["status"] == str(answer.status)
    assert http.decode_response(rpc, content, failed=True) == answer


@pytest.mark.parametrize(
    "answer",
    [
        HttpResponse(200, "application/json", '{"text":"a"}'),
        HttpResponse(200, "text/plain", "a text"),
        HttpResponse(200, "application/zip", None, b"PK\xff\x00"),
        HttpResponse(200, "application/zip", "PK"),
    ],
)
def test_what_is_declared_is_a_message_with_its_status(http: HttpCodec, answer: HttpResponse) -> None:
    rpc = http.find_rpc("rows")
    content, failed = http.encode_response(rpc, ASKED, answer)
    assert not failed
    assert http.decode_response(rpc, content) == answer


@pytest.mark.parametrize(
    "content",
    [b"\xff", b"", Status(code=5, message="of another server").SerializeToString()],
)
def test_a_status_without_an_answer_is_refused(http: HttpCodec, content: bytes) -> None:
    with pytest.raises(CodecError, match="status"):
        http.decode_response(http.find_rpc("rows"), content, failed=True)
