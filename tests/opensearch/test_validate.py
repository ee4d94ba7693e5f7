"""The options of protovalidate in the whole API take what its specification does: generated values, real traffic."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from protovalidate import Validator

from pipeline.codec_commands import codec_of
from postprocess.codec import CodecError, HttpCodec, HttpRequest, HttpResponse
from tests.opensearch.conftest import Build
from tests.opensearch.spec_values import Values
from tests.opensearch.test_codec import EXCHANGES
from tests.opensearch.test_operations import OPERATIONS, answers, document, request, text


@pytest.fixture(scope="module")
def codec(full: Build) -> HttpCodec:
    return codec_of("opensearch-full", full.folder, "error")


@pytest.fixture(scope="module")
def validator() -> Validator:
    return Validator()


def told(validator: Validator, message: Any) -> list[str]:
    """What protovalidate has against a message, and where."""
    return [
        f"{violation.proto.rule_id}: {'.'.join(part.field_name for part in violation.proto.field.elements)}"
        if violation.proto.field
        else violation.proto.rule_id
        for violation in validator.collect_violations(message)
    ]


def messages(codec: HttpCodec, group: str, asked: HttpRequest, answered: list[HttpResponse]) -> list[Any]:
    """The messages of a request and its answers; failures are no messages of the contract."""
    rpc = codec.rpc(group)
    found = [codec.parsed(rpc.request.name, codec.encode_request(rpc, asked))]
    for answer in answered:
        content, failed = codec.encode_response(rpc, asked, answer)
        found += [] if failed else [codec.parsed(rpc.response.name, content)]
    return found


def check(codec: HttpCodec, validator: Validator, values: Values, group: str, examples: int) -> None:
    @settings(
        max_examples=examples, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    @given(st.data())
    def is_taken(data: st.DataObject) -> None:
        method, path = data.draw(st.sampled_from(OPERATIONS[group]), "operation")
        asked = request(data, values, method, path)
        answered = [
            HttpResponse(int(status) if status.isdecimal() else 200, kind, text(values.draw(data, schema), kind))
            for status, kind, schema in answers(values, method, path)
        ]
        for message in messages(codec, group, asked, answered):
            assert told(validator, message) == []

    is_taken()


def test_generated_requests_and_answers_are_valid(codec: HttpCodec, validator: Validator) -> None:
    values = Values(document())
    for group in OPERATIONS:
        check(codec, validator, values, group, 2)


@pytest.mark.nightly
@pytest.mark.parametrize("group", OPERATIONS)
def test_a_hundred_requests_and_answers_are_valid(codec: HttpCodec, validator: Validator, group: str) -> None:
    check(codec, validator, Values(document()), group, 100)


def test_recorded_traffic_is_valid(codec: HttpCodec, validator: Validator) -> None:
    if not EXCHANGES.is_file():
        pytest.skip(f"no recorded traffic at {EXCHANGES}")
    found: Counter[str] = Counter()
    groups = {rpc.group for rpc in codec.rpcs.values()}
    for line in EXCHANGES.read_text(encoding="utf-8").splitlines():
        exchange = json.loads(line)
        if exchange["operation_group"] not in groups:
            continue
        for side in ("request", "response"):
            if exchange[f"{side}_valid"] is not False and isinstance(exchange[f"{side}_body"], str | None):
                found.update(judged(codec, validator, exchange, side))
    assert found.pop("valid") > 500
    assert not found


def judged(codec: HttpCodec, validator: Validator, exchange: dict[str, Any], side: str) -> list[str]:
    """What protovalidate has against one side of an exchange; `valid` where it has nothing."""
    body = exchange["request_body"] if side == "request" else None
    kind = exchange["request_content_type"] or ""
    asked = HttpRequest(exchange["method"], exchange["path"], exchange["query"] or "", body, kind if body else "")
    rpc = codec.rpc(exchange["operation_group"])
    try:
        if side == "request":
            message = codec.parsed(rpc.request.name, codec.encode_request(rpc, asked))
        else:
            kind = exchange["response_content_type"] or ""
            answer = HttpResponse(exchange["status"], kind, exchange["response_body"])
            content, failed = codec.encode_response(rpc, asked, answer)
            if failed:
                return []
            message = codec.parsed(rpc.response.name, content)
    except CodecError:
        return []  # a request or an answer that the contract does not cover; the codec's own tests judge these
    return told(validator, message) or ["valid"]
