"""The measure itself: a clean build, a refusal and protos that do not compile are told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus.runs import BROKEN, CLEAN, COMPILES, REFUSED, Run, judged, spec2proto
from tests.corpus.table import markdown

GOOD = """
openapi: 3.0.3
info: {title: Shelves, version: 1.0.0}
paths:
  /shelves:
    get: {operationId: list, responses: {'204': {description: Done}}}
"""
HEAD = 'syntax = "proto3";\npackage a.v1;\n'


def test_a_clean_build_is_clean(tmp_path: Path) -> None:
    description = tmp_path / "good.yaml"
    description.write_text(GOOD, encoding="utf-8")
    run = spec2proto(description, "corpus-test")
    assert (run.outcome, run.codes, run.told) == (CLEAN, (), "")


def test_a_refusal_is_counted_by_its_code(tmp_path: Path) -> None:
    description = tmp_path / "bad.yaml"
    description.write_text(GOOD.partition("  /shelves")[0].replace("paths:", "paths: {}"), encoding="utf-8")
    run = spec2proto(description, "corpus-test")
    assert (run.outcome, run.codes) == (REFUSED, ("spec/no-operations",))
    assert "bad.yaml" in run.told


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (HEAD + "message A {\n  string b = 1;\n}\n", CLEAN),
        (HEAD + "message A {\n  string B = 1;\n}\n", COMPILES),
        (HEAD + "message A {\n  B b = 1;\n}\n", BROKEN),
    ],
)
def test_protos_are_judged(tmp_path: Path, text: str, outcome: str) -> None:
    (tmp_path / "a" / "v1").mkdir(parents=True)
    (tmp_path / "a" / "v1" / "a.proto").write_text(text, encoding="utf-8")
    assert judged(tmp_path)[0] == outcome


def test_no_protos_are_no_success(tmp_path: Path) -> None:
    assert judged(tmp_path) == (BROKEN, "no protos")


def test_the_table_counts_both_tools_and_lists_what_is_left() -> None:
    clean, refused = Run(CLEAN, 1.0), Run(REFUSED, 3.0, ("spec/malformed",), "a | b")
    results = {"a.json": {"spec2proto": clean, "stock": refused}, "b.json": {"spec2proto": refused, "stock": clean}}
    lines = markdown(results, {"c.json": results["a.json"]}, "Two").splitlines()
    assert "| compiles and lints clean | 1 (50.0%) | 1 (50.0%) |" in lines
    assert "| median | 2.0 s | 2.0 s |" in lines
    assert "| c.json | compiles and lints clean, 1.0 s | refused with a diagnostic, 3.0 s |" in lines
    assert "| `spec/malformed` | 1 |" in lines
    assert "| b.json | refused with a diagnostic | a \\| b |" in lines
