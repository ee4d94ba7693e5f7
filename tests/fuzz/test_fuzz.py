"""Mutated specifications end in protos that compile or in a diagnostic; `python -m tests.fuzz` says more."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.fuzz.campaign import case
from tests.support import ROOT

SEEDS, LANES = 200, 2
NIGHTLY = 5_000


def campaign(begin: int, end: int) -> subprocess.CompletedProcess[str]:
    """A campaign in a process of its own: what crashes it, or takes memory without end, is a fault as well."""
    command = [sys.executable, "-m", "tests.fuzz", "--seeds", f"{begin}:{end}"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def lanes(seeds: int) -> None:
    parts = [(lane * seeds // LANES, (lane + 1) * seeds // LANES) for lane in range(LANES)]
    with ThreadPoolExecutor(LANES) as pool:
        runs = list(pool.map(lambda part: campaign(*part), parts))
    told = "\n".join(run.stdout + run.stderr for run in runs)
    assert [run.returncode for run in runs] == [0] * LANES, told


def test_mutated_specs_make_protos_or_a_diagnostic() -> None:
    lanes(SEEDS)


@pytest.mark.nightly
def test_thousands_of_mutated_specs_make_protos_or_a_diagnostic() -> None:
    lanes(NIGHTLY)


def test_a_seed_is_one_document() -> None:
    """Whoever is told of a failing seed sees the same document."""
    assert case(7) == case(7)
    assert case(7).document != case(7).before
    assert case(7).document != case(8).document
