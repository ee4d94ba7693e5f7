"""The round trip: recorded exchanges through JSON, bytes and back.

An exchange is an object with `operation_group`, `method`, `path`, `query`, `request_content_type`, `request_body`,
`status`, `response_content_type` and `response_body`; a body is a text, null, or `{"base64": …}` for bytes.
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
    """What came back of the request and of the answer of one exchange.

    Args:
        codec: of the contract.
        number: of the exchange, counted from 0.
        exchange: as above.

    Yields:
        `line`, `side`, `bytes`, and `path`, `query` and `body`; or an `error`.
    """
    for side, trip in (("request", _request), ("response", _response)):
        try:
            yield {"line": number, "side": side, **trip(codec, exchange)}
        except CodecError as error:
            yield {"line": number, "side": side, "error": str(error)}


def _sent(exchange: dict[str, Any]) -> HttpRequest:
    text, data = _content(exchange["request_body"])
    kind = exchange["request_content_type"] or ""
    return HttpRequest(exchange["method"], exchange["path"], exchange["query"] or "", text, kind, data=data)


def _content(body: str | dict[str, str] | None) -> tuple[str | None, bytes | None]:
    """The text of a recorded body, or its bytes."""
    return (None, base64.b64decode(body["base64"])) if isinstance(body, dict) else (body, None)


def _recorded(text: str | None, data: bytes | None) -> str | dict[str, str] | None:
    return text if data is None else {"base64": base64.b64encode(data).decode()}


def _request(codec: HttpCodec, exchange: dict[str, Any]) -> dict[str, Any]:
    rpc = codec.find_rpc(exchange["operation_group"])
    content = codec.encode_request(rpc, _sent(exchange))
    back = codec.decode_request(rpc, content)
    return {"bytes": len(content), "path": back.path, "query": back.query, "body": _recorded(back.body, back.data)}


def _response(codec: HttpCodec, exchange: dict[str, Any]) -> dict[str, Any]:
    rpc = codec.find_rpc(exchange["operation_group"])
    kind = exchange["response_content_type"] or ""
    answer = HttpResponse(exchange["status"], kind, *_content(exchange["response_body"]))
    asked = HttpRequest(exchange["method"], exchange["path"])
    if rpc.streaming:
        contents, failed = codec.encode_stream(rpc, asked, answer)
        back = codec.decode_stream(rpc, contents, failed=failed)
        size = sum(map(len, contents))
    else:
        content, failed = codec.encode_response(rpc, asked, answer)
        back = codec.decode_response(rpc, content, failed=failed)
        size = len(content)
    return {"bytes": size, "body": _recorded(back.body, back.data)} | ({"failed": True} if failed else {})
