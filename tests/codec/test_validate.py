"""The options of protovalidate mean what the schema does: its own runtime judges what the codec makes of JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from protovalidate import Validator
from spec2proto_codec import HttpCodec

from tests.rules.pages import read_pages

STEMS = {page.stem for page in read_pages() if page.stem.startswith("validate-")}
LOAN = {"reader": {"name": "a"}, "state": "open", "days": 0, "notes": [], "branch": None}
# By rule and message: what is allowed, and what is not, each with the rule of protovalidate that tells.
CASES: dict[tuple[str, str], tuple[list[Any], list[tuple[Any, str]]]] = {
    ("validate-required", "Loan"): ([LOAN, LOAN | {"reader": {"name": ""}}], []),
    ("validate-enum", "Shelf"): ([{}, {"kind": "open", "moods": ["calm"], "by_day": {"a": "busy"}}], []),
    ("validate-bounds", "Loan"): (
        [{"days": 1}, {"days": 90, "fee": 0.01, "copies": 2, "rating": 5, "marks": [3]}, {"days": 9, "rating": -1e300}],
        [
            ({"days": 0}, "int32.gte_lte"),
            ({"days": 91}, "int32.gte_lte"),
            ({"days": 1, "fee": 0}, "double.gt"),
            ({"days": 1, "copies": 0}, "int64.gte"),
            ({"days": 1, "copies": 3}, "multiple_of_2"),
            ({"days": 1, "rating": 6}, "at_most_5"),
            ({"days": 1, "rating": 5.5}, "at_most_5"),
            ({"days": 1, "rating": 2**63}, "at_most_5"),
            ({"days": 1, "marks": [3, 2]}, "int64.gte"),
        ],
    ),
    ("validate-lengths", "Reader"): (
        [
            {"name": "a"},
            {"name": "😀" * 200, "card": "12345678", "tags": ["", "123456789"], "stamp": "MDEyMzQ1Njc4OQ=="},
        ],
        [
            ({"name": ""}, "string.min_len"),
            ({"name": "a" * 201}, "string.max_len"),
            ({"name": "a", "card": ""}, "string.min_len"),
            ({"name": "a", "tags": ["", "1234567890"]}, "string.max_len"),
        ],
    ),
    ("validate-pattern", "Book"): (
        [{"isbn": "0123456789012", "mark": "see A12.b", "code": "abc x", "title": " a"}, {"code": "a\x85cx"}],
        [
            ({"isbn": "012345678901"}, "string.pattern"),
            ({"isbn": "0123456789012\n"}, "string.pattern"),
            ({"isbn": "٠١٢٣٤٥٦٧٨٩٠١٢"}, "string.pattern"),
            ({"mark": "a12"}, "string.pattern"),
            ({"code": "a\u2028cx"}, "string.pattern"),
            ({"code": "abcd"}, "pattern_2"),
        ],
    ),
    ("validate-format", "Branch"): (
        [
            {"id": "f81d4fae-7dec-11d0-a765-00A0C91E6BF6", "host": "a.example", "homepage": "https://a.example/?a#b"},
            {"mail": '"a b"@[127.0.0.1]', "opened": "2024-02-30"},
        ],
        [
            ({"id": "f81d4fae7dec11d0a76500a0c91e6bf6"}, "string.uuid"),
            ({"host": "a b"}, "string.hostname"),
            ({"homepage": "/relative"}, "string.uri"),
        ],
    ),
    ("validate-items", "Reader"): (
        [{"cards": ["a"]}, {"cards": ["a", "A"], "phones": ["112", "112"], "rows": [["a"] * 9], "weights": [1, 1]}],
        [
            ({"cards": []}, "repeated.min_items"),
            ({"cards": ["a", "a"]}, "repeated.unique"),
            ({"cards": ["a"], "phones": ["112"]}, "repeated.min_items"),
            ({"cards": ["a"], "phones": ["112"] * 5}, "repeated.max_items"),
            ({"cards": ["a"], "phones": ["112", "11"]}, "string.min_len"),
            ({"cards": ["a"], "rows": [[]] * 10}, "repeated.max_items"),
        ],
    ),
    ("validate-keys", "Catalogue"): (
        [{}, {"by_mark": {"A1": 9}, "by_isbn": {"0123456789012": "a"}, "by_reader": {"": "", "b": ""}}],
        [
            ({"by_mark": {"a1": 9}}, "string.pattern"),
            ({"by_mark": {"A1": 10}}, "int32.gte_lte"),
            ({"by_mark": {f"A{number}": 1 for number in range(101)}}, "map.max_pairs"),
            ({"by_isbn": {"012": "a"}}, "string.pattern"),
            ({"by_isbn": {"0123456789012": ""}}, "string.min_len"),
            ({"by_reader": {"a": ""}}, "map.min_pairs"),
        ],
    ),
    ("validate-properties", "Filter"): ([{"title": ""}, {"pages": 0}], [({}, "required")]),
    ("validate-properties", "Change"): ([{"title": ""}, {"title": "a", "pages": 0}], [({}, "at_least_1_property")]),
    ("validate-properties", "Contact"): (
        [{}, {"mail": "", "phone": ""}],
        [({"mail": "", "phone": "", "post": ""}, "at_most_2_properties")],
    ),
    ("validate-properties", "Note"): ([{}, {"lines": []}], []),
    ("validate-values", "Print"): (
        [{}, {"version": 2, "sides": 4, "sharp": True, "scale": 3}],
        [({"version": 1}, "int32.const"), ({"sides": 3}, "int32.in"), ({"sharp": False}, "bool.const")],
    ),
}
# What has no JSON: the message as fields of protobuf, and the rule that tells.
UNSET: list[tuple[str, str, dict[str, Any], str]] = [
    ("validate-required", "Loan", {"state": 1}, "required"),
    ("validate-required", "Loan", {"reader": {}, "state": 0}, "required"),
    ("validate-enum", "Shelf", {"kind": 3}, "enum.defined_only"),
    ("validate-enum", "Shelf", {"moods": [1, 7]}, "enum.defined_only"),
    ("validate-enum", "Shelf", {"by_day": {"a": 9}}, "enum.defined_only"),
]
Codecs = Callable[..., HttpCodec]


def named(codec: HttpCodec, message: str) -> str:
    return next(name for name in codec.plans.messages if name.endswith(f".{message}"))


def told(message: Any) -> list[str]:
    return sorted({violation.proto.rule_id for violation in Validator().collect_violations(message)})


def test_each_rule_is_tried() -> None:
    assert {stem for stem, _ in CASES} == STEMS


@pytest.mark.parametrize(("stem", "message"), CASES)
def test_what_the_schema_takes_is_valid(codec: Codecs, stem: str, message: str) -> None:
    built = codec(stem)
    for value in CASES[stem, message][0]:
        assert told(built.encode_message(named(built, message), value)) == [], value


@pytest.mark.parametrize(
    ("stem", "message", "value", "rule"),
    [(*key, value, rule) for key, (_, refused) in CASES.items() for value, rule in refused],
)
def test_what_the_schema_refuses_is_not(codec: Codecs, stem: str, message: str, value: Any, rule: str) -> None:
    built = codec(stem)
    assert told(built.encode_message(named(built, message), value)) == [rule]


@pytest.mark.parametrize(("stem", "message", "fields", "rule"), UNSET)
def test_what_has_no_json_is_not(codec: Codecs, stem: str, message: str, fields: dict[str, Any], rule: str) -> None:
    built = codec(stem)
    made = type(built.create_message(named(built, message)))(**fields)
    assert told(made) == [rule]
