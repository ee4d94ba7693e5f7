"""What `spec2proto explain` says of elements of the example."""

from __future__ import annotations

import pytest

from tests.support import spec2proto


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "Find.computed",
            [
                "field Find.computed = 7: map<string, NullableScalarValue> computed",
                "all keys of the object that are no other",
            ],
        ),
        ("Format.FORMAT_E_BOOK", ["value Format.FORMAT_E_BOOK = 2", '"e-book"']),
        ("CatalogService/WatchArrivals", ["returns (stream WatchArrivalsResponse)", "GET /arrivals", "streaming"]),
        (
            "Find",
            [
                "message Find in folio/catalog/v1/catalog.proto",
                "examples/library/openapi.yaml:",
                "source   catalog.search___Find",
            ],
        ),
        ("Order", ['ORDER_ASC_UPPER = JSON "ASC"']),
    ],
)
def test_explain_says_where_an_element_comes_from(name: str, lines: list[str]) -> None:
    done = spec2proto("explain", name, "--profile", "example")
    assert done.returncode == 0, done.stderr
    for line in lines:
        assert line in done.stdout
