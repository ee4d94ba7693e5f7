"""What goes wrong: status codes of the call, and errors of the items of a bulk request."""

from collections.abc import Callable
from typing import Any

import grpc
import pytest

from .client import Client, plain

pytestmark = [pytest.mark.live, pytest.mark.nightly]  # they check the server more than the protos


def refusal(call: Callable[[], Any]) -> tuple[grpc.StatusCode, str]:
    """The code and the text with which the server refuses the call."""
    with pytest.raises(grpc.RpcError) as caught:
        call()
    return caught.value.code(), caught.value.details()


def by_field(kind: str, **options: Any) -> dict[str, Any]:
    return {"query": {kind: options}}


BAD_SEARCHES: dict[str, tuple[dict[str, Any], str]] = {
    "empty-query": ({"query": {}}, "Unsupported query type in container"),
    "match-without-text": (by_field("match", field="title"), "FieldValue type not recognized"),
    "text-for-a-number": (by_field("term", field="pages", value={"string": "many"}), "query_shard_exception"),
    "bad-expression": (by_field("regexp", field="tags", value="["), "unexpected end-of-string"),
    "not-nested": (
        by_field("nested", path="title", query={"match_all": {}}),
        "[nested] failed to find nested object under path [title]",
    ),
    "no-such-analyzer": (
        by_field("match", field="title", query={"string": "a"}, analyzer="none"),
        "[match] analyzer [none] not found",
    ),
    "unmapped-sort": ({"sort": [{"field": "no_such_field"}]}, "No mapping found for [no_such_field]"),
    "too-many-values": (
        {"sort": [{"field": "pages"}], "search_after": [{"string": "1"}, {"string": "2"}]},
        "search_after has 2 value(s) but sort has 1",
    ),
    "negative-size": ({"size": -1}, "[size] parameter cannot be negative"),
    "window-too-large": ({"size": 20_000}, "Result window is too large"),
    "bad-script": ({"script_fields": {"a": {"script": {"inline": {"source": "doc["}}}}}, "compile error"),
    "bad-time": ({"timeout": "soon"}, "failed to parse setting [timeout]"),
}


@pytest.mark.parametrize(("body", "message"), BAD_SEARCHES.values(), ids=BAD_SEARCHES)
def test_bad_search(client: Client, books: str, body: dict[str, Any], message: str) -> None:
    code, details = refusal(lambda: client.search(body, index=[books]))

    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert message in details


def test_missing_index(client: Client) -> None:
    code, details = refusal(lambda: client.search({}, index=["missing"]))

    assert code == grpc.StatusCode.NOT_FOUND
    assert "no such index [missing]" in details


def test_missing_index_may_be_ignored(client: Client) -> None:
    response = client.search({}, index=["missing"], ignore_unavailable=True)

    assert (response.x_shards.total, response.hits.total.total_hits.value) == (0, 0)


UNSUPPORTED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "profile": ({"profile": True}, {}),
    "rescore": ({"rescore": [{"query": {"rescore_query": {"match_all": {}}}}]}, {}),
    "typed_keys": ({}, {"typed_keys": True}),
}


@pytest.mark.parametrize(("body", "parameters"), UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_parts_of_the_contract_that_the_server_lacks(
    client: Client, books: str, body: dict[str, Any], parameters: dict[str, Any]
) -> None:
    # The server reports them as its own failure, not as UNIMPLEMENTED.
    code, details = refusal(lambda: client.search(body, index=[books], **parameters))

    assert code == grpc.StatusCode.INTERNAL
    assert "not supported yet" in details


def test_unsigned_longs_cannot_be_returned_as_fields(client: Client, books: str) -> None:
    # `ObjectMap` has no number that holds them, so the whole search fails.
    body = {"query": {"ids": {"values": ["1"]}}}
    code, details = refusal(lambda: client.search(body, index=[books], docvalue_fields=["serial"]))

    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert "Cannot convert 18446744073709551615" in details


@pytest.mark.parametrize(
    "query",
    [
        {"knn": {"field": "vector", "vector": [1, 2], "k": 1}},
        {"hybrid": {"queries": [{"match_all": {}}]}},
    ],
)
def test_queries_of_absent_plugins(client: Client, books: str, query: dict[str, Any]) -> None:
    # The server names the query that it cannot run: it has understood the message.
    code, details = refusal(lambda: client.search({"query": query}, index=[books]))

    (name,) = query
    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert f"(case: {name.upper()})" in details


def test_query_that_is_newer_than_the_server(client: Client, books: str) -> None:
    # Published 1.7.0 gave number 33 to `sltr`; the 1.6.0 inside this server has no such field and says what it got.
    code, details = refusal(lambda: client.search({"query": {"sltr": {"model": "none"}}}, index=[books]))

    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert 'Unsupported query type in container: 33: {\n  5: "none"\n}' in details


def test_rpcs_of_absent_plugins(client: Client, books: str) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: client.stream_search({}, index=[books]),
        lambda: client.predict(model_id="a"),
    ]

    assert [refusal(call)[0] for call in calls] == [grpc.StatusCode.UNIMPLEMENTED] * 2


