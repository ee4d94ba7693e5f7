"""`make corpus`: a random sample of public API descriptions, by spec2proto and by OpenAPI Generator alone.

Both tools get the same documents in the same run, and the same judges: protoc, and buf lint with the category
STANDARD. The result is printed, and written to `generated/corpus.md` and `generated/corpus.json`.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from rich.console import Console

from pipeline.build.fingerprint import list_tool_versions
from tests.corpus import runs, table
from tests.corpus.packages import DIRECTORY, GITHUB, GITHUB_FILE, Unavailable, descriptions, package
from tests.support import ROOT

PARALLEL = 2


def measured(listed: Iterable[tuple[str, Path]], console: Console) -> table.Results:
    """Each description by both tools, two at a time."""
    free: SimpleQueue[str] = SimpleQueue()
    for number in range(PARALLEL):
        free.put(f"corpus-{number}")

    def both(item: tuple[str, Path]) -> tuple[str, dict[str, runs.Run]]:
        name, path = item
        profile = free.get()
        try:
            found = {"spec2proto": runs.spec2proto(path, profile), "stock": runs.stock(path)}
        finally:
            free.put(profile)
        told = "; ".join(f"{tool} {run.outcome} {run.seconds:.1f} s" for tool, run in found.items())
        console.print(f"{name}: {told}", markup=False, highlight=False, soft_wrap=True)
        return name, found

    with ThreadPoolExecutor(PARALLEL) as pool:
        return dict(pool.map(both, listed))


def main() -> None:
    """Measure and report; where the packages cannot be had, say why and do nothing."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description="Public API descriptions as protos.")
    parser.add_argument("--seed", type=int, default=485, help="of the random sample")
    parser.add_argument("--size", type=int, default=200, help="of the random sample")
    chosen = parser.parse_args()
    console = Console(width=120)
    try:
        folder, github = package(DIRECTORY), package(GITHUB)
    except Unavailable as reason:
        console.print(f"corpus: skipped, {reason}", markup=False)
        return
    listed = descriptions(folder)
    sample = sorted(random.Random(chosen.seed).sample(listed, min(chosen.size, len(listed))))  # noqa: S311 - a sample
    results = measured(((path.relative_to(folder / "api").as_posix(), path) for path in sample), console)
    single = measured([(GITHUB, github / GITHUB_FILE)], console)
    title = f"{len(sample)} of {len(listed)} descriptions of {DIRECTORY}, seed {chosen.seed}"
    report = table.markdown(results, single, title)
    head = {"package": DIRECTORY, "seed": chosen.seed, "size": len(sample), "tools": list_tool_versions()}
    target = ROOT / "generated"
    target.mkdir(exist_ok=True)
    (target / "corpus.md").write_text(report + "\n", encoding="utf-8")
    data = json.dumps(table.data(results, single, head), indent=1, ensure_ascii=False)
    (target / "corpus.json").write_text(data + "\n", encoding="utf-8")
    console.print(report, markup=False, highlight=False, soft_wrap=True)


if __name__ == "__main__":
    main()
