"""Recorded traffic of a real server comes back from protobuf as it was."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.opensearch.conftest import Build
from tests.parts import Part, absent
from tests.support import SHARED, spec2proto

EXCHANGES = SHARED / "corpus" / "exchanges.jsonl"
LOSSLESS = SHARED / "checks" / "lossless.py"


@pytest.fixture(scope="module")
def exchanges() -> list[dict[str, Any]]:
    if not EXCHANGES.is_file():
        absent(Part.TRAFFIC, f"no recorded traffic at {EXCHANGES}")
    return [json.loads(line) for line in EXCHANGES.read_text(encoding="utf-8").splitlines()]


def groups(build: Build) -> set[str]:
    """The operation groups that have an rpc."""
    return {rpc["group"] for rpc in json.loads((build.folder / "binding.json").read_text())["rpcs"].values()}


def judged(folder: Path, profile: str, given: list[dict[str, Any]], work: Path) -> tuple[str, list[str]]:
    """The line of figures that the check ends with, and what it says of each message that is not lossless."""
    sent, results = work / "sent.jsonl", work / "results.jsonl"
    sent.write_text("".join(json.dumps(item) + "\n" for item in given), encoding="utf-8")
    done = spec2proto("roundtrip", "--profile", profile, "--out", folder, sent, "--output", results)
    assert done.returncode == 0, done.stderr
    check = [sys.executable, str(LOSSLESS), str(sent), str(results), "-v"]
    *told, figures = subprocess.run(check, capture_output=True, text=True, check=False).stdout.splitlines()
    return figures, told


def test_what_the_published_contract_covers_is_lossless(
    build: Build, exchanges: list[dict[str, Any]], tmp_path: Path
) -> None:
    given = [item for item in exchanges if item["operation_group"] in groups(build)]
    figures, told = judged(build.folder, "opensearch", given, tmp_path)
    assert "silent losses 0" in figures
    assert [line for line in told if not re.search(r": error: /", line)] == []


def test_everything_that_is_valid_is_lossless_in_the_whole_api(
    full: Build, exchanges: list[dict[str, Any]], tmp_path: Path
) -> None:
    figures, told = judged(full.folder, "opensearch-full", exchanges, tmp_path)
    lossless, valid = re.match(r"lossless (\d+)/(\d+) valid", figures).groups()  # type: ignore[union-attr]
    assert (lossless, "silent losses 0" in figures) == (valid, True), told
