"""Recorded exchanges, sent again: all over REST, or what the contract covers over gRPC, and how the answers differ."""

import contextlib
import http.client
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import grpc
from spec2proto_codec import CodecError, HttpCodec, HttpRequest

from tests.live.server import HOST, Server

SECONDS = 5
GROUPS = ("search", "bulk", "create_pit", "delete_pit")
# What no two answers have in common: times, and the ids of points in time and scrolls.
PASSING = {"took", "phase_took", "creation_time", "pit_id", "_scroll_id"}
# The id of a document that had none. It decides the shard, so that these have no order of writes in common either.
_MADE = re.compile(r"[A-Za-z0-9_-]{20}")
_WITH_MADE = re.compile(rf"with id '{_MADE.pattern}'")
_STORED = re.compile(r"/_scripts/[^/]+")
# What changes what the requests that are compared find.
_STATE = {"indices.create", "indices.delete", "index", "create", "update", "delete", "put_script"}
_INDICES = "format=json&expand_wildcards=all&h=index,uuid"
Exchange = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What came back: a status of HTTP, and the JSON of the body.

    Attributes:
        refused: why the contract cannot carry the request; nothing was sent then.
        failed: the status of gRPC where the call failed.
    """

    status: int = 0
    body: Any = None
    refused: str = ""
    failed: str = ""


@dataclass
class Sender:
    """Sends exchanges to a server: over REST, or through a codec where there is one."""

    server: Server
    codec: HttpCodec | None = None
    channel: Any = None
    services: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def all(self, exchanges: list[Exchange]) -> list[Answer]:
        """The answers, in order, from an empty server; what was written can be found."""
        self.empty(exchanges)
        answers = []
        for exchange in exchanges:
            if exchange["operation_group"] == "search":
                self.rest(HttpRequest("POST", exchange["path"].replace("/_search", "/_refresh")))
            answers.append(self.one(exchange) if matters(exchange) else Answer())
            if exchange["operation_group"] in {"bulk", *_STATE}:
                for index in self.rest(HttpRequest("GET", "/_cat/indices", _INDICES)).body:
                    self.names[index["uuid"]] = index["index"]
        return [replace(answer, body=named(answer.body, self.names)) for answer in answers]

    def empty(self, exchanges: list[Exchange]) -> None:
        """Delete what an earlier run left: indices, and the scripts that the exchanges store."""
        for index in self.rest(HttpRequest("GET", "/_cat/indices", _INDICES)).body:
            self.rest(HttpRequest("DELETE", f"/{index['index']}"))
        for path in {found[0] for item in exchanges if (found := _STORED.match(item["path"]))}:
            self.rest(HttpRequest("DELETE", path))

    def one(self, exchange: Exchange) -> Answer:
        body = exchange["request_body"]
        text = body if isinstance(body, str) else None
        kind = exchange["request_content_type"] or "application/json"
        asked = HttpRequest(exchange["method"], exchange["path"], exchange["query"] or "", text, kind)
        covered = self.codec is not None and exchange["operation_group"] in GROUPS
        return self.grpc(exchange["operation_group"], asked) if covered else self.rest(asked)

    def rest(self, asked: HttpRequest) -> Answer:
        connection = http.client.HTTPConnection(HOST, self.server.ports.rest, timeout=SECONDS)
        with contextlib.closing(connection):
            path = f"{asked.path}?{asked.query}" if asked.query else asked.path
            body = asked.body.encode() if asked.body else None
            connection.request(asked.method, path, body, {"Content-Type": asked.content_type} if body else {})
            try:
                response = connection.getresponse()
                content = response.read()
            except TimeoutError:
                return Answer(failed=f"no answer to {asked.method} {path} in {SECONDS} s")
        try:
            return Answer(response.status, json.loads(content))
        except ValueError:
            return Answer(response.status)

    def grpc(self, group: str, asked: HttpRequest) -> Answer:
        assert self.codec is not None
        rpc = self.codec.find_rpc(group)
        service, _, name = rpc.name.partition("/")
        call = self.channel.unary_unary(f"/{self.services[service]}/{name}")
        try:
            content = self.codec.encode_request(rpc, asked)
        except CodecError as error:
            return Answer(refused=str(error))
        try:
            back = self.codec.decode_response(rpc, call(content, timeout=SECONDS))
        except grpc.RpcError as error:
            return Answer(failed=f"{error.code().name}: {error.details()}")
        return Answer(back.status, json.loads(back.body or "null"))


def matters(exchange: Exchange) -> bool:
    """Whether an exchange is compared, or changes what those that are compared find."""
    return exchange["operation_group"] in {*GROUPS, *_STATE}


def named(value: Any, names: dict[str, str]) -> Any:
    """A JSON value in which indices have their names in place of their ids, which are others in each run."""
    if isinstance(value, dict):
        return {name: named(entry, names) for name, entry in value.items()}
    if isinstance(value, list):
        return [named(entry, names) for entry in value]
    if isinstance(value, str):
        for uuid, name in names.items():
            value = value.replace(uuid, name)
    return value


def differences(rest: Any, rpc: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where two JSON values differ, positions written as `*`; what is passing is left aside."""
    if isinstance(rest, dict) and isinstance(rpc, dict):
        made = all(_MADE.fullmatch(str(each.get("_id", ""))) for each in (rest, rpc))
        for name in sorted(rest.keys() | rpc.keys()):
            if name not in PASSING and not (made and name in {"_id", "_seq_no"}):
                yield from differences(rest.get(name, ...), rpc.get(name, ...), f"{path}/{name}")
    elif isinstance(rest, list) and isinstance(rpc, list) and len(rest) == len(rpc):
        for first, second in zip(rest, rpc, strict=True):
            yield from differences(first, second, f"{path}/*")
    elif not _equal(rest, rpc):
        yield path, rest, rpc


def _equal(rest: Any, rpc: Any) -> bool:
    if isinstance(rest, str) and isinstance(rpc, str):
        return _WITH_MADE.sub("", rest) == _WITH_MADE.sub("", rpc)
    return bool(rest == rpc) and isinstance(rest, bool) == isinstance(rpc, bool)
