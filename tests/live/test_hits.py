"""What a search returns of each hit, and in which order: sort, paging, source, fields, highlight."""

import json
from typing import Any

import grpc
import pytest

from .client import Client, ids, number, plain

pytestmark = [pytest.mark.live, pytest.mark.nightly]  # they check the server more than the protos

FIRST = {"ids": {"values": ["1"]}}
RIVER = {"match": {"field": "title", "query": {"string": "river"}}}


def by(field: str, **options: Any) -> dict[str, Any]:
    return {"field_with_order": {"field_sort_map": {field: options}}}


def direction(field: str, order: str) -> dict[str, Any]:
    return {"field_with_direction": {"sort_order_map": {field: order}}}


SORTS: dict[str, tuple[dict[str, Any], str]] = {
    "field": ({"field": "pages"}, "54123"),
    "direction": (direction("price", "SORT_ORDER_DESC"), "34215"),
    "options": (by("published", order="SORT_ORDER_DESC"), "54321"),
    "script": (
        {
            "options": {
                "x_script": {
                    "script": {"inline": {"source": "-doc['pages'].value"}},
                    "type": "SCRIPT_SORT_TYPE_NUMBER",
                    "order": "SORT_ORDER_ASC",
                }
            }
        },
        "32145",
    ),
    "missing-first": (by("serial", order="SORT_ORDER_ASC", missing={"string": "_first"}), "34521"),
    "unmapped": (by("no_such_field", order="SORT_ORDER_ASC", unmapped_type="FIELD_TYPE_LONG"), "12345"),
}


@pytest.mark.parametrize(("sort", "expected"), SORTS.values(), ids=SORTS)
def test_sort(client: Client, books: str, sort: dict[str, Any], expected: str) -> None:
    response = client.search({"sort": [sort]}, index=[books])

    assert ids(response) == list(expected)


def test_sort_by_score(client: Client, books: str) -> None:
    sort = {"options": {"x_score": {"order": "SORT_ORDER_ASC"}}}
    response = client.search({"query": RIVER, "sort": [sort]}, index=[books])

    # The word weighs least in the longest title; the other order is the default.
    assert ids(response) == ["4", "1", "2"]
    assert [hit.sort[0].general_number.float_value for hit in response.hits.hits] == [
        hit.x_score.double for hit in response.hits.hits
    ]


def test_sort_by_distance(client: Client, books: str) -> None:
    munich = {"geo_location_array": [{"latlon": {"lat": 48.1, "lon": 11.6}}]}
    options = {"location": {"printed_at": munich}, "order": "SORT_ORDER_DESC", "unit": "DISTANCE_UNIT_KM"}
    body = {"query": {"exists": {"field": "printed_at"}}, "sort": [{"options": {"x_geo_distance": options}}]}
    response = client.search(body, index=[books])

    assert ids(response) == ["1", "2"]
    far, near = (hit.sort[0].general_number.double_value for hit in response.hits.hits)
    assert far == pytest.approx(506, abs=1)
    assert near == pytest.approx(0, abs=0.01)


def test_nested_sort_looks_at_the_documents_that_its_filter_leaves(client: Client, books: str) -> None:
    by_ann = {"term": {"field": "reviews.by", "value": {"string": "ann"}}}
    nested = {"path": "reviews", "filter": by_ann}
    sort = by(
        "reviews.stars", order="SORT_ORDER_DESC", mode="SORT_MODE_MAX", missing={"string": "_last"}, nested=nested
    )
    response = client.search({"sort": [sort, {"field": "pages"}]}, index=[books])

    assert ids(response) == ["1", "2", "5", "4", "3"]
    # Without a value the server reports the least integer that there is.
    assert [number(hit.sort[0].general_number) for hit in response.hits.hits] == [5, 1, *[-(2**31)] * 3]


def test_nested_sort_takes_the_least_of_several(client: Client, books: str) -> None:
    sort = by("reviews.stars", order="SORT_ORDER_ASC", mode="SORT_MODE_MIN", nested={"path": "reviews"})
    response = client.search({"sort": [sort]}, index=[books])

    assert ids(response) == ["2", "1", "3", "5", "4"]


def test_sort_values_keep_their_types(client: Client, books: str) -> None:
    sort = [{"field": name} for name in ("pages", "price", "published", "tags")]
    response = client.search({"query": FIRST, "sort": sort}, index=[books])

    (hit,) = response.hits.hits
    pages, price, published, tag = hit.sort
    assert pages.general_number.int32_value == 120
    assert price.general_number.double_value == 9.5
    assert published.general_number.int64_value == 988675200000
    assert tag.string == "nature"
    assert hit.x_score.WhichOneof("hit_x_score") == "null_value"


def test_search_after_continues(client: Client, books: str) -> None:
    body: dict[str, Any] = {"sort": [{"field": "tags"}, {"field": "pages"}], "size": 2}
    first = client.search(body, index=[books])
    second = client.search({**body, "search_after": first.hits.hits[-1].sort}, index=[books])

    assert [ids(page) for page in (first, second)] == [["5", "4"], ["1", "2"]]


def test_from_and_size(client: Client, books: str) -> None:
    response = client.search({"from": 1, "size": 2, "sort": [{"field": "pages"}]}, index=[books])

    assert ids(response) == ["4", "1"]
    assert response.hits.total.total_hits.value == 5


def test_source_is_the_document(client: Client, books: str) -> None:
    (hit,) = client.search({"query": FIRST}, index=[books]).hits.hits

    assert json.loads(hit.x_source)["title"] == "The quick river"
    assert json.loads(hit.x_source)["serial"] == 2**64 - 1


