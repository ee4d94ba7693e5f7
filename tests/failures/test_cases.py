"""Runs every folder below `cases`; with REFRESH=1 in the environment it writes what was found, and fails.

A case holds `cmd` (arguments, one line; `{case}`, `{out}` and `{profile}` stand for paths), the expected `stderr.txt`
and `exit_code`, and what the command reads: `env` (variables), `lock.yaml` (the lock of the earlier result), and files
that `cmd` or `profile.yaml` name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from pipeline.model.diagnostics import ExitCode

from .case import Case, Place, Ran, cases

REFRESH = bool(os.environ.get("REFRESH"))
DIAGNOSTIC = re.compile(r"(error|warning|danger)\[[a-z-]+/[a-zA-Z_-]+\]: .+ \(remedy: .+\)$")
UNREAD = re.compile(
    r"\[(fetch|descriptors|output|check)/|not readable: |profile/unknown|scope/empty|lock/(missing|no-conflict|differs)"
)
LINE = re.compile(r"\}(/[\w./-]+)?:\d+:\d+:?$")
EVERY_CASE = pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)


@dataclass(frozen=True)
class Outcome:
    """What a case said and left behind."""

    ran: Ran
    stderr: str
    before: dict[str, bytes]
    after: dict[str, bytes]


def execute(case: Case, folder: Path) -> Outcome:
    lock = case.folder / "lock.yaml"
    place = Place(folder, f"case-{case.name}", lock if lock.is_file() else None)
    before = place.snapshot()
    try:
        if case.needs_process:
            ran = place.run(case.command, case.environ, case=str(case.folder))
        else:
            ran = place.run_in_process(case.command, case=str(case.folder))
    finally:
        place.clean()
    return Outcome(ran, place.shown(ran.stderr, case.folder), before, place.snapshot())


@pytest.fixture(scope="session")
def outcomes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[Outcome]]]:
    """Run the selected cases that need a process of their own, several at a time."""
    items = (item for item in request.session.items if isinstance(item, pytest.Function) and item.obj is test_case)
    selected = [item.callspec.params["case"] for item in items]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {
            case.name: pool.submit(execute, case, tmp_path_factory.mktemp(case.name))
            for case in selected
            if case.needs_process
        }
        pool.shutdown(cancel_futures=True)


@EVERY_CASE
def test_case(case: Case, outcomes: dict[str, Future[Outcome]], tmp_path: Path) -> None:
    outcome = outcomes[case.name].result() if case.needs_process else execute(case, tmp_path)
    ran = outcome.ran
    if REFRESH:
        refresh(case, outcome)
    assert "Traceback" not in ran.stderr + ran.stdout
    assert outcome.stderr == case.text("stderr.txt")
    assert ran.exit_code == int(case.text("exit_code"))
    if ran.exit_code != ExitCode.DONE:
        assert outcome.after == outcome.before


def refresh(case: Case, outcome: Outcome) -> None:
    (case.folder / "stderr.txt").write_text(outcome.stderr, encoding="utf-8")
    (case.folder / "exit_code").write_text(f"{outcome.ran.exit_code}\n", encoding="utf-8")
    pytest.fail("written anew; read the difference, then run without REFRESH")


@EVERY_CASE
def test_every_file_of_a_case_is_accounted_for(case: Case) -> None:
    assert case.missing() == []
    assert case.unaccounted() == []


@EVERY_CASE
def test_every_line_has_a_code_and_a_remedy(case: Case) -> None:
    """Each line is one diagnostic; what is wrong with the usage is told by the command line's own library."""
    lines = case.text("stderr.txt").splitlines()
    assert case.name.startswith("usage-") or [line for line in lines if not DIAGNOSTIC.search(line)] == []


@EVERY_CASE
def test_what_is_wrong_within_a_file_has_its_line(case: Case) -> None:
    """Files that cannot be read, or are refused before they are parsed, have no line to show."""
    lines = case.text("stderr.txt").splitlines()
    places = [line.partition(" ")[0] for line in lines if line.startswith("{") and not UNREAD.search(line)]
    assert [place for place in places if not LINE.search(place)] == []
