"""Points in time: opened, searched while the index changes, closed."""

import json
from collections.abc import Iterator
from typing import Any

import grpc
import pytest

from .client import Client, ids
from .conftest import create_index
from .server import Server

pytestmark = [pytest.mark.live, pytest.mark.nightly]  # they check the server more than the protos


@pytest.fixture
def log(server: Server) -> Iterator[str]:
    """An index of three documents that a test may change."""
    name = "log"
    create_index(server, name, {"line": {"type": "integer"}})
    for line in (1, 2, 3):
        append(server, name, line)
    yield name
    server.rest("DELETE", f"/{name}")


@pytest.fixture
def pit(client: Client, log: str) -> Iterator[Any]:
    """An open point in time of the log."""
    opened = client.create_pit(index=[log], keep_alive="5m")
    yield opened
    client.delete_pit(opened.pit_id)


def append(server: Server, index: str, line: int) -> None:
    server.rest("PUT", f"/{index}/_doc/{line}?refresh=true", json.dumps({"line": line}))


def at(pit_id: str, **body: Any) -> dict[str, Any]:
    # The contract calls `keep_alive` optional here, and REST treats it so; over gRPC the server insists on it.
    return {"pit": {"id": pit_id, "keep_alive": "5m"}, **body}


def open_pits(server: Server) -> list[str]:
    return [pit["pit_id"] for pit in server.rest("GET", "/_search/point_in_time/_all")["pits"]]


def test_create(server: Server, pit: Any) -> None:
    assert open_pits(server) == [pit.pit_id]
    assert (pit.x_shards.total, pit.x_shards.successful, pit.x_shards.failed) == (1, 1, 0)
    assert pit.creation_time > 1_600_000_000_000


def test_search_sees_the_index_as_it_was(client: Client, server: Server, log: str, pit: Any) -> None:
    append(server, log, 4)
    response = client.search(at(pit.pit_id, sort=[{"field": "line"}]))

    assert ids(response) == ["1", "2", "3"]
    assert response.pit_id == pit.pit_id
    assert ids(client.search({"sort": [{"field": "line"}]}, index=[log])) == ["1", "2", "3", "4"]


def test_pages_are_not_disturbed_by_writes(client: Client, server: Server, log: str, pit: Any) -> None:
    first = client.search(at(pit.pit_id, size=2, sort=[{"field": "line"}]))
    server.rest("DELETE", f"/{log}/_doc/3?refresh=true")
    second = client.search(at(pit.pit_id, size=2, sort=[{"field": "line"}], search_after=first.hits.hits[-1].sort))

    assert [ids(page) for page in (first, second)] == [["1", "2"], ["3"]]


def test_slices_share_the_documents_out(client: Client, pit: Any) -> None:
    parts = [ids(client.search(at(pit.pit_id, slice={"id": number, "max": 2}))) for number in (0, 1)]

    assert sorted(parts[0] + parts[1]) == ["1", "2", "3"]


def test_delete(client: Client, server: Server, log: str) -> None:
    pit_id = client.create_pit(index=[log], keep_alive="5m").pit_id
    (deleted,) = client.delete_pit(pit_id).pits

    assert (deleted.pit_id, deleted.successful) == (pit_id, True)
    assert open_pits(server) == []
    with pytest.raises(grpc.RpcError, match="search_context_missing_exception") as refusal:
        client.search(at(pit_id))
    assert refusal.value.code() == grpc.StatusCode.NOT_FOUND


def test_delete_all(client: Client, server: Server, log: str) -> None:
    opened = {client.create_pit(index=[log], keep_alive="5m").pit_id for _ in range(2)}
    answer = client.delete_pit("_all")

    assert {pit.pit_id for pit in answer.pits} == opened
    assert open_pits(server) == []


def test_search_needs_a_keep_alive(client: Client, pit: Any) -> None:
    with pytest.raises(grpc.RpcError, match="failed to parse setting \\[pit\\]") as refusal:
        client.search({"pit": {"id": pit.pit_id}})

    assert refusal.value.code() == grpc.StatusCode.INVALID_ARGUMENT


def test_search_takes_no_index_beside_a_point_in_time(client: Client, log: str, pit: Any) -> None:
    with pytest.raises(grpc.RpcError, match="cannot be used with point in time") as refusal:
        client.search(at(pit.pit_id), index=[log])

    assert refusal.value.code() == grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"index": ["missing"], "keep_alive": "5m"}, grpc.StatusCode.NOT_FOUND),
        ({"index": ["log"]}, grpc.StatusCode.INVALID_ARGUMENT),
    ],
)
@pytest.mark.usefixtures("log")
def test_create_refuses(client: Client, parameters: dict[str, Any], code: grpc.StatusCode) -> None:
    with pytest.raises(grpc.RpcError) as refusal:
        client.create_pit(**parameters)

    assert refusal.value.code() == code


@pytest.mark.parametrize("pit_ids", [[], ["rubbish"]])
def test_delete_refuses(client: Client, pit_ids: list[str]) -> None:
    with pytest.raises(grpc.RpcError) as refusal:
        client.delete_pit(*pit_ids)

    assert refusal.value.code() == grpc.StatusCode.INVALID_ARGUMENT
