"""`make bench`: time by stage and peak memory of real builds, cold and warm, and what the figures are measured against.

Every figure of one run is taken on the same machine in the same minutes; compare ratios, not seconds, between machines.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from pipeline.archive import SMALL
from pipeline.generator import generate
from pipeline.model.profile import Limits
from tests.bench import codec, live
from tests.bench.measure import Run, measured
from tests.bench.scaling import scaling
from tests.support import BASELINE, ROOT, SPEC

RUNS = int(os.environ.get("BENCH_RUNS", "5"))
LIMITS = {"opensearch": (6.0, 700.0), "opensearch-full": (12.0, 1500.0)}


def bare_generator() -> float:
    """Seconds that OpenAPI Generator takes for two schemas: what no build can go below."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        generate(SMALL, Path(folder), Limits(), os.environ)
        return time.perf_counter() - began


def report(title: str, runs: list[Run], unit: float, console: Console) -> None:
    """Print the medians of several runs."""
    table = Table("stage", "seconds", "share", "times bare generator", title=title)
    total = statistics.median(run.seconds for run in runs)
    for stage in runs[0].stages:
        seconds = statistics.median(run.stages[stage] for run in runs)
        table.add_row(stage, f"{seconds:.2f}", f"{seconds / total:.0%}", f"{seconds / unit:.2f}")
    inside = sum(statistics.median(run.stages[stage] for run in runs) for stage in runs[0].stages)
    table.add_row(
        "starting up", f"{total - inside:.2f}", f"{(total - inside) / total:.0%}", f"{(total - inside) / unit:.2f}"
    )
    table.add_row("in all", f"{total:.2f}", "100%", f"{total / unit:.2f}", style="bold")
    console.print(table)
    console.print(f"peak memory of all processes: {max(run.memory for run in runs):.0f} MB")


def without_lock(arguments: list[str]) -> list[str]:
    """The arguments of a build that begins with the lock of its own result."""
    return arguments[: arguments.index("--lock")] if "--lock" in arguments else arguments


def main() -> None:
    """Measure the example, and the default profile where the specification is at hand."""
    console = Console(width=100)
    unit = statistics.median(bare_generator() for _ in range(RUNS))
    console.print(f"{RUNS} runs each, {os.cpu_count()} processors; bare OpenAPI Generator: {unit:.2f} s")
    cases = [("example", ["--profile", "example", "--lock", str(ROOT / "examples/library/empty.lock.yaml")])]
    if SPEC.is_file():
        cases.append(("opensearch", ["--spec", str(SPEC), "--profile", "opensearch", "--lock", str(BASELINE)]))
        cases.append(("opensearch-full", ["--spec", str(SPEC), "--profile", "opensearch-full"]))
    else:
        console.print(f"opensearch: skipped, the specification is not at {SPEC}")
    for name, arguments in cases:
        with tempfile.TemporaryDirectory() as folder:
            cold = [measured([*arguments, "--out", f"{folder}/{number}"]) for number in range(RUNS)]
            again = [*without_lock(arguments), "--out", f"{folder}/{RUNS - 1}"]
            measured(again)
            warm = [measured(again) for _ in range(RUNS)]
        report(f"{name}, cold: nothing built before", cold, unit, console)
        report(f"{name}, warm: nothing changed", warm, unit, console)
        seconds, memory = statistics.median(run.seconds for run in cold), max(run.memory for run in cold)
        if name in LIMITS:
            time_limit, memory_limit = LIMITS[name]
            console.print(f"limits: {seconds:.1f} of {time_limit} s, {memory:.0f} of {memory_limit:.0f} MB")
    scaling(console)
    codec.report(Console(width=150))
    live.report(Console(width=150))


if __name__ == "__main__":
    main()
