"""Recorded traffic of a real server as messages of a contract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from spec2proto_codec import CodecError, HttpCodec, HttpRequest, HttpResponse
from spec2proto_codec.plans.types import MessagePlan

from tests.opensearch.test_codec import EXCHANGES
from tests.parts import Part, absent


@dataclass(frozen=True)
class Sent:
    """One message, where it comes from, and whether the specification's own schema takes its JSON."""

    group: str
    side: str
    valid: bool
    message: Any
    plan: MessagePlan


def recorded(codec: HttpCodec) -> Iterator[Sent]:
    """All recorded messages that the contract covers; failures are no messages of it."""
    if not EXCHANGES.is_file():
        absent(Part.TRAFFIC, f"no recorded traffic at {EXCHANGES}")
    groups = {rpc.group for rpc in codec.rpcs.values()}
    for line in EXCHANGES.read_text(encoding="utf-8").splitlines():
        exchange = json.loads(line)
        if exchange["operation_group"] in groups:
            yield from _messages(codec, exchange)


def _messages(codec: HttpCodec, exchange: dict[str, Any]) -> Iterator[Sent]:
    group = exchange["operation_group"]
    rpc = codec.find_rpc(group)
    for side, plan, encode in (("request", rpc.request, _request), ("response", rpc.response, _response)):
        if not isinstance(exchange[f"{side}_body"], str | None):
            continue
        try:
            content = encode(codec, exchange)
        except CodecError:
            continue  # the codec's own tests judge what it refuses
        if content is not None:
            yield Sent(
                group, side, exchange[f"{side}_valid"] is not False, codec.parse_message(plan.name, content), plan
            )


def _asked(exchange: dict[str, Any]) -> HttpRequest:
    body = exchange["request_body"] if isinstance(exchange["request_body"], str) else None
    kind = exchange["request_content_type"] or "" if body else ""
    return HttpRequest(exchange["method"], exchange["path"], exchange["query"] or "", body, kind)


def _request(codec: HttpCodec, exchange: dict[str, Any]) -> bytes | None:
    return codec.encode_request(codec.find_rpc(exchange["operation_group"]), _asked(exchange))


def _response(codec: HttpCodec, exchange: dict[str, Any]) -> bytes | None:
    answer = HttpResponse(exchange["status"], exchange["response_content_type"] or "", exchange["response_body"])
    content, failed = codec.encode_response(codec.find_rpc(exchange["operation_group"]), _asked(exchange), answer)
    return None if failed else content
