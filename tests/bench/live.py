"""REST beside gRPC on a real server: how long one request takes, and how many go through at a time.

Both sides send the same requests over connections that stay open, and read answers as bytes: what is compared is the
server and the way to it. What the codec adds is in the table of speeds.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import grpc
from rich.console import Console
from rich.table import Table
from spec2proto_codec import HttpCodec, HttpRequest

from pipeline.cli.codec import load_codec
from tests.bench.codec import log_line
from tests.live.conftest import obstacle, running
from tests.live.server import HOST, Server

LINES = (100, 1_000, 5_000)
HITS = (10, 100, 1_000, 10_000)
SERVICES = {"bulk": "org.opensearch.protobufs.services.DocumentService/Bulk"}
SERVICES["search"] = "org.opensearch.protobufs.services.SearchService/Search"
INDEX = "logs"
SECONDS, WARM_SECONDS = 4.0, 3.0
AT_ONCE = 4
_SEED = 7
Send = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Load:
    """One request: what it is called, its operation group, and how it goes over REST."""

    name: str
    group: str
    asked: HttpRequest


@dataclass(frozen=True, slots=True)
class Figures:
    """Milliseconds of one request, and requests a second of several senders together."""

    median: float
    slow: float
    throughput: float


def loads() -> Iterator[Load]:
    """Bulks of log lines, and searches that find many or few of them."""
    drawn = random.Random(_SEED)  # noqa: S311 - figures to measure with, no secrets
    for count in LINES:
        text = "".join(json.dumps(line) + "\n" for at in range(count) for line in log_line(drawn, at))
        asked = HttpRequest("POST", "/_bulk", "", text, "application/x-ndjson")
        yield Load(f"bulk of {count:,} log lines", "bulk", asked)
    for count in HITS:
        body = json.dumps({"size": count, "query": {"match_all": {}}})
        asked = HttpRequest("POST", f"/{INDEX}/_search", "", body, "application/json")
        yield Load(f"search with {count:,} hits", "search", asked)


def compared(senders: Iterable[Callable[[], Send]]) -> list[Figures]:
    """Measure senders in turns, so that what else the machine does concerns them alike; then several of each at once.

    Args:
        senders: each makes what sends one request, over a connection of its own.
    """
    made = list(senders)
    alone = [make() for make in made]
    _in_turns(alone, WARM_SECONDS)
    times = _in_turns(alone, len(alone) * SECONDS)
    return [_figures(found, _throughput(make)) for found, make in zip(times, made, strict=True)]


def _figures(times: list[float], throughput: float) -> Figures:
    slow = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    return Figures(1000 * statistics.median(times), 1000 * slow, throughput)


def _throughput(make: Callable[[], Send]) -> float:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        began = time.perf_counter()
        done = sum(len(found) for [found] in pool.map(_alone, [make() for _ in range(AT_ONCE)]))
        return done / (time.perf_counter() - began)


def _alone(send: Send) -> list[list[float]]:
    return _in_turns([send], SECONDS)


def _in_turns(sends: list[Send], seconds: float) -> list[list[float]]:
    """The seconds that each request took."""
    found: list[list[float]] = [[] for _ in sends]
    end = time.perf_counter() + seconds
    while not found[0] or time.perf_counter() < end:
        for times, send in zip(found, sends, strict=True):
            began = time.perf_counter()
            send()
            times.append(time.perf_counter() - began)
    return found


def over_rest(server: Server, load: Load) -> Send:
    """What sends a request over REST."""
    connection = http.client.HTTPConnection(HOST, server.ports.rest, timeout=60)
    body = (load.asked.body or "").encode()

    def send() -> None:
        connection.request(load.asked.method, load.asked.path, body, {"Content-Type": load.asked.content_type})
        response = connection.getresponse()
        content = response.read()
        assert response.status == 200, content[:300]

    return send


def over_grpc(channel: grpc.Channel, codec: HttpCodec, load: Load) -> Send:
    """What sends the same request over gRPC."""
    content = codec.encode_request(codec.find_rpc(load.group), load.asked)
    call = channel.unary_unary(f"/{SERVICES[load.group]}")
    return lambda: call(content, timeout=60)


def report(console: Console) -> None:
    """Print one table, or why there is none."""
    if reason := obstacle():
        console.print(f"REST and gRPC on a server: skipped, {reason}")
        return
    columns = ("", "REST, median", "95 %", "gRPC, median", "95 %", "REST, a second", "gRPC, a second")
    table = Table(*columns, title=f"milliseconds of one request, and requests a second of {AT_ONCE} senders")
    codec = load_codec("opensearch", None, "error")
    options = [("grpc.enable_http_proxy", 0), ("grpc.max_receive_message_length", -1)]
    with running() as server:
        filled(server)
        with contextlib.closing(grpc.insecure_channel(f"{HOST}:{server.ports.grpc}", options=options)) as channel:
            grpc.channel_ready_future(channel).result(60)
            for load in loads():
                rest, rpc = compared([partial(over_rest, server, load), partial(over_grpc, channel, codec, load)])
                listed = [rest.median, rest.slow, rpc.median, rpc.slow, rest.throughput, rpc.throughput]
                table.add_row(load.name, *(f"{each:,.1f}" for each in listed))
    console.print(table)


def filled(server: Server) -> None:
    """Write what the searches find; documents of the same id are written again by the bulks."""
    count = max(HITS)
    drawn = random.Random(_SEED)  # noqa: S311 - as above
    settings = {"number_of_shards": 1, "number_of_replicas": 0, "max_result_window": count}
    server.rest("PUT", f"/{INDEX}", json.dumps({"settings": settings}))
    text = "".join(json.dumps(line) + "\n" for at in range(count) for line in log_line(drawn, at))
    answer = server.rest("POST", "/_bulk?refresh=true", text)
    assert answer["errors"] is False
