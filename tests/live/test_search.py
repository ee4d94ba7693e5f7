"""Queries: which of the books the server finds for each."""

from typing import Any

import pytest

from .client import Client, ids

pytestmark = pytest.mark.live

Query = dict[str, Any]


def term(field: str, value: str) -> Query:
    return {"term": {"field": field, "value": {"string": value}}}


def match(text: str, **options: Any) -> Query:
    return {"match": {"field": "title", "query": {"string": text}, **options}}


def numbers(field: str, **bounds: Any) -> Query:
    return {"range": {"number_range_query": {"field": field, **bounds}}}


def dates(**bounds: Any) -> Query:
    return {"range": {"date_range_query": {"field": "published", **bounds}}}


def inline(source: str, **parameters: Any) -> Query:
    return {"inline": {"source": source, "params": {"fields": parameters}}}


FOOD_OR_TRAVEL = {"value": {"field_value_array": [{"string": "food"}, {"string": "travel"}]}}
TWO_OF_THREE = {"should": [term("tags", tag) for tag in ("food", "nature", "travel")]}
GOOD_REVIEW_BY_ANN = {"bool": {"must": [term("reviews.by", "ann"), numbers("reviews.stars", gte=4)]}}
NEAR_BERLIN = {"printed_at": {"latlon": {"lat": 52.4, "lon": 13.1}}}
BAVARIA = {"top_left": {"text": "50,10"}, "bottom_right": {"latlon": {"lat": 47, "lon": 13}}}

# name: the query, and the digits of the documents that it finds
TERM_QUERIES: dict[str, tuple[Query, str]] = {
    "term": (term("tags", "food"), "45"),
    "term-number": ({"term": {"field": "pages", "value": {"general_number": {"int32_value": 350}}}}, "3"),
    "term-boolean": ({"term": {"field": "in_print", "value": {"bool": False}}}, "35"),
    "term-case": ({"term": {"field": "tags", "value": {"string": "FOOD"}, "case_insensitive": True}}, "45"),
    "terms": ({"terms": {"terms": {"tags": FOOD_OR_TRAVEL}}}, "1345"),
    "ids": ({"ids": {"values": ["2", "4", "missing"]}}, "24"),
    "exists": ({"exists": {"field": "serial"}}, "12"),
    "prefix": ({"prefix": {"field": "tags", "value": "tra"}}, "13"),
    "wildcard": ({"wildcard": {"field": "tags", "wildcard": "N*E", "case_insensitive": True}}, "124"),
    "regexp": ({"regexp": {"field": "tags", "value": "f.*d"}}, "45"),
    "fuzzy": ({"fuzzy": {"field": "title", "value": {"string": "breed"}, "fuzziness": {"int32": 1}}}, "5"),
    "terms-set": (
        {"terms_set": {"field": "tags", "terms": ["food", "nature"], "minimum_should_match_script": inline("2")}},
        "4",
    ),
}
RANGE_QUERIES: dict[str, tuple[Query, str]] = {
    "half-open": (numbers("pages", gte=90, lt=200), "14"),
    "open": (numbers("price", gt=9.5, lte=15), "24"),
    "from-to": (numbers("pages", **{"from": {"double": 90}, "to": {"double": 200}}, include_lower=False), "12"),
    "date": (dates(gt="2005-01-15", lt="2021-01-01"), "34"),
    "date-format": (dates(gte="30/11/2010", format="dd/MM/yyyy"), "345"),
}
TEXT_QUERIES: dict[str, tuple[Query, str]] = {
    "match": (match("river"), "124"),
    "match-all-words": (match("slow river", operator="OPERATOR_AND"), "2"),
    "match-minimum": (match("cooking slow river", minimum_should_match={"int32": 2}), "24"),
    "match-phrase": ({"match_phrase": {"field": "title", "query": "the river"}}, "4"),
    "match-phrase-slop": ({"match_phrase": {"field": "title", "query": "the river", "slop": 1}}, "14"),
    "match-phrase-prefix": ({"match_phrase_prefix": {"field": "title", "query": "slow ri"}}, "2"),
    "match-bool-prefix": ({"match_bool_prefix": {"field": "title", "query": "moun"}}, "3"),
    "multi-match": ({"multi_match": {"fields": ["title", "tags"], "query": "food"}}, "45"),
}
COMPOUND_QUERIES: dict[str, tuple[Query, str]] = {
    "match-all": ({"match_all": {}}, "12345"),
    "match-none": ({"match_none": {}}, ""),
    "must": ({"bool": {"must": [match("river"), term("tags", "nature")]}}, "124"),
    "must-not": ({"bool": {"must": [match("river")], "must_not": [term("tags", "food")]}}, "12"),
    "filter": ({"bool": {"must": [match("river")], "filter": [numbers("price", gt=10)]}}, "24"),
    "should": ({"bool": {**TWO_OF_THREE, "minimum_should_match": {"string": "2"}}}, "14"),
    "constant-score": ({"constant_score": {"filter": term("tags", "food")}}, "45"),
    # Book 2 has a review by ann, and book 3 one with four stars: only nesting keeps the two conditions together.
    "nested": ({"nested": {"path": "reviews", "query": GOOD_REVIEW_BY_ANN}}, "1"),
    "script": ({"script": {"script": inline("doc['pages'].value > params.least", least={"int32": 150})}}, "23"),
    "geo-distance": ({"geo_distance": {"distance": "50km", "location": NEAR_BERLIN}}, "1"),
    "geo-bounding-box": ({"geo_bounding_box": {"bounding_box": {"printed_at": {"tlbr": BAVARIA}}}}, "2"),
}
QUERIES = TERM_QUERIES | RANGE_QUERIES | TEXT_QUERIES | COMPOUND_QUERIES


