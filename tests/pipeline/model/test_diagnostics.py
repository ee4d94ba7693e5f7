"""Diagnostics are sorted, whatever is known of their places."""

from __future__ import annotations

from pipeline.model.diagnostics import Diagnostic, Failure, Place


def test_places_are_in_the_order_of_reading() -> None:
    places = [Place("b", 1, 1), Place("a", 2, 1), Place("a", 1, 2), Place("a", 1, 1, "/y"), Place("a", 1, 1, "/x")]
    places += [Place("a"), Place("a", 1), Place()]
    assert sorted(places) == [
        Place(),
        Place("a"),
        Place("a", 1),
        Place("a", 1, 1, "/x"),
        Place("a", 1, 1, "/y"),
        Place("a", 1, 2),
        Place("a", 2, 1),
        Place("b", 1, 1),
    ]


def test_a_failure_takes_findings_with_and_without_a_line() -> None:
    first, second = Diagnostic("proto/compile", "broken"), Diagnostic("proto/compile", "broken", Place("", 3, 1))
    assert Failure([second, first]).diagnostics == [first, second]
