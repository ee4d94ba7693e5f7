"""Aggregations: terms, minimum and maximum, the three that the contract has."""

from typing import Any

import grpc
import pytest

from .client import Client, plain

pytestmark = [pytest.mark.live, pytest.mark.nightly]  # they check the server more than the protos


def terms(field: str, *, below: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    return {"terms_aggregation": {"terms": {"field": field, **options}, "aggregations": below or {}}}


def aggregate(client: Client, index: str, aggregation: dict[str, Any], **body: Any) -> Any:
    """The `Aggregate` that the server answers to this one aggregation."""
    response = client.search({"size": 0, "aggregations": {"a": aggregation}, **body}, index=[index])
    assert list(response.aggregations) == ["a"]
    return response.aggregations["a"]


DEAREST = {"dearest": {"max": {"field": "price"}}}
TERMS: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "plain": (terms("tags"), {"nature": 3, "food": 2, "travel": 2}),
    "size": (terms("tags", size=1), {"nature": 3}),
    "least-count": (terms("tags", min_doc_count=3), {"nature": 3}),
    "include": (terms("tags", include={"terms": {"string_array": ["food", "travel"]}}), {"food": 2, "travel": 2}),
    "exclude": (terms("tags", exclude={"regexp": "f.*"}), {"nature": 3, "travel": 2}),
    "order-by-key": (
        terms("tags", order=[{"field": "_key", "sort_order": "SORT_ORDER_DESC"}]),
        {"travel": 2, "nature": 3, "food": 2},
    ),
    "order-by-metric": (
        terms("tags", below=DEAREST, order=[{"field": "dearest", "sort_order": "SORT_ORDER_DESC"}]),
        {"travel": 2, "food": 2, "nature": 3},
    ),
    "missing": (terms("reviewer", missing={"string": "nobody"}), {"nobody": 5}),
}


@pytest.mark.parametrize(("aggregation", "expected"), TERMS.values(), ids=TERMS)
def test_terms(client: Client, books: str, aggregation: dict[str, Any], expected: dict[str, int]) -> None:
    buckets = aggregate(client, books, aggregation).sterms.buckets

    assert [(bucket.key, bucket.doc_count) for bucket in buckets] == list(expected.items())


def test_terms_count_what_they_leave_out(client: Client, books: str) -> None:
    found = aggregate(client, books, terms("tags", size=1)).sterms

    assert (found.sum_other_doc_count, found.doc_count_error_upper_bound) == (4, 0)


def test_terms_count_what_the_query_finds(client: Client, books: str) -> None:
    buckets = aggregate(client, books, terms("tags"), query={"ids": {"values": ["3"]}}).sterms.buckets

    assert [(bucket.key, bucket.doc_count) for bucket in buckets] == [("travel", 1)]


def test_terms_of_integers(client: Client, books: str) -> None:
    found = aggregate(client, books, terms("pages", size=2))

    assert [bucket.key.signed for bucket in found.lterms.buckets] == [64, 90]


def test_terms_of_booleans(client: Client, books: str) -> None:
    buckets = aggregate(client, books, terms("in_print")).lterms.buckets

    assert [(bucket.key.signed, bucket.key_as_string, bucket.doc_count) for bucket in buckets] == [
        (1, "true", 3),
        (0, "false", 2),
    ]


def test_terms_of_dates(client: Client, books: str) -> None:
    bucket = aggregate(client, books, terms("published", size=1, format="yyyy-MM")).lterms.buckets[0]

    assert (bucket.key.signed, bucket.key_as_string) == (988675200000, "2001-05")


def test_terms_of_doubles(client: Client, books: str) -> None:
    found = aggregate(client, books, terms("price", size=2))

    assert [bucket.key for bucket in found.dterms.buckets] == [7.75, 9.5]


def test_terms_of_unsigned_longs(client: Client, books: str) -> None:
    found = aggregate(client, books, terms("serial"))

    assert [bucket.key for bucket in found.ulterms.buckets] == [2, 2**64 - 1]


def test_terms_of_an_unmapped_field(client: Client, books: str) -> None:
    found = aggregate(client, books, terms("no_such_field"))

    assert found.HasField("umterms")
    assert len(found.umterms.buckets) == 0


def test_aggregations_within_buckets(client: Client, books: str) -> None:
    below = {**DEAREST, "longest": terms("pages", size=1, order=[{"field": "_key", "sort_order": "SORT_ORDER_DESC"}])}
    buckets = aggregate(client, books, terms("tags", below=below)).sterms.buckets

    inner = {bucket.key: bucket.aggregate for bucket in buckets}
    assert {key: found["dearest"].max.value.double for key, found in inner.items()} == {
        "nature": 15,
        "food": 15,
        "travel": 20,
    }
    assert {key: found["longest"].lterms.buckets[0].key.signed for key, found in inner.items()} == {
        "nature": 200,
        "food": 90,
        "travel": 350,
    }


def test_minimum_and_maximum_in_one_search(client: Client, books: str) -> None:
    aggregations = {"least": {"min": {"field": "price"}}, "most": {"max": {"field": "price"}}}
    found = client.search({"size": 0, "aggregations": aggregations}, index=[books]).aggregations

    assert found["least"].min.value.double == 7.75
    assert found["most"].max.value.double == 20
    assert [kind.name for kind, _ in found["least"].ListFields()] == ["min"]


def test_maximum_of_a_script(client: Client, books: str) -> None:
    script = {"inline": {"source": "doc['pages'].value * 2"}}

    assert aggregate(client, books, {"max": {"script": script}}).max.value.double == 700


def test_minimum_with_a_value_for_missing_ones(client: Client, books: str) -> None:
    missing = {"general_number": {"int32_value": 1}}

    assert aggregate(client, books, {"min": {"field": "serial", "missing": missing}}).min.value.double == 1


def test_maximum_of_dates_as_text(client: Client, books: str) -> None:
    found = aggregate(client, books, {"max": {"field": "published", "format": "yyyy"}}).max

    assert (found.value.double, found.value_as_string) == (1645488000000, "2022")


def test_maximum_of_nothing_is_null(client: Client, books: str) -> None:
    found = aggregate(client, books, {"max": {"field": "price"}}, query={"match_none": {}}).max

    assert found.value.WhichOneof("single_metric_aggregate_base_all_of_value") == "null_value"


@pytest.mark.parametrize(("kind", "aggregation"), [("max", {"max": {"field": "price"}}), ("sterms", terms("tags"))])
def test_metadata_comes_back(client: Client, books: str, kind: str, aggregation: dict[str, Any]) -> None:
    meta = {"fields": {"why": {"string": "budget"}, "list": {"list_value": {"value": [{"int32": 1}]}}}}
    found = getattr(aggregate(client, books, {**aggregation, "meta": meta}), kind)

    assert {name: plain(value) for name, value in found.meta.fields.items()} == {"why": "budget", "list": [1]}


@pytest.mark.parametrize(
    ("aggregation", "message"),
    [
        ({}, "Unsupported aggregation type"),
        ({"max": {}}, "Required one of fields"),
        ({"max": {"field": "tags"}}, "is not supported for aggregation"),
    ],
)
def test_an_aggregation_that_makes_no_sense(
    client: Client, books: str, aggregation: dict[str, Any], message: str
) -> None:
    with pytest.raises(grpc.RpcError, match=message) as refusal:
        aggregate(client, books, aggregation)

    assert refusal.value.code() == grpc.StatusCode.INVALID_ARGUMENT