def test_source_filter(client: Client, books: str) -> None:
    source = {"filter": {"includes": ["title", "reviews.*"], "excludes": ["reviews.by"]}}
    (hit,) = client.search({"query": FIRST, "x_source": source}, index=[books]).hits.hits

    assert json.loads(hit.x_source) == {"title": "The quick river", "reviews": [{"stars": 5}, {"stars": 2}]}


def test_source_can_be_left_out(client: Client, books: str) -> None:
    (hit,) = client.search({"query": FIRST, "x_source": {"fetch": False}}, index=[books]).hits.hits

    assert not hit.HasField("x_source")


@pytest.mark.parametrize(
    "parameters", [{"x_source": {"fields": {"string_array": ["pages"]}}}, {"x_source_includes": ["pages"]}]
)
def test_source_parameters(client: Client, books: str, parameters: dict[str, Any]) -> None:
    (hit,) = client.search({"query": FIRST}, index=[books], **parameters).hits.hits

    assert json.loads(hit.x_source) == {"pages": 120}


def test_highlight(client: Client, books: str) -> None:
    kind = {"type": {"builtin": "BUILTIN_HIGHLIGHTER_TYPE_UNIFIED"}}
    highlight = {"pre_tags": ["<b>"], "post_tags": ["</b>"], "fields": {"title": kind}}
    response = client.search({"query": RIVER, "highlight": highlight}, index=[books])

    fragments = {hit.x_id: list(hit.highlight["title"].string_array) for hit in response.hits.hits}
    assert fragments == {
        "1": ["The quick <b>river</b>"],
        "2": ["A slow <b>river</b>"],
        "4": ["Cooking by the <b>river</b>"],
    }


@pytest.mark.parametrize("kind", ["fields", "docvalue_fields"])
def test_fields_with_a_format(client: Client, books: str, kind: str) -> None:
    wanted = {"field": "published", "format": "yyyy"}
    (hit,) = client.search({"query": FIRST, kind: [wanted]}, index=[books]).hits.hits

    assert plain(hit.fields.fields["published"]) == ["2001"]


@pytest.mark.parametrize("kind", ["fields", "docvalue_fields"])
def test_fields_without_a_format(client: Client, books: str, kind: str) -> None:
    # The server takes an absent format for an empty one, which keywords refuse; over REST the same search works.
    with pytest.raises(grpc.RpcError, match="Field \\[tags\\] of type \\[keyword\\]") as refusal:
        client.search({"query": FIRST, kind: [{"field": "tags"}]}, index=[books])

    assert refusal.value.code() == grpc.StatusCode.INVALID_ARGUMENT


def test_docvalue_parameter(client: Client, books: str) -> None:
    names = ["tags", "pages", "price", "in_print", "published"]
    (hit,) = client.search({"query": FIRST}, index=[books], docvalue_fields=names).hits.hits

    assert {name: plain(value) for name, value in hit.fields.fields.items()} == {
        "tags": ["nature", "travel"],
        "pages": [120],
        "price": [9.5],
        "in_print": [True],
        "published": ["2001-05-01T00:00:00.000Z"],
    }


def test_script_fields_hold_any_value(client: Client, books: str) -> None:
    sources = {"object": "['deep': ['er': 1]]", "list": "[1, 'x', null]", "long": "3000000000L", "none": "null"}
    scripts = {name: {"script": {"inline": {"source": source}}} for name, source in sources.items()}
    (hit,) = client.search({"query": FIRST, "script_fields": scripts}, index=[books]).hits.hits

    assert {name: plain(value) for name, value in hit.fields.fields.items()} == {
        "object": [{"deep": {"er": 1}}],
        "list": [1, "x", None],
        "long": [3000000000],
        "none": [None],
    }


def test_versions_on_request(client: Client, books: str) -> None:
    body = {"query": FIRST, "version": True, "seq_no_primary_term": True}
    (hit,) = client.search(body, index=[books]).hits.hits

    assert (hit.x_version, hit.x_seq_no, hit.x_primary_term) == (1, 0, 1)


def test_explanation_adds_up_to_the_score(client: Client, books: str) -> None:
    response = client.search({"query": RIVER, "explain": True}, index=[books])

    for hit in response.hits.hits:
        assert hit.x_explanation.value == hit.x_score.double
        assert "weight(title:river" in hit.x_explanation.description


def test_collapse_keeps_one_hit_a_value(client: Client, books: str) -> None:
    inner = {"name": "all", "sort": [{"field": "pages"}]}
    body = {"collapse": {"field": "language", "inner_hits": [inner]}, "sort": [{"field": "price"}]}
    hits = client.search(body, index=[books]).hits.hits

    assert [plain(hit.fields.fields["language"]) for hit in hits] == [["de"], ["en"]]
    assert [ids(hit.inner_hits["all"]) for hit in hits] == [["5", "3"], ["4", "1", "2"]]


@pytest.mark.parametrize(("count", "value", "relation"), [(100, 5, "EQ"), (2, 2, "GTE")])
def test_total_hits_are_counted_to_a_limit(client: Client, books: str, count: int, value: int, relation: str) -> None:
    response = client.search({"track_total_hits": {"count": count}, "size": 0}, index=[books])

    total = response.hits.total.total_hits
    relations = total.DESCRIPTOR.fields_by_name["relation"].enum_type.values_by_number
    assert (total.value, relations[total.relation].name) == (value, f"TOTAL_HITS_RELATION_{relation}")


def test_total_hits_are_not_counted(client: Client, books: str) -> None:
    response = client.search({"track_total_hits": {"enabled": False}}, index=[books])

    assert len(response.hits.hits) == 5
    assert response.hits.total.WhichOneof("hits_metadata_total") is None
