"""The options of protovalidate in the whole API take what its specification does: generated values, real traffic."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from protovalidate import Validator
from spec2proto_codec import HttpCodec, HttpRequest, HttpResponse

from pipeline.cli.codec import load_codec
from postprocess.round_trip.leaves import Leaves
from tests.opensearch.conftest import Build
from tests.opensearch.spec_values import Values
from tests.opensearch.test_operations import OPERATIONS, answers, document, request, text
from tests.opensearch.traffic import recorded
from tests.support import ROOT


@pytest.fixture(scope="module")
def codec(full: Build) -> HttpCodec:
    return load_codec("opensearch-full", full.folder, "error")


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
    rpc = codec.find_rpc(group)
    found = [codec.parse_message(rpc.request.name, codec.encode_request(rpc, asked))]
    for answer in answered:
        content, failed = codec.encode_response(rpc, asked, answer)
        found += [] if failed else [codec.parse_message(rpc.response.name, content)]
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
    judged = [told(validator, sent.message) for sent in recorded(codec) if sent.valid]
    assert len(judged) > 500
    assert [found for found in judged if found] == []


def test_what_recorded_traffic_says_of_declared_types_travels_typed(full: Build, codec: HttpCodec) -> None:
    canonical = json.loads((ROOT / "generated" / "opensearch-full" / "canonical.json").read_text())
    schemas = canonical["components"]["schemas"].items()
    wrapping = {name for name, each in schemas if each.get("x-proto-message-schema", "").startswith("wrapper:")}
    leaves = Leaves(frozenset(f"opensearch.v1.{name}" for name in wrapping))
    for sent in recorded(codec):
        leaves.count(sent.message, sent.plan)
    open_fields = [name for reason in full.report["dynamic"]["reasons"].values() for name in reason["fields"]]
    assert leaves.count_typed_dynamic(open_fields) == {}
    assert leaves.typed > 3000
    assert leaves.dynamic.total() > 100
