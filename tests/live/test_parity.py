"""The same requests over REST and, through the codec, over gRPC: the answers are equal but for what the server does."""

from __future__ import annotations

import json
import re

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.codec_commands import codec_of
from pipeline.commands import compiled
from pipeline.model.profile import load_profile
from tests.live.replay import GROUPS, SECONDS, Answer, Exchange, Sender, differences
from tests.live.server import HOST, Server
from tests.support import SHARED

pytestmark = pytest.mark.live

EXCHANGES = SHARED / "corpus" / "exchanges.jsonl"
# What the server answers differently over gRPC, by where it stands: findings about the server, each with an example.
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
        pytest.skip(f"no recorded traffic at {EXCHANGES}")
    exchanges = [json.loads(line) for line in EXCHANGES.read_text(encoding="utf-8").splitlines()]
    descriptors = FileDescriptorSet.FromString(compiled(load_profile("opensearch"), None))
    services = {item.name: f"{file.package}.{item.name}" for file in descriptors.file for item in file.service}
    over_rest = Sender(own_server).all(exchanges)
    address = f"{HOST}:{own_server.ports.grpc}"
    with grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)]) as channel:
        grpc.channel_ready_future(channel).result(6 * SECONDS)
        codec = codec_of("opensearch", None, "error")
        over_grpc = Sender(own_server, codec, channel, services).all(exchanges)
    found = zip(exchanges, over_rest, over_grpc, strict=True)
    return [pair for pair in found if pair[0]["operation_group"] in GROUPS and not pair[2].refused]


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
    only = [asked["request_body"] for asked, rest, _ in failed if rest.status < 400]
    # The one exception: an `_id` that is a number is none of the contract, so its line is taken for a document.
    assert all('{"_id":1}' in body for body in only)
