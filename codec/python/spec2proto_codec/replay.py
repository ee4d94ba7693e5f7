"""Replay recorded exchanges: encode each request and response, decode the bytes, and return what came back.

An exchange is an object with `operation_group`, `method`, `path`, `query`, `request_content_type`, `request_body`,
`status`, `response_content_type` and `response_body`. A body is a string, null, or `{"base64": …}` for bytes.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from spec2proto_codec.errors import CodecError
from spec2proto_codec.http.codec import HttpCodec
from spec2proto_codec.http.requests import HttpRequest
from spec2proto_codec.http.responses import HttpResponse


def replay_exchange(codec: HttpCodec, number: int, exchange: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what came back of the request and of the response of the exchange `number`.

    Each has `line`, `side` and `bytes`, with `path`, `query` and `body`; or an `error` instead.
    """
    for side, replay in (("request", _replay_request), ("response", _replay_response)):
        try:
            yield {"line": number, "side": side, **replay(codec, exchange)}
        except CodecError as error:
            yield {"line": number, "side": side, "error": str(error)}


def _replay_request(codec: HttpCodec, exchange: dict[str, Any]) -> dict[str, Any]:
    rpc = codec.find_rpc(exchange["operation_group"])
    body, data = _parse_body(exchange["request_body"])
    content_type = exchange["request_content_type"] or ""
    request = HttpRequest(exchange["method"], exchange["path"], exchange["query"] or "", body, content_type, data=data)
    content = codec.encode_request(rpc, request)
    back = codec.decode_request(rpc, content)
    return {"bytes": len(content), "path": back.path, "query": back.query, "body": _dump_body(back.body, back.data)}


def _replay_response(codec: HttpCodec, exchange: dict[str, Any]) -> dict[str, Any]:
    rpc = codec.find_rpc(exchange["operation_group"])
    content_type = exchange["response_content_type"] or ""
    response = HttpResponse(exchange["status"], content_type, *_parse_body(exchange["response_body"]))
    request = HttpRequest(exchange["method"], exchange["path"])
    if rpc.streaming:
        contents, failed = codec.encode_stream(rpc, request, response)
        back = codec.decode_stream(rpc, contents, failed=failed)
        size = sum(map(len, contents))
    else:
        content, failed = codec.encode_response(rpc, request, response)
        back = codec.decode_response(rpc, content, failed=failed)
        size = len(content)
    return {"bytes": size, "body": _dump_body(back.body, back.data)} | ({"failed": True} if failed else {})


def _parse_body(body: str | dict[str, str] | None) -> tuple[str | None, bytes | None]:
    return (None, base64.b64decode(body["base64"])) if isinstance(body, dict) else (body, None)


def _dump_body(text: str | None, data: bytes | None) -> str | dict[str, str] | None:
    return text if data is None else {"base64": base64.b64encode(data).decode()}
