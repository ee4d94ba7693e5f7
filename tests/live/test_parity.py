"""The same requests over REST and, through the codec, over gRPC: the answers are equal but for what the server does."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any

import grpc
import pytest

from pipeline.cli.codec import load_codec
from postprocess.tools.protoc import compile_folder
from tests.live.replay import GROUPS, PASSING, SECONDS, Answer, Exchange, Sender, differences
from tests.live.server import HOST, Server
from tests.parts import Part, absent
from tests.support import ROOT, SHARED

pytestmark = pytest.mark.live

EXCHANGES = SHARED / "corpus" / "exchanges.jsonl"
# What the server answers differently over gRPC, by where it stands: diagnostics about the server, each with an example.
FINDINGS = {
    r"/items/\*/\w+/status": "the status of a bulk item is not set: 201 over REST, 0 over gRPC",
    r"/items/\*/\w+/error/(caused_by/)*stack_trace": "errors of bulk items have a stack trace, REST on demand only",
    r"/hits/hits/\*/_score": "a float put into a double: 0.082873434 over REST, 0.08287343382835388 over gRPC",
}
Pairs = list[tuple[Exchange, Answer, Answer]]


@pytest.fixture(scope="module")
def pairs(own_server: Server) -> Pairs:
    """Each exchange that the contract covers, with its answer over REST and over gRPC."""
    if not EXCHANGES.is_file():
        absent(Part.TRAFFIC, f"no recorded traffic at {EXCHANGES}")
    exchanges = [json.loads(line) for line in EXCHANGES.read_text(encoding="utf-8").splitlines()]
    with senders(own_server) as both:
        over_rest, over_grpc = (sender.all(exchanges) for sender in both)
    found = zip(exchanges, over_rest, over_grpc, strict=True)
    return [pair for pair in found if pair[0]["operation_group"] in GROUPS and not pair[2].refused]


@contextlib.contextmanager
def senders(server: Server) -> Iterator[tuple[Sender, Sender]]:
    """One that sends over REST, and one over gRPC."""
    descriptors = compile_folder(ROOT / "protos" / "opensearch", "opensearch")
    services = {item.name: f"{file.package}.{item.name}" for file in descriptors.file for item in file.service}
    address = f"{HOST}:{server.ports.grpc}"
    with grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)]) as channel:
        grpc.channel_ready_future(channel).result(6 * SECONDS)
        yield Sender(server), Sender(server, load_codec("opensearch", None, "error"), channel, services)


def known(path: str) -> str | None:
    return next((pattern for pattern in FINDINGS if re.fullmatch(pattern, path)), None)


def test_answers_differ_only_where_the_server_differs(pairs: Pairs) -> None:
    answered = [(asked, rest, rpc) for asked, rest, rpc in pairs if not rpc.failed]
    assert len(answered) > 50
    found = [
        (asked["path"], path, first, second)
        for asked, rest, rpc in answered
        for path, first, second in differences(rest.body, rpc.body)
    ]
    assert [entry for entry in found if known(entry[1]) is None] == []
    assert {known(path) for _, path, _, _ in found} == set(FINDINGS)


def test_what_fails_over_grpc_fails_over_rest(pairs: Pairs) -> None:
    failed = [(asked, rest, rpc) for asked, rest, rpc in pairs if rpc.failed]
    assert [(asked["path"], rpc.failed) for asked, rest, rpc in failed if rest.status < 400] == []


def test_points_in_time_are_deleted_alike(own_server: Server) -> None:
    own_server.rest("PUT", "/points", "{}")
    told = []
    with senders(own_server) as both:
        for sender in both:
            opening = asked("create_pit", "POST", "/points/_search/point_in_time", "keep_alive=1m")
            opened = [sender.one(opening) for _ in range(2)]
            ids = [answer.body["pit_id"] for answer in opened]
            gone, again, unknown, broken = (
                sender.one(asked("delete_pit", "DELETE", "/_search/point_in_time", "", json.dumps({"pit_id": each})))
                for each in (ids, ids, ["AAAA"], ["?"])
            )
            assert sorted(pit["pit_id"] for pit in gone.body["pits"]) == sorted(ids)
            told.append([without_ids(answer.body) for answer in (*opened, gone, again)])
            # The server notes no spelling, so that an empty list that need not be there is absent over gRPC.
            told.append([unknown.body.get("pits", [])])
            assert broken.failed or broken.status >= 400
    assert told[:2] == told[2:]


def asked(group: str, method: str, path: str, query: str, body: str | None = None) -> Exchange:
    """An exchange as it is recorded, without its answer."""
    kind = "application/json" if body else None
    return {
        "operation_group": group,
        "method": method,
        "path": path,
        "query": query,
        "request_content_type": kind,
        "request_body": body,
    }


def without_ids(value: Any) -> Any:
    """An answer without times and ids of points in time."""
    if isinstance(value, dict):
        return {name: without_ids(entry) for name, entry in value.items() if name not in PASSING}
    return [without_ids(entry) for entry in value] if isinstance(value, list) else value
