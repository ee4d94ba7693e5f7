"""`encode`, `decode` and `roundtrip` on the committed contract of the example."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from spec2proto_codec.formats import documents
from spec2proto_codec.http.event_stream import read_delimited

from pipeline.model.diagnostics import ExitCode
from tests.support import spec2proto

PROGRAM = str(Path(sys.executable).parent / "spec2proto")
LINES = '{"add":{"_id":"1"}}\n{"title":"Emma"}\n'
ASKED = {"method": "POST", "path": "/north/bulk", "body": LINES, "content_type": "application/x-ndjson"}
EXCHANGE = {
    "operation_group": "search",
    "method": "POST",
    "path": "/search",
    "query": "",
    "request_content_type": "application/json",
    "request_body": None,
    "status": 400,
    "response_content_type": "application/json",
    "response_body": '{"error":"no"}',
}


def run(command: str, *arguments: str, given: bytes) -> subprocess.CompletedProcess[bytes]:
    line = [PROGRAM, command, "--profile", "example", *arguments]
    return subprocess.run(line, input=given, capture_output=True, check=False)


def encoded(side: str, value: dict[str, Any], operation: str = "bulk") -> bytes:
    done = run("encode", "--operation", operation, "--side", side, given=json.dumps(value).encode())
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def decoded(side: str, content: bytes, *more: str, operation: str = "bulk") -> dict[str, Any]:
    done = run("decode", "--operation", operation, "--side", side, *more, given=content)
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_request_comes_back_from_its_bytes() -> None:
    assert decoded("request", encoded("request", ASKED)) == ASKED


def test_an_answer_comes_back_from_its_bytes() -> None:
    answer = {"status": 200, "content_type": "application/json", "body": '{"failed":true,"items":[]}'}
    assert decoded("response", encoded("response", answer)) == answer


@pytest.mark.parametrize(
    "answer",
    [
        {"status": 503, "content_type": "application/json", "body": '{"error":"busy"}'},
        {"status": 200, "content_type": "application/cbor", "base64": base64.b64encode(b"\xbf\xff").decode()},
    ],
)
def test_an_answer_outside_the_contract_is_a_status_with_its_body(answer: dict[str, Any]) -> None:
    assert decoded("response", encoded("response", answer), "--failed") == answer


@pytest.mark.parametrize(
    ("unknown", "back"),
    [("keep", '{"failed":true,"items":[],"new":[1]}'), ("ignore", '{"failed":true,"items":[]}'), ("error", None)],
)
def test_unknown_keys_are_refused_kept_or_ignored(unknown: str, back: str | None) -> None:
    answer = {"status": 200, "content_type": "application/json", "body": '{"failed":true,"items":[],"new":[1]}'}
    line = ["encode", "--operation", "bulk", "--side", "response", "--unknown", unknown]
    done = run(*line, given=json.dumps(answer).encode())
    if back is None:
        assert done.returncode == ExitCode.BAD_INPUT
        assert "/new: error[codec/not-carried]: no such property in" in done.stderr.decode()
    else:
        assert decoded("response", done.stdout) == {**answer, "body": back}


@pytest.mark.parametrize("encoding", ["cbor", "smile"])
def test_documents_and_bodies_may_be_packed(encoding: documents.Encoding) -> None:
    line = ["encode", "--operation", "bulk", "--side", "request", "--documents", encoding]
    done = run(*line, given=json.dumps(ASKED).encode())
    assert documents.write({"title": "Emma"}, encoding) in done.stdout
    assert decoded("request", done.stdout) == ASKED
    body = base64.b64encode(documents.write({"query": {"everything": {}}}, encoding)).decode()
    asked = {"method": "POST", "path": "/search", "content_type": f"application/{encoding}", "base64": body}
    assert decoded("request", encoded("request", asked, operation="search"), operation="search") == asked


def test_an_answer_in_pieces_is_messages_with_their_lengths() -> None:
    records = [{"at": "now", "record": {"isbn": isbn, "title": "Emma"}} for isbn in ("1", "2")]
    body = "".join(f"event: record\ndata: {json.dumps(record, separators=(',', ':'))}\n\n" for record in records)
    answer = {"status": 200, "content_type": "text/event-stream", "body": body}
    content = encoded("response", answer, operation="watch_arrivals")
    assert len(read_delimited(content)) == 2
    assert decoded("response", content, operation="watch_arrivals") == answer


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (b'{"method":"POST","path":"/bulk","base64":"?"}', "error[codec/input]: no base64"),
        (b"{", "error[codec/input]: not JSON"),
        (b"[]", "error[codec/input]: it is no object"),
        (b'{"method":"PUT","path":"/nowhere"}', "error[codec/not-carried]: `PUT /nowhere` is no form of `bulk`"),
        (
            b'{"method":"POST","path":"/bulk","body":"{}\\n{","content_type":"application/x-ndjson"}',
            "/1: error[codec/not-carried]: no JSON",
        ),
    ],
)
def test_what_cannot_be_carried_is_a_diagnostic(given: bytes, told: str) -> None:
    done = run("encode", "--operation", "bulk", "--side", "request", given=given)
    assert done.returncode == ExitCode.BAD_INPUT
    assert told in done.stderr.decode()


def test_an_unknown_operation_is_a_diagnostic() -> None:
    done = run("decode", "--operation", "nothing", "--side", "request", given=b"")
    assert done.returncode == ExitCode.BAD_INPUT
    assert "error[codec/not-carried]: the contract has no rpc for `nothing`" in done.stderr.decode()


def test_exchanges_come_back_line_by_line(tmp_path: Path) -> None:
    exchanges, results = tmp_path / "exchanges.jsonl", tmp_path / "results.jsonl"
    exchanges.write_text(f"{json.dumps(EXCHANGE)}\n{json.dumps({**EXCHANGE, 'operation_group': 'gone'})}\n")
    done = spec2proto("roundtrip", "--profile", "example", exchanges, "--output", results)
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in results.read_text().splitlines()]
    assert [(item["line"], item["side"]) for item in found] == [
        (0, "request"),
        (0, "response"),
        (1, "request"),
        (1, "response"),
    ]
    assert found[0]["path"] == "/search"
    assert found[1]["body"] == EXCHANGE["response_body"]
    assert found[3]["error"] == "/: the contract has no rpc for `gone`"


def test_exchanges_that_are_none_are_a_diagnostic(tmp_path: Path) -> None:
    exchanges = tmp_path / "exchanges.jsonl"
    exchanges.write_text("{}\n")
    done = spec2proto("roundtrip", "--profile", "example", exchanges, "--output", tmp_path / "results.jsonl")
    assert done.returncode == ExitCode.BAD_INPUT
    assert "exchanges.jsonl:1: error[codec/input]: no exchange" in done.stderr


def test_a_profile_without_protos_says_what_to_do(tmp_path: Path) -> None:
    done = spec2proto("decode", "--profile", "generic", "--operation", "x", "--side", "request", "--out", tmp_path)
    assert done.returncode != 0
    assert "error[output/none]: there are no protos" in done.stderr
