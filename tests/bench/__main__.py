"""`make bench`: time by stage and peak memory of real builds, cold and warm, and what the figures are measured against.

Every figure of one run is taken on the same machine in the same minutes; compare ratios, not seconds, between machines.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from pipeline.generate.class_archive import SMALL
from pipeline.generate.generator import run_generator
from pipeline.model.profile.profile import Limits
from tests.bench import codec, live
from tests.bench.measure import Run, measured
from tests.bench.scaling import nothing_published, scaling
from tests.support import BASELINE, ROOT, SPEC

RUNS = int(os.environ.get("BENCH_RUNS", "5"))
LIMITS = {"opensearch": (6.0, 700.0), "opensearch-full": (12.0, 1500.0)}


@dataclass(frozen=True)
class Case:
    """A profile, the lock that its cold builds begin with, None for its own, and what that is called."""

    profile: str
    lock: Path | None
    beginning: str

    @property
    def arguments(self) -> list[str]:
        """What the command line is given, the lock left aside."""
        spec = ["--spec", str(SPEC)] if self.profile in LIMITS else []
        return ["--profile", self.profile, *spec]


def cases(folder: Path) -> list[Case]:
    """What is measured; locks that are made for it stand in a folder."""
    found = [Case("example", ROOT / "examples" / "library" / "empty.lock.yaml", "an empty lock")]
    if SPEC.is_file():
        found.append(Case("opensearch", BASELINE, "the baseline"))
        found.append(Case("opensearch-full", nothing_published(folder), "an empty lock"))
        found.append(Case("opensearch-full", None, "its own lock"))
    return found


def bare_generator() -> float:
    """Seconds that OpenAPI Generator takes for two schemas: what no build can go below."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        run_generator(SMALL, Path(folder), Limits(), os.environ)
        return time.perf_counter() - began


def report(title: str, runs: list[Run], unit: float, console: Console, limits: tuple[float, float] | None) -> None:
    """Print the medians of several runs, and the limits beside them."""
    table = Table("stage", "seconds", "limit", "share", "times bare generator", title=title)
    total = statistics.median(run.seconds for run in runs)

    def row(name: str, seconds: float, limit: str = "", style: str = "") -> None:
        table.add_row(name, f"{seconds:.2f}", limit, f"{seconds / total:.0%}", f"{seconds / unit:.2f}", style=style)

    stages = {stage: statistics.median(run.stages[stage] for run in runs) for stage in runs[0].stages}
    for stage, seconds in stages.items():
        row(stage, seconds)
    row("starting up", total - sum(stages.values()))
    row("in all", total, f"{limits[0]}" if limits else "", style="bold")
    console.print(table)
    memory = f"peak memory of all processes: {max(run.memory for run in runs):.0f} MB"
    console.print(memory + (f", limit {limits[1]:.0f} MB" if limits else ""))


def measure(case: Case, unit: float, console: Console) -> None:
    """Build from nothing and again, and print both."""
    lock = ["--lock", str(case.lock)] if case.lock else []
    with tempfile.TemporaryDirectory() as folder:
        cold = [measured([*case.arguments, *lock, "--out", f"{folder}/{number}"]) for number in range(RUNS)]
        again = [*case.arguments, "--out", f"{folder}/{RUNS - 1}"]
        measured(again)
        warm = [measured(again) for _ in range(RUNS)]
    title = f"{case.profile} from {case.beginning}"
    report(f"{title}, cold: nothing built before", cold, unit, console, LIMITS.get(case.profile))
    report(f"{title}, warm: nothing changed", warm, unit, console, None)


def main() -> None:
    """Measure the example, and the profiles of the OpenSearch specification where that is at hand."""
    console = Console(width=100)
    unit = statistics.median(bare_generator() for _ in range(RUNS))
    console.print(f"{RUNS} runs each, {os.cpu_count()} processors; bare OpenAPI Generator: {unit:.2f} s")
    if not SPEC.is_file():
        console.print(f"opensearch: skipped, the specification is not at {SPEC}")
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(Path(folder)):
            measure(case, unit, console)
    scaling(console)
    codec.report(Console(width=150))
    live.report(Console(width=150))


if __name__ == "__main__":
    main()
