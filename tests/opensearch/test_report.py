"""The report of the whole API in a real browser: about 3,000 messages and 12,500 fields."""

from __future__ import annotations

import time

from playwright.sync_api import Browser

from tests.opensearch.conftest import Build
from tests.review.browser import Opened, open_report
from tests.support import ROOT

FULL_SECONDS, SEARCH_MILLISECONDS, MOST_BYTES = 2.0, 100, 5_000_000
QUERIES = ("s", "se", "search", "query", "knn", "terms lookup", "_common", "/_search", "boolean", "nothing-like-this")


TRIES = 3  # the shortest counts, as other programs run as well


def test_the_report_of_the_whole_api_is_fast_and_small(started: Browser, full: Build) -> None:
    assert full.folder.is_dir()
    path = ROOT / "generated" / "opensearch-full" / "report.html"
    assert path.stat().st_size <= MOST_BYTES
    seconds, searches = [], []
    for _ in range(TRIES):
        begun = time.perf_counter()
        with open_report(started, path) as report:
            seconds.append(time.perf_counter() - begun)
            report.page.wait_for_timeout(300)
            searches.append(milliseconds(report))
    assert min(seconds) < FULL_SECONDS
    assert max(map(min, zip(*searches, strict=True))) < SEARCH_MILLISECONDS


def milliseconds(report: Opened) -> list[float]:
    """How long each query takes from the key to what is shown."""
    found: list[float] = report.page.evaluate(
        """queries => queries.map((query) => {
            const input = document.getElementById('query');
            const begun = performance.now();
            input.value = query;
            input.dispatchEvent(new Event('input'));
            document.getElementById('found').getBoundingClientRect();
            return performance.now() - begun;
        })""",
        list(QUERIES),
    )
    return found


def test_axe_finds_nothing_in_the_whole_api(started: Browser, full: Build) -> None:
    assert full.folder.is_dir()
    with open_report(started, ROOT / "generated" / "opensearch-full" / "report.html") as report:
        report.page.locator("#query").fill("QueryContainer")
        assert report.page.locator("#found .title").first.inner_text() == "QueryContainer"
        report.page.keyboard.press("Enter")
        for address in ("#/e/QueryContainer", "#/coverage", "#/browse", "#/findings", "#/changes"):
            report.go(address)
            assert report.violations() == [], address
