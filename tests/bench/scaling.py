"""Time against size: parts of one API, the whole of it, and another one."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

import yaml
from rich.console import Console
from rich.table import Table

from pipeline.model.lock.model import create_empty_lock
from pipeline.model.lock.text import format_lock
from tests.bench.measure import Run, measured
from tests.support import SPEC, TOOLS

GITHUB = next(
    iter(sorted((TOOLS / "corpus").glob("octokit-openapi@*/generated/api.github.com.json"))), TOOLS / "corpus"
)
RUNS = 3


def nothing_published(folder: Path) -> Path:
    """A lock that remembers nothing; parts of what was published are refused for what they lack."""
    lock = folder / "empty.lock.yaml"
    lock.write_text(format_lock(create_empty_lock("opensearch.v1")), encoding="utf-8")
    return lock


def parts(folder: Path) -> list[tuple[str, list[str]]]:
    """What is built, a name, and the arguments of the build."""
    found: list[tuple[str, list[str]]] = []
    if SPEC.is_file():
        document = yaml.load(SPEC.read_text(), yaml.CSafeLoader)
        operations = [node for item in document["paths"].values() for node in item.values() if isinstance(node, dict)]
        groups = sorted({node["x-operation-group"] for node in operations if node.get("x-ignorable") is not True})
        base = ["--spec", str(SPEC), "--profile"]
        found.append(("published scope", [*base, "opensearch"]))
        whole = [*base, "opensearch-full", "--lock", str(nothing_published(folder))]
        for name, step in (("quarter", 4), ("half", 2)):
            found.append((name, [*whole, "--groups", ",".join(groups[::step])]))
        found.append(("full", whole))
    if GITHUB.is_file():
        found.append(("GitHub", ["--spec", str(GITHUB)]))
    return found


def scaling(console: Console) -> None:
    """Print how time grows with the number of schemas."""
    table = Table("scope", "schemas", "seconds", "seconds per 1,000 schemas", "seconds for each 1,000 more", "peak MB")
    least: tuple[int, float] | None = None
    with tempfile.TemporaryDirectory() as folder:
        measured_parts = [(name, [_cold(arguments) for _ in range(RUNS)]) for name, arguments in parts(Path(folder))]
    for name, runs in measured_parts:
        seconds, schemas = statistics.median(run.seconds for run in runs), runs[0].schemas
        least = least or (schemas, seconds)
        more = schemas - least[0]
        growth = f"{(seconds - least[1]) / more * 1000:.2f}" if more > 0 else ""
        memory = max(run.memory for run in runs)
        table.add_row(
            name, f"{schemas:,}", f"{seconds:.2f}", f"{seconds / schemas * 1000:.2f}", growth, f"{memory:.0f}"
        )
    console.print(table)
    if not GITHUB.is_file():
        console.print(f"GitHub: skipped, its specification is not at {GITHUB}; `make corpus` gets it")


def _cold(arguments: list[str]) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        return measured([*arguments, "--out", f"{folder}/out"])
