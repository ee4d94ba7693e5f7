"""Each page of the catalogue holds, each rule has a page, and each page is in the index."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest

from pipeline.model.document.located import read_document
from pipeline.model.lock.model import create_empty_lock
from pipeline.model.lock.text import parse_lock
from pipeline.model.paths import ROOT
from pipeline.model.profile.load import load_profile
from preprocess.passes import preprocess
from tests.rules import pages
from tests.rules.catalogue import run_all
from tests.rules.examples import Example
from tests.rules.ids import UNMARKED, marked, occurring
from tests.rules.pages import INDEX, Page, elements, read_pages
from tests.support import BASELINE, SPEC

PAGES = {page.stem: page for page in read_pages()}
EXAMPLE_SPEC = ROOT / "examples" / "library" / "openapi.yaml"
_LINK = re.compile(r"\]\((?P<target>[^)#]+)\)")
_ROW = re.compile(r"^\| \[(?P<stem>[a-z0-9-]+)\]\([a-z]+/(?P=stem)\.md\) \| (?P<title>.+) \|$", re.MULTILINE)

each_page = pytest.mark.parametrize("stem", PAGES)


@pytest.fixture(scope="module")
def examples() -> dict[str, Example]:
    """All examples, run through the pipeline together."""
    return run_all(list(PAGES.values()))


@each_page
def test_a_page_has_all_its_parts(stem: str) -> None:
    page = PAGES[stem]
    assert page.text.startswith("# ")
    assert not page.title.endswith(".")
    assert tuple(page.sections) == ("", *pages.SECTIONS)
    assert all(page.sections.values())
    assert page.sections["Alternatives rejected"].startswith("- ")
    assert page.sections["Source"].startswith("- ")


@each_page
def test_the_blocks_of_a_page_are_its_example(stem: str) -> None:
    page = PAGES[stem]
    counts = Counter(page.infos)
    assert Counter(Page("", page.sections["Example"]).infos) == counts
    assert counts.keys() <= {*pages.ONCE, *pages.AT_MOST_ONCE, *pages.ANY_NUMBER}
    assert all(counts[info] == 1 for info in pages.ONCE)
    assert all(counts[info] <= 1 for info in pages.AT_MOST_ONCE)


@each_page
def test_the_links_of_a_page_lead_somewhere(stem: str) -> None:
    targets = [found["target"] for found in _LINK.finditer(PAGES[stem].text)]
    assert [target for target in targets if not (pages.page_path(stem).parent / target).is_file()] == []


@each_page
def test_an_example_becomes_what_its_page_says(stem: str, examples: dict[str, Example]) -> None:
    example = examples[stem]
    expected = elements(example.page.block(pages.PROTO))
    assert set(example.required) - set(expected) == set(), "the page must show these"
    got = {name: text for name, text in example.elements.items() if name in expected}
    assert "\n\n".join(got.values()) == example.page.block(pages.PROTO).strip("\n")
    assert list(got) == list(expected)


@each_page
def test_what_an_example_leaves_out_is_listed(stem: str, examples: dict[str, Example]) -> None:
    assert examples[stem].diagnostics == examples[stem].page.block(pages.FINDINGS).splitlines()


@each_page
def test_everything_stands_in_the_file_that_its_page_says(stem: str, examples: dict[str, Example]) -> None:
    page = examples[stem].page
    if pages.FILES in page.infos:
        assert examples[stem].files == page.block(pages.FILES).splitlines()


@each_page
def test_an_example_compiles_and_keeps_its_lock_and_everything_in_scope(
    stem: str, examples: dict[str, Example]
) -> None:
    assert [str(diagnostic) for diagnostic in examples[stem].refused] == []


@pytest.mark.parametrize("stem", sorted(PAGES.keys() - UNMARKED))
def test_a_rule_is_at_work_in_its_example_and_leaves_something_alone(stem: str, examples: dict[str, Example]) -> None:
    contract = examples[stem].built.contract
    assert stem in occurring(contract)
    shown = {name.partition(" ")[2] for name in elements(PAGES[stem].block(pages.PROTO))}
    fields = {name: rules for name, rules in marked(contract) if name.partition(".")[0] in shown}
    assert [name for name, rules in fields.items() if stem not in rules] != []


def test_every_rule_of_the_example_profile_has_a_page() -> None:
    profile = load_profile("example")
    done = preprocess(read_document(EXAMPLE_SPEC.read_bytes(), "spec"), profile, create_empty_lock(profile.package), [])
    assert occurring(done.contract) - PAGES.keys() == set()


@pytest.mark.needs("specification")
def test_every_rule_of_the_opensearch_profile_has_a_page() -> None:
    profile = load_profile("opensearch")
    overlays = [read_document((ROOT / "rules" / "overlays" / name).read_bytes(), name) for name in profile.overlays]
    lock = parse_lock(BASELINE.read_bytes(), "lock")
    done = preprocess(read_document(SPEC.read_bytes(), "spec"), profile, lock, overlays)
    assert occurring(done.contract) - PAGES.keys() == set()


def test_the_index_lists_every_page_with_its_title() -> None:
    rows = [(found["stem"], found["title"]) for found in _ROW.finditer(INDEX.read_text(encoding="utf-8"))]
    assert sorted(rows) == sorted((stem, page.title) for stem, page in PAGES.items())


def test_refreshing_changes_nothing_that_holds(examples: dict[str, Example]) -> None:
    assert [stem for stem, example in examples.items() if example.refreshed() != example.page] == []


def test_refreshing_rewrites_what_does_not_hold(examples: dict[str, Example]) -> None:
    example = examples["untitled-rest"]
    stale = example.page.with_block(pages.PROTO, "message Find {}\n").with_block(pages.FINDINGS, "")
    assert replace(example, page=stale).refreshed() == example.page
