"""What became of the descriptions, as a table for readers and as data."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict

from tests.corpus.runs import BROKEN, CLEAN, COMPILES, FAILED, REFUSED, SLOW, Run

Results = dict[str, dict[str, Run]]
COLUMNS = {"spec2proto": "spec2proto", "stock": "OpenAPI Generator alone"}


def data(sample: Results, github: Results, head: dict[str, object]) -> dict[str, object]:
    """Everything, ready to be written as JSON."""
    listed = {**sample, **github}
    return head | {
        "documents": {name: {tool: asdict(run) for tool, run in runs.items()} for name, runs in listed.items()}
    }


def markdown(sample: Results, github: Results, title: str) -> str:
    """The tables."""
    return "\n".join(
        [f"# {title}", "", *_outcomes(sample), "", *_single(github), "", *_codes(sample), "", *_left(sample)]
    )


def _outcomes(results: Results) -> Iterable[str]:
    yield f"| | {' | '.join(COLUMNS.values())} |"
    yield "| --- |" + " ---: |" * len(COLUMNS)
    runs = {tool: [found[tool] for found in results.values()] for tool in COLUMNS}
    for outcome in (CLEAN, COMPILES, BROKEN, REFUSED, FAILED, SLOW):
        yield f"| {outcome} | " + " | ".join(_share(outcome, runs[tool]) for tool in COLUMNS) + " |"
    yield (
        "| median | "
        + " | ".join(f"{statistics.median(run.seconds for run in runs[tool]):.1f} s" for tool in COLUMNS)
        + " |"
    )
    yield "| slowest | " + " | ".join(_slowest(results, tool) for tool in COLUMNS) + " |"


def _share(outcome: str, runs: list[Run]) -> str:
    count = sum(run.outcome == outcome for run in runs)
    return f"{count} ({count / len(runs):.1%})"


def _slowest(results: Results, tool: str) -> str:
    name, seconds = max(((name, runs[tool].seconds) for name, runs in results.items()), key=lambda item: item[1])
    return f"{seconds:.1f} s, {name}"


def _single(results: Results) -> Iterable[str]:
    yield f"| | {' | '.join(COLUMNS.values())} |"
    yield "| --- |" + " --- |" * len(COLUMNS)
    for name, runs in results.items():
        yield (
            f"| {name} | " + " | ".join(f"{runs[tool].outcome}, {runs[tool].seconds:.1f} s" for tool in COLUMNS) + " |"
        )


def _codes(results: Results) -> Iterable[str]:
    counts = Counter(code for runs in results.values() for code in runs["spec2proto"].codes)
    yield "| diagnostic of spec2proto | documents |"
    yield "| --- | ---: |"
    yield from (
        f"| `{code}` | {count} |" for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )


def _left(results: Results) -> Iterable[str]:
    yield "| not clean | outcome | what spec2proto says |"
    yield "| --- | --- | --- |"
    for name, runs in results.items():
        run = runs["spec2proto"]
        if run.outcome != CLEAN:
            told = run.told.replace("|", "\\|").replace("\n", " ")[:400]
            yield f"| {name} | {run.outcome} | {told} |"
