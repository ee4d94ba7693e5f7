"""What each form and role is in JSON: there and back, and how the bytes say it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from spec2proto_codec import Codec, HttpCodec
from spec2proto_codec.values.spelling_notes import FIELD_NUMBER, has_unknown_fields

NAME = "forms.v1.Everything"
BASE = {"title": "t", "names": [], "sizes": {}}
PLAIN: list[dict[str, Any]] = [
    {},
    {"count": 0},
    {"count": -5, "long": -(2**63), "huge": 2**64 - 1},
    {"ratio": 0.1, "exact": 0.1},
    {"any_number": 3, "anything": 2**40},
    {"any_number": 2.5, "object": {"a": [1, 1.5, "x", None, {"b": True}]}},
    {"flag": False},
    {"state": "open", "states": ["closed", "open"]},
    {"more": ["a", ""], "others": {"a": 2**62}},
    {"one_or_many": ["a"]},
    {"vector": [0.1, -2.5, 1e-40, 0.0]},
    {"anything": None},
    {"anything": []},
    {"anything": {}},
    {"document": {"a": [1, 2.0, None, "ü"]}},
    {"picture": "AAEC/w=="},
    {"digits": 12345678901234567890123},
    {"stringified": 5, "switch": True},
    {"nullable": "x", "nulls": ["a", None]},
    {"pair": []},
    {"pair": ["a"]},
    {"pair": ["a", 1, True, False]},
    {"grid": [[1.0, 2.0], [], [3.5]]},
    {"term": {"value": "kim"}, "terms": [{"value": "kim", "boost": 2.0}]},
    {"facet": {"label": "l", "kind": "", "above": 3}},
    {"facet": {"field": "f", "size": 3}},
    {"facet": {"missing": 3}},
    {"shape": {"type": "c", "size": 1}},
    {"shape": {"type": "s", "size": 1}},
    {"query": {"all": [{"match": {"value": "a"}}, {"by": {"k": {"value": "b"}}}]}},
    {"open": {"found": 1, "other": "x"}},
    {"mixed": "closed"},
    {"mixed": "else"},
    {"mixed": 3},
    {"mixed": True},
]
SPELLED: list[dict[str, Any]] = [
    {"names": None},
    {"count": None},
    {"one_or_many": "a"},
    {"one_or_many": []},
    {"more": []},
    {"others": {}},
    {"term": "kim"},
    {"terms": ["kim", {"value": "kim"}]},
    {"query": {"by": {"k": "b"}}},
    {"nullable": None},
    {"ratio": 0.1234567890123},
    {"ratio": 123456789},
    {"vector": [0.1234567890123, 1.0]},
    {"exact": 2**60 + 1},
    {"any_number": 2**70 + 1},
    {"anything": [-(2**70) - 1]},
    {"stringified": "5"},
    {"stringified": "+05"},
    {"switch": "true"},
    {"states": ["open", None]},
    {"more": ["a", None]},
    {"others": {"a": None}},
    {"terms": [None, "x"]},
    {"pair": [None, 1]},
    {"facet": {"above": 1}},
    {"shape": {"type": "c"}},
    {"counted": {"skip": "0"}},
    {"failure": {"status": 5, "id": "a", "shard": 2}},
    {"failure": {"id": "a", "shard": 2}},
]


@pytest.fixture(scope="module")
def forms(codec: Callable[..., HttpCodec]) -> Codec:
    return codec("forms")


@pytest.mark.parametrize("value", PLAIN, ids=str)
def test_the_canonical_spelling_needs_no_note(forms: Codec, value: dict[str, Any]) -> None:
    whole = BASE | value
    message = forms.encode_message(NAME, whole)
    assert not has_unknown_fields(message)
    assert same(forms.decode(NAME, message.SerializeToString()), whole)


@pytest.mark.parametrize("value", SPELLED, ids=str)
def test_any_other_spelling_comes_back_by_a_note(forms: Codec, value: dict[str, Any]) -> None:
    whole = BASE | value
    message = forms.encode_message(NAME, whole)
    assert has_unknown_fields(message)
    assert same(forms.decode(NAME, message.SerializeToString()), whole)
    message.DiscardUnknownFields()
    forms.decode(NAME, message.SerializeToString())


def test_what_must_be_there_is_written_and_its_absence_is_noted(forms: Codec) -> None:
    assert forms.decode(NAME, b"") == BASE | {"title": ""}
    assert forms.decode(NAME, forms.encode(NAME, {})) == {}


def test_a_variant_is_the_field_that_generated_code_expects(forms: Codec) -> None:
    message = forms.encode_message(NAME, BASE | {"shape": {"type": "s", "size": 1}, "mixed": 3, "term": "kim"})
    assert message.shape.WhichOneof("shape") == "square"
    assert message.mixed.WhichOneof(message.mixed.DESCRIPTOR.oneofs[0].name) == "int64"
    assert message.term.value == "kim"


def test_messages_of_generated_code_decode_without_any_note(forms: Codec) -> None:
    message = forms.create_message(NAME)
    message.title = "t"
    message.terms.add().value = "kim"
    message.facet.bands.above = 3
    assert forms.decode_message(message) == BASE | {"terms": [{"value": "kim"}], "facet": {"kind": "", "above": 3}}


def test_a_note_is_small_and_of_the_highest_number(forms: Codec) -> None:
    plain = forms.encode(NAME, BASE | {"one_or_many": ["a"]})
    noted = forms.encode(NAME, BASE | {"one_or_many": "a"})
    assert len(noted) - len(plain) <= 10
    assert FIELD_NUMBER == 2**29 - 1


def test_the_first_text_of_a_value_is_canonical(codec: Callable[..., HttpCodec]) -> None:
    cases = codec("cases")
    for value in ({"order": "asc"}, {"order": "ASC", "orders": ["DESC", "desc"]}, {"value": None}):
        assert cases.decode("cases.v1.Sorting", cases.encode("cases.v1.Sorting", value)) == value
    assert not has_unknown_fields(cases.encode_message("cases.v1.Sorting", {"order": "asc", "value": None}))


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same: `1` and `1.0` are, `1` and `true` are not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other and isinstance(one, str) == isinstance(other, str)
