"""Any JSON and any bytes: a value or a `CodecError`, nothing else, and what comes back is what was sent."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from spec2proto_codec import CodecError, HttpCodec, HttpRequest, HttpResponse

from tests.codec.encode.test_forms import BASE, NAME, PLAIN, SPELLED, same
from tests.codec.http.test_codec import ANSWERS, REQUESTS

COUNT = 2_000
SEEDS = [BASE | value for value in (*PLAIN, *SPELLED)]


def mutated(value: Any, random_: random.Random, pool: list[Any]) -> Any:
    """The value with something in it replaced, removed or moved."""
    if random_.random() < 0.08:
        return random_.choice(pool)
    if isinstance(value, dict):
        found = {key: mutated(entry, random_, pool) for key, entry in value.items() if random_.random() > 0.03}
        if random_.random() < 0.1:
            found[random_.choice(["type", "value", "missing", "size", "x", "above"])] = random_.choice(pool)
        return found
    if isinstance(value, list):
        return [mutated(entry, random_, pool) for entry in value] * random_.choice([1, 1, 1, 2])
    return value


def trips(http: HttpCodec, count: int, seed: int) -> int:
    """How many of so many mutated values could be carried; each of them must come back as it was."""
    random_ = random.Random(seed)  # noqa: S311 - values to try, no secrets
    pool = [None, True, 0, -1, 2**31, 2**64, 1.5, 1e300, "", "open", "5", "true", [], {}, [[]], {"a": {"b": [1]}}]
    pool += [entry for value in SEEDS for entry in value.values()]
    carried = 0
    for _ in range(count):
        value = mutated(random_.choice(SEEDS), random_, pool)
        try:
            content = http.encode(NAME, value)
        except CodecError:
            continue
        assert same(http.decode(NAME, content), value)
        carried += 1
    return carried


def survives(http: HttpCodec, count: int, seed: int) -> int:
    """How many of so many spoilt messages still stood for a value."""
    random_ = random.Random(seed)  # noqa: S311 - values to try, no secrets
    contents = [http.encode(NAME, value) for value in SEEDS]
    return stood([(lambda content: http.decode(NAME, content), content) for content in contents], count, random_)


def survive(http: HttpCodec, count: int, seed: int) -> int:
    """The same of requests, of answers and of failures."""
    random_ = random.Random(seed)  # noqa: S311 - values to try, no secrets
    seeds: list[tuple[Callable[[bytes], Any], bytes]] = []
    for group, method, path, query, body in REQUESTS:
        rpc = http.find_rpc(group)
        kind = "application/x-ndjson" if group == "bulk" else "application/json"
        content = http.encode_request(rpc, HttpRequest(method, path, query, body, kind))
        seeds.append((lambda content, rpc=rpc: http.decode_request(rpc, content), content))  # type: ignore[misc]
    for group, asked, answer in (*ANSWERS, ("search", ANSWERS[0][1], HttpResponse(418, "text/html", "<h1>"))):
        rpc = http.find_rpc(group)
        content, failed = http.encode_response(rpc, asked, answer)
        seeds.append(
            (lambda content, rpc=rpc, failed=failed: http.decode_response(rpc, content, failed=failed), content)  # type: ignore[misc]
        )
    return stood(seeds, count, random_)


def stood(seeds: list[tuple[Callable[[bytes], Any], bytes]], count: int, random_: random.Random) -> int:
    """How many of so many spoilt bytes are still read; the others must be refused."""
    found = 0
    for _ in range(count):
        read, seed = random_.choice(seeds)
        content = bytearray(seed)
        for _ in range(random_.randint(1, 4)):
            at = random_.randrange(len(content) + 1)
            content[at : at + random_.choice([0, 1, 2])] = random_.randbytes(random_.randint(0, 3))
        try:
            read(bytes(content))
        except CodecError:
            continue
        found += 1
    return found


@pytest.mark.parametrize("unknown", ["error", "keep"])
def test_any_json_is_carried_or_refused(codec: Callable[..., HttpCodec], unknown: str) -> None:
    assert trips(codec("forms", unknown), COUNT // 2, 1) > COUNT // 10


def test_any_bytes_are_read_or_refused(codec: Callable[..., HttpCodec]) -> None:
    assert survives(codec("forms"), COUNT, 2) > COUNT // 50
    assert survive(codec("http"), COUNT, 2) > COUNT // 50


@pytest.mark.nightly
def test_a_hundred_thousand_of_each(codec: Callable[..., HttpCodec]) -> None:
    assert trips(codec("forms"), 100_000, 3) > 0
    assert survives(codec("forms"), 100_000, 4) > 0
    assert survive(codec("http"), 100_000, 5) > 0


def test_bytes_are_read_as_protobuf_reads_them(codec: Callable[..., HttpCodec]) -> None:
    http = codec("forms")
    kind = type(http.create_message(NAME))
    with pytest.raises(DecodeError):
        kind.FromString(b"\x0a\xff")
    with pytest.raises(CodecError):
        http.decode(NAME, b"\x0a\xff")
