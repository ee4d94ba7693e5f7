"""The JSON form of an HTTP request or response on the standard input and output of `encode` and `decode`.

A request is an object with `method`, `path`, `query`, `headers`, `content_type` and `body`; a response is one with
`status`, `content_type` and `body`. A response may also name `method` and `path` of its request, which matters if an
operation group has several path templates. `body` is a string or the JSON value itself; bytes such as CBOR are in
`base64` instead.
"""

from __future__ import annotations

import base64
import json
from typing import Any

from spec2proto_codec import HttpRequest, HttpResponse

from pipeline.model.diagnostics import Diagnostic, Failure, Place

STDIN = "(standard input)"
_JSON = "application/json"


def parse_exchange(content: bytes) -> dict[str, Any]:
    """Parse the JSON object of a request or response.

    Raises:
        Failure: `codec/input`.
    """
    hint = "give an object with `method`, `path` and `body`, or with `status` and `body`"
    try:
        exchange = json.loads(content)
    except ValueError as error:
        raise _build_failure(f"not JSON: {error}", hint) from None
    if not isinstance(exchange, dict):
        raise _build_failure("it is no object", hint)
    return exchange


def parse_request(exchange: dict[str, Any]) -> HttpRequest:
    """Return the request that an object describes.

    Raises:
        Failure: `codec/input`.
    """
    path, _, query = str(exchange.get("path", "/")).partition("?")
    return HttpRequest(
        method=str(exchange.get("method", "GET")).upper(),
        path=path,
        query=str(exchange.get("query") or query),
        body=_parse_body(exchange),
        content_type=str(exchange.get("content_type") or _JSON),
        headers={str(name): str(value) for name, value in dict(exchange.get("headers") or {}).items()},
        data=_decode_base64(exchange),
    )


def parse_response(exchange: dict[str, Any]) -> HttpResponse:
    """Return the response that an object describes.

    Raises:
        Failure: `codec/input`.
    """
    content_type, data = str(exchange.get("content_type") or _JSON), _decode_base64(exchange)
    try:
        return HttpResponse(int(exchange.get("status", 200)), content_type, _parse_body(exchange), data)
    except (ValueError, TypeError) as error:
        raise _build_failure(f"no response: {error}", "give a status and a body") from None


def dump_request(request: HttpRequest) -> dict[str, Any]:
    """Return the JSON form of a request, without empty entries."""
    names = ("method", "path", "query", "headers", "content_type", "body")
    return {name: getattr(request, name) for name in names if getattr(request, name)} | _dump_data(request.data)


def dump_response(response: HttpResponse) -> dict[str, Any]:
    """Return the JSON form of a response, without empty entries."""
    names = ("content_type", "body")
    dumped = {name: getattr(response, name) for name in names if getattr(response, name)}
    return {"status": response.status, **dumped, **_dump_data(response.data)}


def _parse_body(exchange: dict[str, Any]) -> str | None:
    body = exchange.get("body")
    return body if body is None or isinstance(body, str) else json.dumps(body, ensure_ascii=False)


def _decode_base64(exchange: dict[str, Any]) -> bytes | None:
    try:
        return base64.b64decode(exchange["base64"], validate=True) if "base64" in exchange else None
    except (ValueError, TypeError) as error:
        raise _build_failure(f"no base64: {error}", "give the bytes of the body as base64") from None


def _dump_data(data: bytes | None) -> dict[str, str]:
    return {} if data is None else {"base64": base64.b64encode(data).decode()}


def _build_failure(message: str, hint: str) -> Failure:
    return Failure(Diagnostic("codec/input", message, Place(STDIN), hint))
