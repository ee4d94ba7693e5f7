"""CBOR and SMILE of a real server: its answers, its documents, and the library that it reads and writes them with."""

from __future__ import annotations

import contextlib
import http.client
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from spec2proto_codec import HttpCodec, HttpRequest, HttpResponse
from spec2proto_codec.formats import cbor, documents, smile_reader, smile_writer
from spec2proto_codec.formats.json import parse

from pipeline.cli.codec import load_codec
from tests.live import distribution
from tests.live.conftest import TOOLS
from tests.live.server import HOST, Server

pytestmark = pytest.mark.live

ENCODINGS = ("json", "cbor", "smile")
BULK = "/org.opensearch.protobufs.services.DocumentService/Bulk"
SEARCH = "/org.opensearch.protobufs.services.SearchService/Search"
DOCUMENTS: list[dict[str, Any]] = [
    {"title": "Ä river", "price": 0.1, "exact": 16777217.5, "many": [1, -1, 15, 2**31, 2**53 + 1, -(2**63)]},
    {"title": "b" * 70, "nested": {"title": "b" * 70, "": {"deep": [[], {}, None, True]}}, "long " * 15: "é" * 40},
    {f"name {at}": f"value {at % 40}" for at in range(300)},
]
NAMES = [
    *(f"n{at}" for at in range(1500)),
    *(letter * count for letter in "aé" for count in (1, 28, 29, 56, 57, 64, 65)),
]
EVERYTHING: dict[str, Any] = {
    # Below -2**64 Jackson 2 writes and reads CBOR one off, unless it is told otherwise.
    "numbers": [*(sign * 2**bits for bits in (0, 4, 5, 31, 32, 63) for sign in (1, -1)), 2**64 - 1, 2**64, 2**200],
    "decimals": [0.1, -0.0, 1.5e300, 2.2250738585072014e-308],
    "texts": [letter * count for letter in "aé" for count in (1, 32, 33, 64, 65, 300)] * 2,
    "objects": [
        {name: f"v{at % 1100}", f"n{at // 3}": {"é" * 29: "v1", "l" * 57: None}} for at, name in enumerate(NAMES)
    ],
}


def answer(server: Server, path: str, encoding: str, body: str | None = None) -> HttpResponse:
    """What the server answers when asked for an encoding."""
    connection = http.client.HTTPConnection(HOST, server.ports.rest, timeout=30)
    headers = {"Accept": f"application/{encoding}"} | ({"Content-Type": "application/json"} if body else {})
    with contextlib.closing(connection):
        connection.request("POST" if body else "GET", path, body, headers)
        response = connection.getresponse()
        content = response.read()
    kind = response.headers["Content-Type"]
    return (
        HttpResponse(response.status, kind, content.decode())
        if encoding == "json"
        else HttpResponse(response.status, kind, None, content)
    )


def value(found: HttpResponse, encoding: documents.Encoding) -> Any:
    content = found.content
    return documents.read(content if isinstance(content, bytes) else str(content).encode(), encoding)


@pytest.fixture(scope="module")
def full() -> HttpCodec:
    return load_codec("opensearch-full", None, "error")


@pytest.fixture(scope="module")
def channel(server: Server) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(f"{HOST}:{server.ports.grpc}", options=[("grpc.enable_http_proxy", 0)]) as opened:
        yield opened


@pytest.mark.parametrize("encoding", ["cbor", "smile"])
@pytest.mark.parametrize(
    ("group", "path"),
    [("cat.health", "/_cat/health"), ("cat.indices", "/_cat/indices"), ("list.indices", "/_list/indices")],
)
def test_answers_that_are_declared_become_the_same_message(
    server: Server, books: str, full: HttpCodec, group: str, path: str, encoding: documents.Encoding
) -> None:
    path = path if group == "cat.health" else f"{path}/{books}"
    asked = HttpRequest("GET", path)
    rpc = full.find_rpc(group)
    passing = {"epoch", "timestamp"}
    found = []
    for each in (encoding, "json"):
        content, failed = full.encode_response(rpc, asked, given := answer(server, path, each))
        assert not failed
        back = full.decode_response(rpc, content)
        assert value(back, each) == value(given, each)
        rows = value(back, each)
        found.append(
            [{name: row[name] for name in row.keys() - passing} for row in rows] if type(rows) is list else rows
        )
    assert found[0] == found[1]


