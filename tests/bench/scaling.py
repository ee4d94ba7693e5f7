"""Time against size: parts of one API, the whole of it, and another one."""

from __future__ import annotations

import statistics
import tempfile

import yaml
from rich.console import Console
from rich.table import Table

from tests.bench.measure import Run, measured
from tests.support import SPEC, TOOLS

GITHUB = TOOLS / "corpus" / "octokit" / "package" / "generated" / "api.github.com.json"
RUNS = 3


def parts() -> list[tuple[str, list[str]]]:
    """What is built: a name, and the arguments of the build."""
    found: list[tuple[str, list[str]]] = []
    if SPEC.is_file():
        document = yaml.load(SPEC.read_text(), yaml.CSafeLoader)
        operations = [node for item in document["paths"].values() for node in item.values() if isinstance(node, dict)]
        groups = sorted({node["x-operation-group"] for node in operations if node.get("x-ignorable") is not True})
        base = ["--spec", str(SPEC), "--profile"]
        found.append(("published scope", [*base, "opensearch"]))
        for name, step in (("quarter", 4), ("half", 2)):
            found.append((name, [*base, "opensearch-full", "--groups", ",".join(groups[::step])]))
        found.append(("full", [*base, "opensearch-full"]))
    if GITHUB.is_file():
        found.append(("GitHub", ["--spec", str(GITHUB)]))
    return found


def scaling(console: Console) -> None:
    """Print how time grows with the number of schemas."""
    table = Table("scope", "schemas", "seconds", "seconds per 1,000 schemas", "seconds for each 1,000 more", "peak MB")
    least: tuple[int, float] | None = None
    for name, arguments in parts():
        runs = [_cold(arguments) for _ in range(RUNS)]
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
