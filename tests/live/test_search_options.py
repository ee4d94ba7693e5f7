"""Settings of a whole search: limits, scores, several indices, scrolling, fields that exist for one search only."""

import json
from collections.abc import Iterator

import grpc
import pytest

from .client import Client, ids
from .conftest import create_index
from .server import Server

pytestmark = pytest.mark.live

SCORE_BY_PAGES = {"function_score": {"functions": [{"field_value_factor": {"field": "pages"}}]}}


@pytest.fixture(scope="module")
def magazines(server: Server) -> Iterator[str]:
    """A second index, of one document."""
    name = "magazines"
    create_index(server, name, {"title": {"type": "text"}, "pages": {"type": "integer"}})
    server.rest("PUT", f"/{name}/_doc/m?refresh=true", json.dumps({"title": "River", "pages": 10}))
    yield name
    server.rest("DELETE", f"/{name}")


def test_minimum_score(client: Client, books: str) -> None:
    response = client.search({"query": SCORE_BY_PAGES, "min_score": 150}, index=[books])

    assert ids(response) == ["3", "2"]


def test_scores_in_spite_of_a_sort(client: Client, books: str) -> None:
    body = {"query": SCORE_BY_PAGES, "sort": [{"field": "pages"}], "track_scores": True}
    response = client.search(body, index=[books])

    assert [hit.x_score.double for hit in response.hits.hits] == [64, 90, 120, 200, 350]
    assert response.hits.max_score.float == 350


def test_early_end(client: Client, books: str) -> None:
    response = client.search({"terminate_after": 1, "size": 0, "query": {"match_all": {}}}, index=[books])

    assert response.terminated_early
    assert response.hits.total.total_hits.value == 1


def test_phases_are_timed_on_request(client: Client, books: str) -> None:
    timed, plain = (client.search({}, index=[books], phase_took=wanted) for wanted in (True, False))

    assert (timed.HasField("phase_took"), plain.HasField("phase_took")) == (True, False)


def test_several_indices(client: Client, books: str, magazines: str) -> None:
    response = client.search({"sort": [{"field": "pages"}], "size": 2}, index=[books, magazines])

    assert [(hit.x_index, hit.x_id) for hit in response.hits.hits] == [(magazines, "m"), (books, "5")]
    assert response.x_shards.total == 2


def test_index_pattern(client: Client, magazines: str) -> None:
    assert ids(client.search({}, index=["maga*"])) == ["m"]
    assert ids(client.search({}, index=["maga*", f"-{magazines}"])) == []


@pytest.mark.parametrize(("boosts", "first"), [({"magazines": 5.0}, "m"), ({"books": 5.0}, "1")])
@pytest.mark.usefixtures("books", "magazines")
def test_boost_of_an_index(client: Client, boosts: dict[str, float], first: str) -> None:
    body = {"query": {"match_all": {}}, "indices_boost_2": [{"float_map": boosts}]}
    response = client.search(body, index=["books", "magazines"])

    assert ids(response)[0] == first
    assert response.hits.hits[0].x_score.double == 5


def test_routing_and_preference_are_accepted(client: Client, books: str) -> None:
    response = client.search({}, index=[books], routing=["a"], preference="_local")

    assert len(response.hits.hits) == 5


def test_scroll_begins_over_grpc(client: Client, server: Server, books: str) -> None:
    first = client.search({"size": 3, "sort": [{"field": "pages"}]}, index=[books], scroll="1m")
    # The contract has no rpc for the pages after the first one.
    scroll = {"scroll": "1m", "scroll_id": first.x_scroll_id}
    second = server.rest("POST", "/_search/scroll", json.dumps(scroll))
    server.rest("DELETE", "/_search/scroll", json.dumps({"scroll_id": second["_scroll_id"]}))

    assert ids(first) == ["5", "4", "1"]
    assert [hit["_id"] for hit in second["hits"]["hits"]] == ["2", "3"]


def test_derived_field(client: Client, books: str) -> None:
    sheets = {"name": "sheets", "type": "long", "script": {"inline": {"source": "emit(doc['pages'].value / 2)"}}}
    query = {"range": {"number_range_query": {"field": "sheets", "gte": 60, "lte": 100}}}
    response = client.search({"derived": {"sheets": sheets}, "query": query}, index=[books])

    assert ids(response) == ["1", "2"]


def test_a_pattern_without_an_index_is_allowed_or_not(client: Client) -> None:
    assert client.search({}, index=["nothing*"], allow_no_indices=True).x_shards.total == 0
    with pytest.raises(grpc.RpcError, match="no such index \\[nothing\\*\\]") as refusal:
        client.search({}, index=["nothing*"], allow_no_indices=False)
    assert refusal.value.code() == grpc.StatusCode.NOT_FOUND