@pytest.mark.parametrize(("query", "expected"), QUERIES.values(), ids=QUERIES)
def test_query_finds(client: Client, books: str, query: Query, expected: str) -> None:
    response = client.search({"query": query}, index=[books])

    assert sorted(ids(response)) == list(expected)
    assert response.hits.total.total_hits.value == len(expected)
    assert not response.timed_out


def test_terms_are_looked_up_in_a_document(client: Client, books: str) -> None:
    # `id` is deprecated in favour of `id_2`, but it is the one that this server reads.
    lookup = {"index": books, "id": "4", "path": "tags"}
    response = client.search({"query": {"terms": {"terms": {"tags": {"lookup": lookup}}}}}, index=[books])

    assert sorted(ids(response)) == ["1", "2", "4", "5"]


def test_boost_is_the_score_of_a_constant_score(client: Client, books: str) -> None:
    query = {"constant_score": {"filter": term("tags", "food"), "boost": 2.5}}
    response = client.search({"query": query}, index=[books])

    assert [hit.x_score.double for hit in response.hits.hits] == [2.5, 2.5]
    assert response.hits.max_score.float == 2.5


def test_nested_scores_are_joined(client: Client, books: str) -> None:
    nested = {"path": "reviews", "query": {"match_all": {}}, "score_mode": "CHILD_SCORE_MODE_SUM", "boost": 1.5}
    response = client.search({"query": {"nested": nested}}, index=[books])

    assert {hit.x_id: hit.x_score.double for hit in response.hits.hits} == {"1": 3, "2": 1.5, "3": 3, "5": 1.5}


def test_functions_make_the_score(client: Client, books: str) -> None:
    functions = [
        {"weight": 3, "filter": term("tags", "food")},
        {"field_value_factor": {"field": "pages", "factor": 0.5}},
    ]
    modes = {"score_mode": "FUNCTION_SCORE_MODE_SUM", "boost_mode": "FUNCTION_BOOST_MODE_REPLACE"}
    response = client.search({"query": {"function_score": {"functions": functions, **modes}}}, index=[books])

    scores = {hit.x_id: hit.x_score.double for hit in response.hits.hits}
    assert scores == {"3": 175, "2": 100, "1": 60, "4": 48, "5": 35}


def test_decay_prefers_what_is_near(client: Client, books: str) -> None:
    placement = {"pages": {"numeric_decay_placement": {"origin": 120, "scale": 50}}}
    modes = {"boost_mode": "FUNCTION_BOOST_MODE_REPLACE"}
    function = {"gauss": {"placement": placement}}
    response = client.search({"query": {"function_score": {"functions": [function], **modes}}}, index=[books])

    assert ids(response) == ["1", "4", "5", "2", "3"]
    assert response.hits.hits[0].x_score.double == 1


def test_inner_hits_show_what_matched(client: Client, books: str) -> None:
    nested = {"path": "reviews", "query": GOOD_REVIEW_BY_ANN, "inner_hits": {"name": "good"}}
    response = client.search({"query": {"nested": nested}}, index=[books])

    (inner,) = response.hits.hits[0].inner_hits["good"].hits.hits
    assert (inner.x_nested.field, inner.x_nested.offset) == ("reviews", 0)
    assert inner.x_source == b'{"by":"ann","stars":5}'


def test_named_queries_are_reported(client: Client, books: str) -> None:
    named = {"term": {"field": "tags", "value": {"string": "travel"}, "x_name": "on the road"}}
    response = client.search({"query": {"bool": {"should": [named, match("river")]}}}, index=[books])

    names = {hit.x_id: list(hit.matched_queries_2.names.string_array) for hit in response.hits.hits}
    assert names == {"1": ["on the road"], "3": ["on the road"], "2": [], "4": []}


def test_query_string_parameter(client: Client, books: str) -> None:
    response = client.search({}, index=[books], q="tags:food AND pages:>70")

    assert ids(response) == ["4"]


def test_post_filter_leaves_aggregations_alone(client: Client, books: str) -> None:
    body = {"post_filter": term("tags", "food"), "aggregations": {"longest": {"max": {"field": "pages"}}}}
    response = client.search(body, index=[books])

    assert ids(response) == ["4", "5"]
    assert response.aggregations["longest"].max.value.double == 350
