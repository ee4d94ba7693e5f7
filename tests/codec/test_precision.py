"""Values come back as they were written, to the last digit; what has no value is an error with its place."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from spec2proto_codec import CodecError, HttpCodec, HttpRequest, HttpResponse
from spec2proto_codec.formats import json as json_text
from spec2proto_codec.http.routes import Form

from tests.codec.encode.test_forms import BASE, NAME
from tests.codec.specs import DEEP_UNIONS

BACK = [
    ("long", "9007199254740993"),
    ("long", "-9223372036854775808"),
    ("huge", "18446744073709551615"),
    ("any_number", "18446744073709551615"),
    ("anything", "9223372036854775807"),
    ("anything", "9223372036854775808"),
    ("anything", "18446744073709551617"),
    ("anything", "9223372036854776000"),
    ("exact", "9223372036854775807"),
    ("exact", "-0.0"),
    ("ratio", "-0.0"),
    ("anything", "-0.0"),
    ("ratio", "0.1"),
    ("ratio", "16777217"),
    ("ratio", "3.4028235e38"),
    ("ratio", "1e-46"),
    ("exact", "5e-324"),
    ("exact", "1e-400"),
    ("exact", "1e-9999999"),
    ("ratio", "1e-9999999"),
    ("anything", "1e-9999999"),
    ("exact", "0.1234567890123456789"),
    ("exact", "0.1000000000000000055511151231257827021181583404541015625"),
    ("ratio", "0.1234567890123456789"),
    ("any_number", "0.1234567890123456789"),
    ("vector", "[0.1234567890123456789,1,9007199254740993]"),
    ("grid", "[[9223372036854775807]]"),
    ("digits", "123456789012345678901234567890"),
    ("document", '{"a":[1e400,0.1234567890123456789,"\\ud83d"]}'),
    ("nullable", '"\\u0000\\ud83d\\ude00"'),
]
REFUSED = [
    ('"exact":1e400', "/exact: a number is beyond what a double can hold"),
    ('"ratio":-1e400', "/ratio: a number is beyond what a double can hold"),
    ('"ratio":3.4028236e38', "/ratio: 3.4028236e+38 is out of the range of float"),
    ('"any_number":1e400', "/any_number: a number is beyond what a double can hold"),
    ('"anything":[1e400]', "/anything/0: a number is beyond what a double can hold"),
    ('"long":1e400', "/long: expected an integer, found 1E+400"),
    ('"long":1e9999999', "/long: expected an integer, found 1E+9999999"),
    ('"exact":-1e9999999', "/exact: a number is beyond what a double can hold"),
    ('"any_number":1e9999999', "/any_number: a number is beyond what a double can hold"),
    ('"long":5.0000000000000000001', "/long: expected an integer, found 5.0000000000000000001"),
    ('"long":9223372036854775808', "/long: 9223372036854775808 is out of the range of int64"),
    ('"huge":18446744073709551616', "/huge: 18446744073709551616 is out of the range of uint64"),
    ('"exact":1e9999999999999999999', "/: a number has too large an exponent"),
    ('"exact":NaN', "/: NaN is no JSON"),
    ('"exact":-Infinity', "/: -Infinity is no JSON"),
    ('"exact":"NaN"', '/exact: expected a number, found "NaN"'),
    ('"document":{"a":[{},{"b":1,"b":1}]}', "/document/a/1: the key `b` stands twice in one object"),
    ('"title":"x"', "/: the key `title` stands twice in one object"),
    ('"anything":{"\\ud83d":1}', "/anything/\\ud83d: the string holds half of a surrogate pair"),
    ('"picture":"A\\n"', '/picture: "A\\n" is no base64'),
]
PATHS = [
    "/a%2Fb,c/search",
    "/%25%20%2B+x~%C3%BC/search",
    "/%3Ca%3E:b@c;d=e&f/search",
    "/a%3Fb%23c/search",
]
QUERIES = [
    ("fields=a&fields=b&fields=a", "fields=a&fields=b&fields=a"),
    ("fields=a,b&fields=c", "fields=a,b&fields=c"),
    ("fields=a%2Cb", "fields=a,b"),
    ("fields", "fields="),
    ("pretty", "pretty="),
    ("pretty=false", "pretty=false"),
    ("wait=9007199254740993", "wait=9007199254740993"),
    ("exact=0.1234567890123456789", "exact=0.1234567890123456789"),
    ("limit=5.0", "limit=5.0"),
]


@pytest.fixture(scope="module")
def forms(codec: Callable[..., HttpCodec]) -> HttpCodec:
    return codec("forms")


@pytest.fixture(scope="module")
def http(codec: Callable[..., HttpCodec]) -> HttpCodec:
    return codec("http")


def exact(text: str) -> Any:
    """The value of a JSON text with each number as its decimal."""
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


@pytest.mark.parametrize(("name", "text"), BACK)
def test_a_number_comes_back_to_the_last_digit(forms: HttpCodec, name: str, text: str) -> None:
    back = forms.decode(NAME, forms.encode(NAME, BASE | {name: json_text.parse(text)}))
    assert exact(json_text.write(back[name])) == exact(text)
    assert json.loads(json_text.write(back[name])) == json.loads(text)
    assert json_text.write(back[name]).startswith("-") == text.startswith("-")


@pytest.mark.parametrize(("text", "told"), REFUSED)
def test_what_has_no_value_is_refused(forms: HttpCodec, text: str, told: str) -> None:
    with pytest.raises(CodecError) as caught:
        forms.encode(NAME, json_text.parse(f'{{"title":"t","names":[],"sizes":{{}},{text}}}'))
    assert str(caught.value).startswith(told)


def test_unions_within_unions_are_chosen_in_bounded_time(codec: Callable[..., HttpCodec]) -> None:
    http = codec("deep-unions")
    for last in ("s", 1):
        value: dict[str, Any] = {"x": 5, "a": last}
        for _ in range(DEEP_UNIONS - 1):
            value = {"x": value}
        began = time.process_time()
        assert http.decode("deep_unions.v1.U0", http.encode("deep_unions.v1.U0", value)) == value
        assert time.process_time() - began < 1


@pytest.mark.parametrize("count", [300, 5_000, 200_000])
@pytest.mark.parametrize(("opens", "closes"), [('{"anything":', "}"), ('{"document":[', "]}"), ("[", "]")])
def test_deep_texts_are_carried_or_refused(forms: HttpCodec, opens: str, closes: str, count: int) -> None:
    text = f'{{"title":"t","names":[],"sizes":{{}},"anything":{opens * count}1{closes * count}}}'
    with pytest.raises(CodecError, match="nested"):
        forms.encode(NAME, json_text.parse(text))


@pytest.mark.parametrize("path", PATHS)
def test_reserved_characters_of_a_path_come_back(http: HttpCodec, path: str) -> None:
    rpc = http.find_rpc("search")
    back = http.decode_request(rpc, http.encode_request(rpc, HttpRequest("POST", path)))
    assert texts_of(back.path) == texts_of(path)


def texts_of(path: str) -> dict[str, str]:
    return Form("POST", "/{index}/search", (), {}, ()).match_path(path) or {}


@pytest.mark.parametrize(("query", "back"), QUERIES)
def test_parameters_come_back_as_often_as_they_stand(http: HttpCodec, query: str, back: str) -> None:
    rpc = http.find_rpc("search")
    found = http.decode_request(rpc, http.encode_request(rpc, HttpRequest("POST", "/search", query)))
    assert found.query == back


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (HttpRequest("POST", "/%FF/search"), "/: the path is no UTF-8"),
        (HttpRequest("POST", "/search", "fields=%FF"), "/: the query is no UTF-8"),
        (HttpRequest("POST", "/a/b/search"), "/: `POST /a/b/search` is no form of `search`"),
        (HttpRequest("POST", "/search", "exact=1e400"), "/?exact: a number is beyond what a double can hold"),
        (HttpRequest("POST", "/search", "pretty=1"), '/?pretty: "1" is no value of the parameter `pretty`'),
    ],
)
def test_a_request_that_is_no_text_or_no_form_is_refused(http: HttpCodec, request_: HttpRequest, told: str) -> None:
    with pytest.raises(CodecError) as caught:
        http.encode_request(http.find_rpc("search"), request_)
    assert str(caught.value) == told


@pytest.mark.parametrize(
    ("body", "back"), [(None, None), ("", None), (" \n", None), ("null", "null"), ("{}", "{}"), (" {} ", "{}")]
)
def test_no_body_an_empty_one_and_null_differ(http: HttpCodec, body: str | None, back: str | None) -> None:
    rpc = http.find_rpc("search")
    found = http.decode_request(rpc, http.encode_request(rpc, HttpRequest("POST", "/search", "", body)))
    assert found.body == back


@pytest.mark.parametrize(
    "lines",
    [
        '{"index":{"_id":"1"}}\n{"a":  1.10, "b":1e400, "c":"\\u00e4"}\n',
        '{"index":{"_id":1}}\n{"a":1}\n',
        '{"delete":{"_id":true}}\n{"index":{}}\n{"index":{"x":1}}\n',
        '{"index":{}}\n[1]\n',
        '{"delete":{"_id":{}}}\n{"index":{}}\n{}\n',
    ],
)
def test_lines_come_back_byte_by_byte(http: HttpCodec, lines: str) -> None:
    rpc = http.find_rpc("bulk")
    content = http.encode_request(rpc, HttpRequest("POST", "/bulk", "", lines, "application/x-ndjson"))
    assert http.decode_request(rpc, content).body == lines


def test_an_action_with_a_number_for_its_id_is_an_action(http: HttpCodec) -> None:
    rpc = http.find_rpc("bulk")
    lines = '{"delete":{"_id":1}}\n{"index":{"_id":2}}\n{"a":1}\n'
    content = http.encode_request(rpc, HttpRequest("POST", "/bulk", "", lines, "application/x-ndjson"))
    groups = http.parse_message(rpc.request.name, content).bulk_line
    assert [(each.action.delete.x_id, each.action.index.x_id, each.document) for each in groups] == [
        ("1", "", b""),
        ("", "2", b'{"a":1}'),
    ]


@pytest.mark.parametrize(
    ("group", "asked", "answer", "failed"),
    [
        ("exists", HttpRequest("HEAD", "/notes/1"), HttpResponse(200), False),
        ("exists", HttpRequest("HEAD", "/notes/1"), HttpResponse(404), False),
        ("exists", HttpRequest("HEAD", "/notes/1"), HttpResponse(301, "", ""), True),
        ("exists", HttpRequest("HEAD", "/notes/1"), HttpResponse(500, "text/plain", "no"), True),
        ("read", HttpRequest("GET", "/notes/1"), HttpResponse(200, "text/plain", ""), False),
        ("search", HttpRequest("GET", "/search"), HttpResponse(200, "application/json", ""), True),
        ("search", HttpRequest("GET", "/search"), HttpResponse(200, "application/json", "null"), False),
    ],
)
def test_answers_without_a_body_keep_their_status(
    http: HttpCodec, group: str, asked: HttpRequest, answer: HttpResponse, failed: bool
) -> None:
    rpc = http.find_rpc(group)
    content, was = http.encode_response(rpc, asked, answer)
    assert was == failed
    assert http.decode_response(rpc, content, failed=was) == answer
