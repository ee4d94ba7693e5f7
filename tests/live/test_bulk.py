"""Writing documents: every action of the Bulk rpc, and what the server has stored afterwards."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

import grpc
import pytest

from .client import Client, ids
from .conftest import create_index
from .server import Server

pytestmark = pytest.mark.live

NAMES = (f"notes-{number}" for number in itertools.count())


@pytest.fixture
def notes(server: Server) -> Iterator[str]:
    """A fresh index for each test."""
    name = next(NAMES)
    create_index(server, name, {"text": {"type": "text"}, "rank": {"type": "integer"}})
    yield name
    server.rest("DELETE", f"/{name}")


def stored(server: Server, index: str, key: str) -> Any:
    """The document as REST returns it, None where there is none."""
    answer = server.rest("POST", f"/{index}/_mget", json.dumps({"ids": [key]}))
    return answer["docs"][0].get("_source")


def index(key: str, document: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {"operation_container": {"index": {"x_id": key, **metadata}}, "object": json.dumps(document).encode()}


def create(key: str, document: dict[str, Any]) -> dict[str, Any]:
    return {"operation_container": {"create": {"x_id": key}}, "object": json.dumps(document).encode()}


def update(key: str, **action: Any) -> dict[str, Any]:
    return {"operation_container": {"update": {"x_id": key}}, "update_action": action}


def delete(key: str) -> dict[str, Any]:
    return {"operation_container": {"delete": {"x_id": key}}}


def only(response: Any, action: str) -> Any:
    """The one item of the response, which must be of this action."""
    (item,) = response.items
    assert item.WhichOneof("item") == action
    return getattr(item, action)


def test_index_stores_the_document(client: Client, server: Server, notes: str) -> None:
    response = client.bulk(index("1", {"text": "ä", "rank": 1}), index=notes)

    item = only(response, "index")
    assert not response.errors
    assert (item.x_index, item.x_id, item.result, item.x_version, item.x_seq_no) == (notes, "1", "created", 1, 0)
    assert (item.x_shards.total, item.x_shards.successful, item.x_shards.failed) == (1, 1, 0)
    # The status of an item is a gRPC code (0 is OK), where REST has an HTTP status.
    assert item.status == grpc.StatusCode.OK.value[0]
    assert stored(server, notes, "1") == {"text": "ä", "rank": 1}


def test_index_replaces_a_document(client: Client, server: Server, notes: str) -> None:
    client.bulk(index("1", {"text": "old", "rank": 1}), index=notes)
    item = only(client.bulk(index("1", {"text": "new"}), index=notes), "index")

    assert (item.result, item.x_version) == ("updated", 2)
    assert stored(server, notes, "1") == {"text": "new"}


def test_the_server_chooses_an_id(client: Client, server: Server, notes: str) -> None:
    action = {"operation_container": {"index": {}}, "object": b'{"rank": 7}'}
    item = only(client.bulk(action, index=notes), "index")

    assert len(item.x_id) == 20
    assert stored(server, notes, item.x_id) == {"rank": 7}


def test_create_refuses_an_id_that_exists(client: Client, server: Server, notes: str) -> None:
    assert only(client.bulk(create("1", {"rank": 1}), index=notes), "create").result == "created"
    response = client.bulk(create("1", {"rank": 2}), index=notes)

    item = only(response, "create")
    assert response.errors
    assert item.error.type == "version_conflict_engine_exception"
    assert item.status == grpc.StatusCode.ABORTED.value[0]
    assert stored(server, notes, "1") == {"rank": 1}


def test_update_merges_a_part(client: Client, server: Server, notes: str) -> None:
    client.bulk(index("1", {"text": "kept", "rank": 1}), index=notes)
    item = only(client.bulk(update("1", doc=b'{"rank": 2}'), index=notes), "update")

    assert (item.result, item.x_version) == ("updated", 2)
    assert stored(server, notes, "1") == {"text": "kept", "rank": 2}


@pytest.mark.parametrize(("detect_noop", "result"), [(True, "noop"), (False, "updated")])
def test_update_without_a_change(client: Client, notes: str, *, detect_noop: bool, result: str) -> None:
    client.bulk(index("1", {"rank": 1}), index=notes)
    item = only(client.bulk(update("1", doc=b'{"rank": 1}', detect_noop=detect_noop), index=notes), "update")

    assert item.result == result


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ({"doc": b'{"rank": 1}', "doc_as_upsert": True}, {"rank": 1}),
        ({"doc": b'{"rank": 1}', "upsert": b'{"rank": 2}'}, {"rank": 2}),
    ],
)
def test_upsert(client: Client, server: Server, notes: str, action: dict[str, Any], expected: dict[str, Any]) -> None:
    item = only(client.bulk(update("1", **action), index=notes), "update")

    assert item.result == "created"
    assert stored(server, notes, "1") == expected


def test_update_by_script_returns_the_document(client: Client, server: Server, notes: str) -> None:
    client.bulk(index("1", {"rank": 10}), index=notes)
    script = {
        "source": "ctx._source.rank += params.step",
        "lang": {"builtin": "BUILTIN_SCRIPT_LANGUAGE_PAINLESS"},
        "params": {"fields": {"step": {"int32": 5}}},
    }
    action = update("1", script={"inline": script}, x_source={"fetch": True})
    item = only(client.bulk(action, index=notes), "update")

    assert item.get.found
    assert json.loads(item.get.x_source) == {"rank": 15}
    assert stored(server, notes, "1") == {"rank": 15}


def test_delete(client: Client, server: Server, notes: str) -> None:
    client.bulk(index("1", {"rank": 1}), index=notes)
    response = client.bulk(delete("1"), index=notes)

    assert not response.errors
    assert only(response, "delete").result == "deleted"
    assert stored(server, notes, "1") is None


def test_delete_of_nothing_is_no_error(client: Client, notes: str) -> None:
    response = client.bulk(delete("1"), index=notes)

    item = only(response, "delete")
    assert not response.errors
    assert (item.result, item.status) == ("not_found", grpc.StatusCode.NOT_FOUND.value[0])


def test_actions_of_every_kind_in_one_request(client: Client, server: Server, notes: str) -> None:
    actions = (index("1", {"rank": 1}), create("2", {"rank": 2}), update("1", doc=b'{"rank": 3}'), delete("2"))
    response = client.bulk(*actions, index=notes)

    assert [item.WhichOneof("item") for item in response.items] == ["index", "create", "update", "delete"]
    assert [stored(server, notes, key) for key in ("1", "2")] == [{"rank": 3}, None]


def test_an_action_names_its_own_index(client: Client, server: Server, notes: str) -> None:
    other = next(NAMES)
    item = only(client.bulk(index("1", {"rank": 1}, x_index=other), index=notes), "index")

    assert item.x_index == other
    assert [stored(server, name, "1") for name in (notes, other)] == [None, {"rank": 1}]


def test_versions_and_sequence_numbers_guard_a_document(client: Client, server: Server, notes: str) -> None:
    external = index("1", {"rank": 1}, version=7, version_type="VERSION_TYPE_EXTERNAL")
    item = only(client.bulk(external, index=notes), "index")
    assert item.x_version == 7

    # Both carry the same guard, which the first of them uses up: one that was lost on the way would let both through.
    guard = {"if_seq_no": item.x_seq_no, "if_primary_term": item.x_primary_term}
    response = client.bulk(index("1", {"rank": 2}, **guard), index("1", {"rank": 3}, **guard), index=notes)
    passed, refused = (item.index for item in response.items)
    assert passed.result == "updated"
    assert refused.error.type == "version_conflict_engine_exception"
    assert stored(server, notes, "1") == {"rank": 2}


@pytest.mark.parametrize(("refresh", "found"), [("REFRESH_TRUE", ["1"]), ("REFRESH_FALSE", [])])
def test_refresh_makes_documents_findable(client: Client, notes: str, refresh: str, found: list[str]) -> None:
    item = only(client.bulk(index("1", {"rank": 1}), index=notes, refresh=refresh), "index")

    assert item.forced_refresh == (refresh == "REFRESH_TRUE")
    assert ids(client.search({"query": {"match_all": {}}}, index=[notes])) == found
