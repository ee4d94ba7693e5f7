"""What cannot be carried is an error that says where it stands and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from spec2proto_codec import CodecError, HttpCodec
from spec2proto_codec.formats.json import parse
from spec2proto_codec.values.spelling_notes import attach, encode_record

from tests.codec.encode.test_forms import BASE, NAME

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"count": "x"}, '/count: expected an integer, found "x"'),
    ({"count": 1.5}, "/count: expected an integer, found 1.5"),
    ({"count": True}, "/count: expected an integer, found a boolean"),
    ({"count": 2**31}, "/count: 2147483648 is out of the range of int32"),
    ({"huge": -1}, "/huge: -1 is out of the range of uint64"),
    ({"ratio": 1e39}, "/ratio: 1e+39 is out of the range of float"),
    ({"vector": [1.0, "x"]}, '/vector/1: expected a number, found "x"'),
    ({"title": 5}, "/title: expected a string, found 5"),
    ({"title": "\ud800"}, "/title: the string holds half of a surrogate pair, which UTF-8 cannot encode"),
    ({"flag": "true"}, '/flag: expected a boolean, found "true"'),
    ({"state": "ajar"}, '/state: "ajar" is no value of State'),
    ({"states": ["open", "ajar"]}, '/states/1: "ajar" is no value of State'),
    ({"more": "a"}, '/more: expected a list, found "a"'),
    ({"sizes": [1]}, "/sizes: expected an object, found a list"),
    ({"sizes": {"a/b": 1.5}}, "/sizes/a~1b: expected an integer, found 1.5"),
    ({"picture": "A"}, '/picture: "A" is no base64'),
    ({"picture": "AB=="}, '/picture: "AB==" is no base64'),
    ({"stringified": "4x"}, '/stringified: expected a number, found "4x"'),
    ({"object": [1]}, "/object: expected an object, found a list"),
    ({"foo": 1}, "/foo: no such property in Everything"),
    ({"term": {"valu": "x"}}, "/term/valu: no such property in Term"),
    ({"query": {"match": "a", "all": []}}, "/query/all: only one of `match` and `all` can be carried"),
    ({"query": {"by": {"a": "x", "b": "y"}}}, "/query/by: expected an object of one key, found an object"),
    ({"query": {"all": [{"match": 5}]}}, "/query/all/0/match/value: expected a string, found 5"),
    ({"facet": {"missing": 1, "above": 2}}, "/facet/above: only one of `missing` and `above` can be carried"),
    ({"shape": {"type": "s", "size": "x"}}, '/shape/size: expected an integer, found "x"'),
    ({"mixed": 1.5}, "/mixed: 1.5 is none of "),
    ({"open": {"other": 5}}, "/open/other: expected a string, found 5"),
    ({"pair": ["a", "b"]}, '/pair/1: expected an integer, found "b"'),
    ({"anything": float("inf")}, "/anything: a number is beyond what a double can hold"),
    ({"document": {"a": float("nan")}}, "/document: a number is beyond what a double can hold"),
]


@pytest.fixture(scope="module")
def forms(codec: Callable[..., HttpCodec]) -> HttpCodec:
    return codec("forms")


@pytest.mark.parametrize(("value", "told"), REFUSED, ids=[told for _, told in REFUSED])
def test_what_cannot_be_carried_is_an_error_with_its_place(forms: HttpCodec, value: dict[str, Any], told: str) -> None:
    with pytest.raises(CodecError) as caught:
        forms.encode(NAME, BASE | value)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"a": 1, "a": 2}', "the key `a` stands twice in one object"),
        ('{"a": NaN}', "NaN is no JSON"),
        ("{", "no JSON: Expecting property name enclosed in double quotes at line 1 column 2"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 10_000, "a number has more than 4300 digits"),
    ],
)
def test_a_text_that_is_no_json_is_refused(text: str, told: str) -> None:
    with pytest.raises(CodecError) as caught:
        parse(text)
    assert caught.value.reason == told


def test_unknown_keys_are_kept_or_ignored_where_that_is_asked_for(codec: Callable[..., HttpCodec]) -> None:
    value = BASE | {"foo": {"bar": [1, None]}, "term": {"value": "a", "x": 2**80}, "state": "ajar", "states": ["ajar"]}
    keeping, ignoring = codec("forms", "keep"), codec("forms", "ignore")
    assert keeping.decode(NAME, keeping.encode(NAME, value)) == value
    assert ignoring.decode(NAME, ignoring.encode(NAME, {**BASE, "foo": 1, "term": {"value": "a", "x": 2}})) == {
        **BASE,
        "term": {"value": "a"},
    }


def test_bytes_that_are_no_message_are_refused(forms: HttpCodec) -> None:
    with pytest.raises(CodecError, match="the bytes are no Everything message"):
        forms.decode(NAME, b"\xff\xff")


def test_fields_and_values_that_stand_for_nothing_are_refused(forms: HttpCodec) -> None:
    message = forms.create_message(NAME)
    message.state = 77
    with pytest.raises(CodecError, match="/state: 77 is no value of State"):
        forms.decode_message(message)
    with pytest.raises(CodecError, match=r"field 400 of forms.v1.Everything is not of this contract"):
        forms.decode(NAME, b"\x82\x19\x00")
    message = forms.create_message(NAME)
    message.exact = float("inf")
    with pytest.raises(CodecError, match="/exact: inf is no JSON number"):
        forms.decode_message(message)


@pytest.mark.parametrize("content", [b"\x02", b"\x01\xff", b"\x01\x61\x01\x09", b"\x01\x21\x01\x02\xff\xff"])
def test_a_broken_note_is_refused(forms: HttpCodec, content: bytes) -> None:
    message = forms.create_message(NAME)
    message.MergeFromString(b"\xfa\xff\xff\xff\x0f" + bytes([len(content)]) + content)
    with pytest.raises(CodecError, match="spelling note"):
        forms.decode_message(message)


def test_records_about_nothing_change_nothing(forms: HttpCodec) -> None:
    message = forms.encode_message(NAME, BASE)
    attach(message, encode_record(1, 4000) + encode_record(4, 4000, place="x"))
    assert forms.decode_message(message) == BASE


def test_what_is_nested_too_deeply_is_refused(forms: HttpCodec) -> None:
    value: Any = 1
    for _ in range(60):
        value = [value]
    with pytest.raises(CodecError, match="nested more deeply"):
        forms.encode(NAME, BASE | {"anything": value})
    for _ in range(100_000):
        value = [value]
    with pytest.raises(CodecError, match="nested"):
        forms.encode(NAME, BASE | {"anything": value})
    query: Any = {"match": "a"}
    for _ in range(5_000):
        query = {"all": [query]}
    with pytest.raises(CodecError, match="nested"):
        forms.encode(NAME, BASE | {"query": query})
