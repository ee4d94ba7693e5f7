"""`python -m tests.fuzz --seeds 0:5000`, or `--seed 17` to run one again and shrink it.

It ends with 1 when there is a fault: a traceback, a hang, protos that do not compile, or memory beyond the limit.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import sys
import time

from rich.console import Console

from tests.fuzz import campaign
from tests.fuzz.trial import peak_mb

MOST_MB = 1_000
"""What a campaign may hold at its peak, and no single document may make it exceed."""
SHRUNK = 5


def main() -> int:
    """Run the seeds and say what came of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Mutated specifications.")
    parser.add_argument("--seeds", default="0:200", help="from:to")
    parser.add_argument("--seed", type=int, help="only this one, told in full and shrunk")
    chosen = parser.parse_args()
    console = Console(width=120, soft_wrap=True, markup=False, highlight=False)
    resource.setrlimit(resource.RLIMIT_DATA, (4 * MOST_MB << 20, resource.RLIM_INFINITY))
    if chosen.seed is not None:
        return again(chosen.seed, console)
    begin, _, end = chosen.seeds.partition(":")
    began = time.monotonic()
    results = campaign.run(range(int(begin), int(end)))
    told = ", ".join(f"{count} {code}" for code, count in results.codes.most_common())
    console.print(f"{results.seeds} documents in {time.monotonic() - began:.0f} s: {results.made} made protos; {told}")
    console.print(f"peak {peak_mb()} MB, {len(results.faults)} faults")
    shutil.rmtree(campaign.FOUND, ignore_errors=True)
    for index, (seed, trial) in enumerate(sorted(results.faults.items())):
        found = campaign.case(seed)
        console.print(f"seed {seed} ({found.origin}; {', '.join(found.mutations)}): {trial.kind}")
        where = f"; smallest: {campaign.shrunk(seed)}" if index < SHRUNK else ""
        console.print(f"  again: python -m tests.fuzz --seed {seed}{where}")
    return 1 if results.faults or peak_mb() > MOST_MB else 0


def again(seed: int, console: Console) -> int:
    """One seed, with the whole fault."""
    found = campaign.case(seed)
    trial = campaign.whole(found.document, found.lock)
    console.print(f"seed {seed} ({found.origin}; {', '.join(found.mutations)})")
    console.print(trial.fault or ", ".join(trial.codes) or "made protos")
    if trial.fault:
        console.print(f"smallest: {campaign.shrunk(seed)}")
    return 1 if trial.fault else 0


if __name__ == "__main__":
    sys.exit(main())
