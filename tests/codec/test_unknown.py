"""Keys, parameters and enum texts that the contract does not have: refused, or kept or ignored where asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from spec2proto_codec import CodecError, HttpCodec, HttpRequest, HttpResponse

from tests.codec.encode.test_forms import BASE, NAME

PLACES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("/new", {"new": {"a": [1, None, 2**80]}}, {}),
    ("/term/new", {"term": {"value": "a", "new": 1}}, {"term": {"value": "a"}}),
    ("/terms/1/new", {"terms": ["a", {"value": "b", "new": {}}]}, {"terms": ["a", {"value": "b"}]}),
    (
        "/query/all/0/match/new",
        {"query": {"all": [{"match": {"value": "a", "new": 0.1}}]}},
        {"query": {"all": [{"match": {"value": "a"}}]}},
    ),
    ("/shape/new", {"shape": {"type": "s", "size": 1, "new": 1}}, {"shape": {"type": "s", "size": 1}}),
    ("/facet/new", {"facet": {"missing": 1, "new": 1}}, {"facet": {"missing": 1}}),
]


@pytest.mark.parametrize(("place", "value", "left"), PLACES, ids=[place for place, _, _ in PLACES])
def test_an_unknown_key_is_refused_kept_or_ignored(
    codec: Callable[..., HttpCodec], place: str, value: dict[str, Any], left: dict[str, Any]
) -> None:
    with pytest.raises(CodecError) as caught:
        codec("forms").encode(NAME, BASE | value)
    assert (caught.value.path, caught.value.reason.split(" in ")[0]) == (place, "no such property")
    keeping, ignoring = codec("forms", "keep"), codec("forms", "ignore")
    assert codec("forms").decode(NAME, keeping.encode(NAME, BASE | value)) == BASE | value
    assert codec("forms").decode(NAME, ignoring.encode(NAME, BASE | value)) == BASE | left


def test_an_unknown_enum_text_is_kept_only_where_asked_for(codec: Callable[..., HttpCodec]) -> None:
    value = BASE | {"state": "ajar", "states": ["open", "ajar"]}
    for unknown in ("error", "ignore"):
        with pytest.raises(CodecError, match='/state: "ajar" is no value of State'):
            codec("forms", unknown).encode(NAME, value)
    assert codec("forms").decode(NAME, codec("forms", "keep").encode(NAME, value)) == value


@pytest.mark.parametrize(
    ("unknown", "query", "body"), [("keep", "colour=red&limit=1", True), ("ignore", "limit=1", False)]
)
def test_requests_and_answers_follow_the_option(
    codec: Callable[..., HttpCodec], unknown: str, query: str, body: bool
) -> None:
    http = codec("http", unknown)
    rpc = http.find_rpc("search")
    asked = HttpRequest("POST", "/search", "colour=red&limit=1", '{"size":1,"new":[1]}')
    back = http.decode_request(rpc, http.encode_request(rpc, asked))
    assert sorted(back.query.split("&")) == query.split("&")
    assert json.loads(back.body or "") == ({"size": 1, "new": [1]} if body else {"size": 1})
    content, _ = http.encode_response(rpc, asked, HttpResponse(200, "application/json", '{"hits":[],"new":1}'))
    told = json.loads(http.decode_response(rpc, content).body or "")
    assert told == ({"hits": [], "new": 1} if body else {"hits": []})
