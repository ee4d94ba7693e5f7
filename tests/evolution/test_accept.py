"""`accept:` in a real build: what buf refuses is let through once, and is on record in lock and report."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.model.lock.text import parse_lock
from tests.evolution.test_resolve import FIRST
from tests.support import ROOT, spec2proto

NAME = "case-accept"
WORK = ROOT / "generated" / NAME
FILE = "shop/v1/shop.proto"
REASON = "the old module was never downloaded"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "spec.json").write_text(FIRST)
    yield tmp_path
    shutil.rmtree(WORK, ignore_errors=True)


def build(folder: Path, module: str, *accepted: str) -> tuple[int, str]:
    """Build with a Go module of that name, and acceptances of the rule in files."""
    rule = "code: buf/FILE_SAME_GO_PACKAGE"
    entries = [f"  - {{{rule}, element: {name}, reason: {REASON}}}\n" for name in accepted]
    text = f"name: {NAME}\npackage: shop.v1\nfiles: {{messages: {FILE}, options: {{go_package: {module}}}}}\n"
    (folder / "profile.yaml").write_text(text + ("accept:\n" + "".join(entries) if entries else ""))
    arguments = ("--profile", folder / "profile.yaml", "--spec", folder / "spec.json", "--out", folder / "result")
    process = spec2proto("build", "--quiet", *arguments)
    return process.returncode, process.stderr


def test_a_break_that_buf_sees_is_let_through_once(folder: Path) -> None:
    files = [FILE, "shop/v1/items_service.proto"]
    assert build(folder, "example.org/old") == (0, "")
    before = (folder / "result" / "lock.yaml").read_bytes()
    code, stderr = build(folder, "example.org/new")
    assert code == 1
    assert all(f"{name}:" in stderr for name in files)
    assert "buf/FILE_SAME_GO_PACKAGE" in stderr
    assert (folder / "result" / "lock.yaml").read_bytes() == before
    assert build(folder, "example.org/new", FILE)[0] == 1, "the other file is not accepted"
    code, stderr = build(folder, "example.org/new", *files)
    assert (code, stderr) == (0, "")
    lock = parse_lock((folder / "result" / "lock.yaml").read_bytes(), "lock")
    assert {(item.code, item.element, item.reason) for item in lock.accepted} == {
        ("buf/FILE_SAME_GO_PACKAGE", name, REASON) for name in files
    }
    report = json.loads((WORK / "report.json").read_text())
    assert {item["element"] for item in report["changes"] if item["change"] == "accepted"} == set(files)
    assert "Breaks clients, and was accepted (2)" in (WORK / "report.md").read_text()
    assert build(folder, "example.org/new", *files) == (0, "")
    assert build(folder, "example.org/old", *files)[0] == 1, "the entries are spent"


def test_an_acceptance_that_lets_nothing_through_is_told(folder: Path) -> None:
    code, stderr = build(folder, "example.org/old", "shop/v1/none.proto")
    assert code == 0
    assert "profile.yaml:5:5 /accept/0: warning[accept/unused]" in stderr