BAD_BULKS: dict[str, tuple[list[dict[str, Any]], str]] = {
    "nothing": ([], "no requests added"),
    "no-operation": ([{"object": b"{}"}], "OperationContainer"),
    "delete-without-id": ([{"operation_container": {"delete": {}}}], "id is missing"),
    "update-of-nothing": ([{"operation_container": {"update": {"x_id": "1"}}}], "script or doc is missing"),
}


@pytest.mark.parametrize(("actions", "message"), BAD_BULKS.values(), ids=BAD_BULKS)
def test_bulk_request_that_is_refused_as_a_whole(
    client: Client, books: str, actions: list[dict[str, Any]], message: str
) -> None:
    code, details = refusal(lambda: client.bulk(*actions, index=books))

    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert message in details


INDEX = {"operation_container": {"index": {"x_id": "bad"}}}
UPDATE = {"operation_container": {"update": {"x_id": "bad"}}}
BAD_ITEMS: dict[str, tuple[dict[str, Any], str, grpc.StatusCode]] = {
    "not-json": ({**INDEX, "object": b"pages"}, "mapper_parsing_exception", grpc.StatusCode.INVALID_ARGUMENT),
    "cut-off": ({**INDEX, "object": b'{"pages": 1'}, "mapper_parsing_exception", grpc.StatusCode.INVALID_ARGUMENT),
    "no-document": (INDEX, "mapper_parsing_exception", grpc.StatusCode.INVALID_ARGUMENT),
    "update-cut-off": (
        {"operation_container": {"update": {"x_id": "1"}}, "update_action": {"doc": b'{"pages":'}},
        "parse_exception",
        grpc.StatusCode.INVALID_ARGUMENT,
    ),
    "nothing-to-update": (
        {**UPDATE, "update_action": {"doc": b"{}"}},
        "document_missing_exception",
        grpc.StatusCode.NOT_FOUND,
    ),
    "index-name": (
        {"operation_container": {"index": {"x_index": "UPPER"}}, "object": b"{}"},
        "invalid_index_name_exception",
        grpc.StatusCode.INVALID_ARGUMENT,
    ),
    "not-an-alias": (
        {"operation_container": {"index": {"require_alias": True}}, "object": b"{}"},
        "index_not_found_exception",
        grpc.StatusCode.NOT_FOUND,
    ),
    "no-such-pipeline": (
        {"operation_container": {"index": {"pipeline": "none"}}, "object": b"{}"},
        "illegal_argument_exception",
        grpc.StatusCode.INVALID_ARGUMENT,
    ),
}


@pytest.mark.parametrize(("action", "kind", "code"), BAD_ITEMS.values(), ids=BAD_ITEMS)
def test_bulk_item_that_is_refused(
    client: Client, books: str, action: dict[str, Any], kind: str, code: grpc.StatusCode
) -> None:
    good = {"operation_container": {"delete": {"x_id": "missing"}}}
    response = client.bulk(action, good, index=books)

    assert response.errors
    bad, untouched = (getattr(item, item.WhichOneof("item")) for item in response.items)
    assert (bad.error.type, bad.status) == (kind, code.value[0])
    assert not untouched.HasField("error")


def test_the_error_of_an_item_tells_its_cause(client: Client, books: str) -> None:
    action = {**INDEX, "object": b'{"pages": "many"}'}
    (item,) = client.bulk(action, index=books).items

    error = item.index.error
    assert error.reason.startswith("failed to parse field [pages] of type [integer] in document with id 'bad'")
    assert (error.caused_by.type, error.caused_by.reason) == ("number_format_exception", 'For input string: "many"')


def test_the_error_of_an_item_has_metadata(client: Client, books: str) -> None:
    action = {"operation_container": {"create": {"x_id": "1"}}, "object": b"{}"}
    (item,) = client.bulk(action, index=books).items

    metadata = {name: plain(value) for name, value in item.create.error.metadata.fields.items()}
    assert (metadata["index"], metadata["shard"]) == (books, "0")
