"""Runs every folder below `cases`; with REFRESH=1 in the environment it writes what was found, and fails.

A case holds `cmd` (arguments, one line; `{case}`, `{out}` and `{profile}` stand for paths), the expected `stderr.txt`
and `exit_code`, and what the command reads: `env` (variables), `lock.yaml` (the lock of the earlier result), and files
that `cmd` or `profile.yaml` name.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from pipeline.model.findings import ExitCode
from .case import Case, Place, Ran, cases

REFRESH = bool(os.environ.get("REFRESH"))


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_case(case: Case, make_place: Callable[..., Place]) -> None:
    lock = case.folder / "lock.yaml"
    place = make_place(case.name, lock if lock.is_file() else None)
    before = place.snapshot()

    ran = place.run(case.command, case.environ, case=str(case.folder))

    stderr = place.shown(ran.stderr, case.folder)
    if REFRESH:
        refresh(case, ran, stderr)
    assert "Traceback" not in ran.stderr + ran.stdout
    assert stderr == case.text("stderr.txt")
    assert ran.exit_code == int(case.text("exit_code"))
    if ran.exit_code != ExitCode.DONE:
        assert place.snapshot() == before


def refresh(case: Case, ran: Ran, stderr: str) -> None:
    (case.folder / "stderr.txt").write_text(stderr, encoding="utf-8")
    (case.folder / "exit_code").write_text(f"{ran.exit_code}\n", encoding="utf-8")
    pytest.fail("written anew; read the difference, then run without REFRESH")


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_every_file_of_a_case_is_accounted_for(case: Case) -> None:
    assert case.missing() == []
    assert case.unaccounted() == []


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_diagnostics_say_where_or_what_to_do(case: Case) -> None:
    """Each line is a diagnostic with a stable code and a remedy; usage errors are told by the command line itself."""
    text = case.text("stderr.txt")
    if text.startswith("Usage:"):
        return
    for line in text.splitlines():
        assert "error[" in line or "warning[" in line, line
        assert "(remedy: " in line, line
