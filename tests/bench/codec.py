"""The codec, measured: bytes beside JSON, and seconds beside `json` and `google.protobuf.json_format`."""

from __future__ import annotations

import gzip
import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from google.protobuf import json_format
from rich.console import Console
from rich.table import Table
from spec2proto_codec import HttpCodec, HttpRequest, HttpResponse

from pipeline.cli.codec import load_codec

DIMENSIONS = (256, 400, 512, 768, 1572)
LINES = (1_000, 2_000, 5_000, 10_000)
HITS = (10, 100, 1_000, 10_000)
_REPEATS = 5
_SEED = 7


@dataclass(frozen=True, slots=True)
class Sample:
    """One body, and how it becomes a message and bytes.

    Attributes:
        name: for the table.
        text: the body.
        message: the full name of its message.
        encode: body → bytes.
        decode: bytes → body.
    """

    name: str
    text: str
    message: str
    encode: Callable[[], bytes]
    decode: Callable[[bytes], Any]


def samples(codec: HttpCodec) -> Iterator[Sample]:
    """Queries for nearest vectors, bulks of log lines, and answers to searches, of several sizes."""
    drawn = random.Random(_SEED)  # noqa: S311 - figures to measure with, no secrets
    for count in DIMENSIONS:
        vector = [round(drawn.uniform(-1, 1), 6) for _ in range(count)]
        body = {"size": 10, "query": {"knn": {"embedding": {"vector": vector, "k": 10}}}}
        yield _request(codec, "search", f"kNN query, {count:,} dimensions", json.dumps(body), "application/json")
    for count in LINES:
        text = "".join(json.dumps(line) + "\n" for at in range(count) for line in log_line(drawn, at))
        yield _request(codec, "bulk", f"bulk of {count:,} log lines", text, "application/x-ndjson")
    for count in HITS:
        yield _answer(codec, f"answer of {count:,} hits", json.dumps(_found(drawn, count)))


def log_line(drawn: random.Random, at: int) -> tuple[dict[str, Any], dict[str, Any]]:
    line = {
        "@timestamp": f"2026-01-01T{at // 3600 % 24:02}:{at // 60 % 60:02}:{at % 60:02}Z",
        "level": drawn.choice(["info", "warn", "error"]),
        "message": f"GET /books/{drawn.randrange(10**6)} took {drawn.randrange(900)} ms",
        "status": drawn.choice([200, 200, 200, 404, 500]),
    }
    return {"index": {"_index": "logs", "_id": str(at)}}, line


def _found(drawn: random.Random, count: int) -> dict[str, Any]:
    hits = [
        {"_index": "logs", "_id": str(at), "_score": round(drawn.random(), 6), "_source": log_line(drawn, at)[1]}
        for at in range(count)
    ]
    shards = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
    total = {"value": count, "relation": "eq"}
    return {"took": 3, "timed_out": False, "_shards": shards, "hits": {"total": total, "max_score": 1.0, "hits": hits}}


def _request(codec: HttpCodec, group: str, name: str, text: str, kind: str) -> Sample:
    rpc = codec.find_rpc(group)
    asked = HttpRequest("POST", f"/_{group}", "", text, kind)
    return Sample(
        name,
        text,
        rpc.request.name,
        lambda: codec.encode_request(rpc, asked),
        lambda content: codec.decode_request(rpc, content),
    )


def _answer(codec: HttpCodec, name: str, text: str) -> Sample:
    rpc = codec.find_rpc("search")
    asked, answer = HttpRequest("POST", "/_search"), HttpResponse(200, "application/json", text)
    return Sample(
        name,
        text,
        rpc.response.name,
        lambda: codec.encode_response(rpc, asked, answer)[0],
        lambda content: codec.decode_response(rpc, content),
    )


def milliseconds(work: Callable[[], Any]) -> float:
    """Milliseconds of processor time, which other work on the machine changes least: the shortest of several runs."""
    found = []
    for _ in range(_REPEATS):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return 1000 * min(found)


def _parsed(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def report(console: Console) -> None:
    """Print one table of bytes, and one of milliseconds."""
    codec = load_codec("opensearch", None, "error")
    columns = ("", "JSON", "protobuf", "share", "JSON, gzip", "protobuf, gzip")
    sizes = Table(*columns, title="bytes")
    sides = ("codec", "json_format", "json")
    speeds = Table(
        "",
        *(f"{verb}, {side}" for verb in ("encode", "decode") for side in sides),
        title="milliseconds of processor time",
    )
    for sample in samples(codec):
        content = sample.encode()
        text = sample.text.encode()
        zipped = [len(gzip.compress(each)) for each in (text, content)]
        share = f"{len(content) / len(text):.0%}"
        sizes.add_row(sample.name, f"{len(text):,}", f"{len(content):,}", share, *(f"{each:,}" for each in zipped))
        speeds.add_row(sample.name, *(f"{each:.1f}" for each in _speed(codec, sample, content)))
    console.print(sizes)
    console.print(speeds)


def _speed(codec: HttpCodec, sample: Sample, content: bytes) -> list[float]:
    """Milliseconds to encode and to decode: of the codec, of `json_format` for the same message, of `json` alone."""
    message = codec.parse_message(sample.message, content)
    canonical = json_format.MessageToJson(message)
    value = _parsed(sample.text)
    return [
        milliseconds(sample.encode),
        milliseconds(lambda: json_format.Parse(canonical, codec.create_message(sample.message)).SerializeToString()),
        milliseconds(lambda: _parsed(sample.text)),
        milliseconds(lambda: sample.decode(content)),
        milliseconds(lambda: json_format.MessageToJson(codec.parse_message(sample.message, content))),
        milliseconds(lambda: [json.dumps(each) for each in value]),
    ]
