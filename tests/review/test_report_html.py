"""The report in a real browser: whole from disk, for keyboards and narrow screens, and deaf to what a spec says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.review.browser import open_report

PAGES = (
    "#/",
    "#/changes",
    "#/coverage",
    "#/browse",
    "#/findings",
    "#/cost",
    "#/e/Amendment",
    "#/e/Amendment/set",
    "#/rule/maps",
    "#/e/SearchService%2FSearch",
)


@pytest.mark.parametrize("name", ["first", "big", "none", "refused"])
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_on_any_page(started: Browser, reports: dict[str, Path], name: str, *, dark: bool) -> None:
    with open_report(started, reports[name], dark=dark) as report:
        for address in PAGES if name == "big" else PAGES[:3]:
            report.go(address)
            for card in report.page.locator("details:not([open]) > summary").all()[:3]:
                card.click()
            assert report.violations() == [], address


def test_the_verdict_is_the_first_thing(started: Browser, reports: dict[str, Path]) -> None:
    result = {}
    for name, path in reports.items():
        with open_report(started, path) as report:
            result[name] = report.heading()
            assert report.page.title().startswith(result[name])
    assert result == {"first": "Changed", "big": "Changed", "none": "Unchanged", "refused": "Refused"}


def test_schema_and_proto_stand_side_by_side_before_and_after(started: Browser, reports: dict[str, Path]) -> None:
    with open_report(started, reports["big"]) as report:
        report.go("#/changes")
        report.page.locator("summary", has_text="Amendment").first.click()
        card = report.page.locator("details[open]").first
        schema, proto = card.locator(".pane").all()
        assert "throw-away" in " ".join(schema.locator(".added").all_inner_texts())
        assert "drop" in " ".join(schema.locator(".removed").all_inner_texts())
        assert any("drop = 1 [deprecated = true]" in text for text in proto.locator(".added").all_inner_texts())
        remaining, right = schema.bounding_box(), proto.bounding_box()
        assert remaining
        assert right
        assert remaining["x"] + remaining["width"] <= right["x"]


def test_search_finds_everything_and_leads_there(started: Browser, reports: dict[str, Path]) -> None:
    with open_report(started, reports["big"]) as report:
        for text, kind, heading in [
            ("Amendment", "message", "Amendment"),
            ("if_revision", "field", "Amendment"),
            ("catalog.core___Receipt", "message", "Receipt"),
            ("/search", "rpc", "SearchService/Search"),
            ("json-names", "rule", "json-names"),
        ]:
            report.page.keyboard.press("/")
            report.page.keyboard.type(text)
            option = report.page.locator("#found [role=option]").first
            assert kind in report.page.locator("#found .kind").all_inner_texts(), text
            assert option.get_attribute("aria-selected") == "true"
            report.page.keyboard.press("Enter")
            report.page.wait_for_timeout(50)
            assert heading in report.heading()


def test_links_lead_from_the_specification_to_the_proto_and_back(started: Browser, reports: dict[str, Path]) -> None:
    with open_report(started, reports["big"]) as report:
        report.go("#/e/Amendment")
        report.page.locator(".sides .pane").first.get_by_role("link", name="set", exact=True).click()
        report.page.wait_for_timeout(50)
        hits = report.page.locator(".line.hit").all_inner_texts()
        assert len(hits) == 2
        assert "set:" in hits[0]
        assert "bytes set = 3" in hits[1]
        report.go("#/e/SearchService%2FSearch")
        report.page.locator(".sides .pane").nth(1).get_by_role("link", name="SearchRequest", exact=True).first.click()
        report.page.wait_for_timeout(50)
        assert "SearchRequest" in report.heading()
        report.page.locator(".where a").first.click()
        report.page.wait_for_timeout(50)
        assert "Elements of the contract" in report.page.locator("main").inner_text()


def test_narrow_screens_need_no_sideways_scrolling(started: Browser, reports: dict[str, Path]) -> None:
    with open_report(started, reports["big"], width=360) as report:
        for address in PAGES:
            report.go(address)
            wide = report.page.evaluate("() => document.documentElement.scrollWidth")
            assert wide <= 360, address


def test_a_keyboard_is_enough(started: Browser, reports: dict[str, Path]) -> None:
    with open_report(started, reports["big"]) as report:
        report.page.keyboard.press("Tab")
        assert report.page.evaluate("() => document.activeElement.className") == "skip"
        report.page.keyboard.press("Enter")
        assert report.page.evaluate("() => document.activeElement.id") == "main"
        report.go("#/changes")
        summary = report.page.locator("main summary").first
        summary.focus()
        report.page.keyboard.press("Enter")
        report.page.wait_for_timeout(50)
        assert report.page.locator("details[open] .pane").count() >= 2


def test_text_of_the_specification_stays_text(started: Browser, hostile: Path) -> None:
    text = hostile.read_text(encoding="utf-8")
    assert len(re.findall("<script", text)) == 2
    assert not re.search("[\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff]", text)
    assert not re.search(r"\son[a-z]+=[\"']", text.partition("<script")[0])
    with open_report(started, hostile) as report:
        for address in (
            "#/",
            "#/changes",
            "#/e/Thing",
            "#/browse",
            "#/coverage",
            "#/findings",
            "#/cost",
            "#/e/%3Cimg%20src%3Dx%3E",
        ):
            report.go(address)
            for card in report.page.locator("main summary").all():
                card.click()
            assert report.page.locator("main img, main script").count() == 0
        report.go("#/e/Thing")
        visible = report.page.locator("main").inner_text()
        assert "<img src=x onerror=alert(2)>" in visible
        assert "⟨U+202E⟩evil⟨U+2028⟩⟨U+2066⟩" in visible
        report.page.locator("#query").fill("<img")
        assert report.page.locator("#found img").count() == 0
