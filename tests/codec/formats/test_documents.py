"""CBOR and SMILE: read and written as other implementations do, in documents and as whole bodies."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import cbor2
import pytest
from hypothesis import given, settings
from spec2proto_codec import CodecError, HttpCodec, HttpRequest, HttpResponse
from spec2proto_codec.formats import cbor, documents, smile_reader, smile_writer
from spec2proto_codec.formats.json import parse

from tests.codec.encode.test_forms import BASE, NAME, same
from tests.codec.strategies import ANYTHING

EDGES: list[Any] = [
    *(
        sign * (2**bits) + step
        for bits in (4, 5, 8, 16, 31, 32, 63, 64, 80, 500)
        for sign in (1, -1)
        for step in (-1, 0)
    ),
    *(0, 0.1, -0.0, 1e308, 5e-324, Decimal("0.12345678901234567890"), Decimal("1e400"), Decimal("-1.5e-400")),
    *(letter * count for letter in "aé" for count in (1, 23, 24, 31, 32, 33, 64, 65, 255, 256)),
    {letter * count: count for letter in "aé" for count in (1, 28, 29, 56, 57, 64, 65)},
    [{f"k{at}": at, f"k{at - 1}": {"": f"k{at % 1030}"}} for at in range(1, 2100)],
    [*({}, [], ""), *(True, False, None)],
]
VALUE = {"source": {"a": [1, 0.5, None]}, "text": "a", "weight": 0.1}


@pytest.mark.parametrize("encoding", ["json", "cbor", "smile"])
@pytest.mark.parametrize("value", EDGES, ids=lambda value: str(value)[:30])
def test_values_at_the_edges_come_back(encoding: documents.Encoding, value: Any) -> None:
    found = documents.read(documents.write(value, encoding), encoding)
    assert same(found, value)
    assert repr(found) == repr(value) or isinstance(value, Decimal)


@settings(max_examples=300, deadline=None, database=None, derandomize=True)
@given(ANYTHING)
def test_any_value_comes_back_and_is_what_another_library_reads(value: Any) -> None:
    assert same(smile_reader.read(smile_writer.write(value)), value)
    assert same(cbor2.loads(cbor.write(value)), value)
    assert same(cbor.read(cbor2.dumps(value)), value)
    assert same(cbor.read(cbor2.dumps(value, indefinite_containers=True)), value)


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("fa3e934b11", 0.2876821),
        ("f93800", 0.5),
        ("c249010000000000000000", 2**64),
        ("3903e7", -1000),
        ("c48221196ab3", 273.15),
        ("bf6161019f0203ff00ff", None),
        ("bf61619f0203ffff", {"a": [2, 3]}),
        ("7f61616162ff", "ab"),
        ("4200ff", "AP8="),
        ("d9d9f7a0", {}),
        ("820102ff", None),
        ("a2616101616102", None),
        ("a10102", None),
        ("f7", None),
        ("f97e00", None),
        ("c074323031332d30332d32315432303a30343a30305a", None),
        ("1c", None),
        ("62ffff", None),
        ("7f4161ff", None),
        ("9bffffffffffffffff", None),
        ("", None),
        ("81" * 5000, None),
    ],
)
def test_cbor_is_read_as_json_or_refused(content: str, value: Any) -> None:
    if value is None:
        with pytest.raises(CodecError):
            cbor.read(bytes.fromhex(content))
    else:
        assert cbor.read(bytes.fromhex(content)) == value


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b":)\n\x00\x28\x03\x74\x4d\x16\x11", 0.2876821),
        (b":)\n\x01\xfa\x80a\xc2\x80b\xfa\x40\xc4\xfb\xfb\xff", {"a": 1, "b": {"a": 2}}),
        (b":)\n\x02\xf8\x40a\x40b\x01\x02\xec\x00\xf9", ["a", "b", "a", "b", "a"]),
        (b":)\n\x04\xfd\x82\x00\xff", "AP8="),
        (b":)\n\x00\xe8\x82\x00\x3f\x03", "AP8="),
        (b":)\n\x00\xe4\xc3\xa9\xfc", "é"),
        (b":)\n\x10\xc2", None),
        (b":)\n\x00\x01", None),
        (b":)\n\x00\xfa\x80a\xc2\x80a\xc2\xfb", None),
        (b":)\n\x00\xf8", None),
        (b":)\n\x00\x2c", None),
        (b":)\n\x00\xc2\xc2", None),
        (b":)\n\x00" + b"\xf8" * 5000, None),
        (b":)\n\x00\x25" + b"\x00" * 20, None),
        (b"{}", None),
        (b"", None),
    ],
)
def test_smile_is_read_as_json_or_refused(content: bytes, value: Any) -> None:
    if value is None:
        with pytest.raises(CodecError):
            smile_reader.read(content)
    else:
        assert smile_reader.read(content) == value


@pytest.mark.parametrize("encoding", ["cbor", "smile"])
def test_spoilt_bytes_are_read_or_refused(encoding: documents.Encoding) -> None:
    random_ = random.Random(5)  # noqa: S311 - bytes to try, no secrets
    content = documents.write([*EDGES[:60], VALUE], encoding)
    refused = 0
    for _ in range(2_000):
        spoilt = bytearray(content)
        for _ in range(random_.randint(1, 3)):
            spoilt[random_.randrange(len(spoilt))] = random_.randrange(256)
        try:
            documents.read(
                bytes(spoilt[: random_.randrange(len(spoilt))] if random_.random() < 0.2 else spoilt), encoding
            )
        except CodecError:
            refused += 1
    assert refused > 200


@pytest.mark.parametrize("value", [{}, {"a": [1, 0.1, "ü", None]}, [1], "text", 5, -1, 0.5, True])
def test_a_document_tells_its_encoding(codec: Callable[..., HttpCodec], value: Any) -> None:
    found = {}
    for encoding in ("json", "cbor", "smile"):
        http = codec("forms", documents=encoding)
        message = http.encode_message(NAME, BASE | {"document": value})
        found[encoding] = message.document
        assert same(codec("forms").decode_message(message)["document"], value)
    assert len(set(found.values())) == 3
    assert found["json"] == documents.write(value, "json")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xbf\x61a", "/document: no CBOR: it ends too early"),
        (b":)\n\x00\xf8", "/document: no SMILE: it ends too early"),
    ],
)
def test_a_broken_document_is_refused(codec: Callable[..., HttpCodec], content: bytes, told: str) -> None:
    http = codec("forms")
    message = http.create_message(NAME)
    message.document = content
    with pytest.raises(CodecError) as caught:
        http.decode_message(message)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize("kind", ["application/cbor", "application/smile"])
def test_whole_bodies_come_back(codec: Callable[..., HttpCodec], kind: str) -> None:
    http = codec("streams")
    rpc = http.find_rpc("rows")
    encoding = documents.find_encoding(kind)
    assert encoding is not None
    data = documents.write(VALUE, encoding)
    asked = HttpRequest("PUT", "/rows", "", None, kind, data=data)
    content = http.encode_request(rpc, asked)
    assert http.parse_message(rpc.request.name, content).word.text == "a"
    assert http.decode_request(rpc, content) == asked
    answer = HttpResponse(200, kind, None, data)
    content, failed = http.encode_response(rpc, asked, answer)
    assert not failed
    assert http.decode_response(rpc, content) == answer
    text = HttpResponse(200, "application/json", documents.write(VALUE, "json").decode())
    assert http.decode_response(rpc, http.encode_response(rpc, asked, text)[0]) == text


def test_lines_may_be_smile_documents(codec: Callable[..., HttpCodec]) -> None:
    http = codec("http")
    rpc = http.find_rpc("bulk")
    lines = [{"index": {"_id": "1"}}, {"title": "x"}, {"delete": {"_id": "2"}}]
    asked = HttpRequest("POST", "/bulk", "", None, "application/smile", data=documents.write_lines(lines))
    content = http.encode_request(rpc, asked)
    assert len(http.parse_message(rpc.request.name, content).bulk_line) == 2
    assert http.decode_request(rpc, content) == asked
    with pytest.raises(CodecError, match="a body of lines has no form in CBOR"):
        http.encode_request(rpc, HttpRequest("POST", "/bulk", "", None, "application/cbor", data=cbor.write(lines)))


def test_a_body_of_cbor_that_is_a_text_is_refused(codec: Callable[..., HttpCodec]) -> None:
    http = codec("streams")
    with pytest.raises(CodecError, match="expected bytes in a body of `application/cbor`, found a string"):
        http.encode_request(http.find_rpc("rows"), HttpRequest("PUT", "/rows", "", "{}", "application/cbor"))


def test_json_texts_are_read_with_all_digits() -> None:
    for text in ("0.1234567890123456789", "1e400", "-1e-400", "123456789012345678901.5", "1.7976931348623157e309"):
        assert Decimal(documents.write(parse(text), "json").decode()) == Decimal(text)
