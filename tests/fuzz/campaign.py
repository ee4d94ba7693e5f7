"""A campaign: many seeds, each one document; what came of them, and for each fault how to see it again."""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.model.lock.model import Lock
from tests.fuzz.bases import Document, base
from tests.fuzz.mutate import mutated
from tests.fuzz.shrink import needed, smallest
from tests.fuzz.trial import Made, Trial, attempt
from tests.fuzz.whole import finished, printed_by_the_generator
from tests.support import ROOT

FOUND = ROOT / "generated" / "fuzz"
BATCH = 100
REBUILT = 3
"""Every so many seeds begin with the lock of the document as it was before the mutations."""


@dataclass(frozen=True)
class Case:
    """What a seed stands for."""

    seed: int
    origin: str
    before: Document
    document: Document
    mutations: list[str]

    @property
    def lock(self) -> Lock | None:
        """The lock that the build begins with; None for an empty one."""
        if self.seed % REBUILT:
            return None
        made = attempt(self.before).made
        return made.done.lock if made else None


@dataclass
class Results:
    """What came of the seeds: how many made protos, the codes of the others, and the faults."""

    seeds: int = 0
    made: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    faults: dict[int, Trial] = field(default_factory=dict)

    def add(self, seed: int, trial: Trial) -> None:
        """Count one seed that goes no further."""
        self.seeds += 1
        self.codes.update(trial.codes)
        if trial.fault:
            self.faults[seed] = trial
        elif not trial.codes:
            self.made += 1


def case(seed: int, kept: list[int] | None = None) -> Case:
    """The document of a seed; with `kept` only after the mutations at these indexes."""
    origin, before = base(random.Random(f"base {seed}"))  # noqa: S311 - tests, not secrets
    document, names = mutated(before, seed, kept)
    return Case(seed, origin, before, document, names)


def run(seeds: range) -> Results:
    """Try every seed, in batches, as one run of the generator prints what a batch makes."""
    results = Results()
    for begin in range(seeds.start, seeds.stop, BATCH):
        made: dict[int, Made] = {}
        for seed in range(begin, min(begin + BATCH, seeds.stop)):
            found = case(seed)
            trial = attempt(found.document, found.lock)
            if trial.made is None:
                results.add(seed, trial)
            else:
                made[seed] = trial.made
        for seed, trial in _printed(made):
            results.add(seed, trial)
    return results


def _printed(made: dict[int, Made]) -> Iterator[tuple[int, Trial]]:
    with tempfile.TemporaryDirectory(prefix="spec2proto-fuzz-") as name:
        folder = Path(name)
        texts = printed_by_the_generator(made, folder) if made else {}
        for seed, item in made.items():
            yield seed, finished(item, texts[seed], folder / f"{seed}.protos")


def whole(document: Document, lock: Lock | None) -> Trial:
    """One document through all stages."""
    trial = attempt(document, lock)
    return next((found for _, found in _printed({0: trial.made})), trial) if trial.made else trial


def shrunk(seed: int) -> Path:
    """The smallest document that shows the fault of a seed, written to a file."""
    found = case(seed)
    kind = whole(found.document, found.lock).kind
    # A fault of the Python stages shows without the generator, and is found a hundred times faster.
    tried = attempt if attempt(found.document, found.lock).fault else whole

    def shows(document: Document) -> bool:
        return tried(document, found.lock).kind == kind

    kept = needed(len(found.mutations), lambda kept: shows(case(seed, kept).document))
    least = smallest(case(seed, kept).document, shows)
    FOUND.mkdir(parents=True, exist_ok=True)
    path = FOUND / f"{seed}.json"
    path.write_text(json.dumps(least, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path