@pytest.mark.parametrize("encoding", ["cbor", "smile"])
def test_an_answer_is_read_as_its_json(
    server: Server, books: str, full: HttpCodec, encoding: documents.Encoding
) -> None:
    body = json.dumps(
        {
            "query": {"match": {"title": "river"}},
            "aggs": {"pages": {"stats": {"field": "pages"}}, "price": {"avg": {"field": "price"}}},
            "fields": ["serial", "published"],
        }
    )
    path = f"/{books}/_search"
    given, text = answer(server, path, encoding, body), answer(server, path, "json", body)
    first, second = value(given, encoding), value(text, "json")
    assert len(first["hits"]["hits"]) == 3
    assert {**first, "took": 0} == {**second, "took": 0}
    # The API declares no such answer to a search, which therefore travels as it is.
    content, failed = full.encode_response(full.find_rpc("search"), HttpRequest("POST", path), given)
    assert failed
    assert full.decode_response(full.find_rpc("search"), content, failed=True) == given


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_documents_are_written_and_found_over_grpc(
    server: Server, channel: grpc.Channel, encoding: documents.Encoding
) -> None:
    index = f"packed-{encoding}"
    settings = {"settings": {"number_of_shards": 1}, "mappings": {"dynamic": False}}
    server.rest("PUT", f"/{index}", json.dumps(settings))
    codec = load_codec("opensearch", None, "error", encoding)
    lines = "".join(
        json.dumps(line) + "\n" for at, each in enumerate(DOCUMENTS) for line in ({"index": {"_id": str(at)}}, each)
    )
    asked = HttpRequest("POST", f"/{index}/_bulk", "refresh=true", lines, "application/x-ndjson")
    rpc = codec.find_rpc("bulk")
    told = codec.decode_response(rpc, channel.unary_unary(BULK)(codec.encode_request(rpc, asked), timeout=30))
    assert json.loads(told.body or "")["errors"] is False
    rpc = codec.find_rpc("search")
    content = channel.unary_unary(SEARCH)(
        codec.encode_request(rpc, HttpRequest("POST", f"/{index}/_search", "", "{}")), timeout=30
    )
    begins = {"json": b"{", "cbor": b"\xa0", "smile": smile_reader.HEADER}[encoding]
    sources = [hit.x_source for hit in codec.parse_message(rpc.response.name, content).hits.hits]
    assert all(source[:1] >= begins if encoding == "cbor" else source.startswith(begins) for source in sources)
    hits = parse(codec.decode_response(rpc, content).body or "")["hits"]["hits"]
    assert [hit["_source"] for hit in hits] == DOCUMENTS


def test_the_server_and_its_library_agree_with_ours(tmp_path: Path) -> None:
    (tmp_path / "ours.json").write_bytes(documents.write(EVERYTHING, "json"))
    (tmp_path / "ours.smile").write_bytes(smile_writer.write(EVERYTHING))
    (tmp_path / "ours.cbor").write_bytes(cbor.write(EVERYTHING))
    jars = [*(distribution.fetch(TOOLS) / "lib").glob("jackson-*-2.*.jar")]
    java = distribution.find_java_home() / "bin" / "java"
    command = [java, "-cp", ":".join(map(str, jars)), Path(__file__).with_name("Packed.java"), tmp_path]
    subprocess.run(list(map(str, command)), check=True, capture_output=True, timeout=120)
    theirs = sorted(tmp_path.glob("theirs*"))
    assert len(theirs) == 9
    for path in theirs:
        read = cbor.read if path.suffix == ".cbor" else smile_reader.read
        assert read(path.read_bytes()) == EVERYTHING, path.name
    assert parse((tmp_path / "smile.json").read_bytes()) == EVERYTHING
    assert parse((tmp_path / "cbor.json").read_bytes()) == EVERYTHING
