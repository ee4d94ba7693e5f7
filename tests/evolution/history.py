"""The real history of the OpenSearch specification, step by step, each with the lock of the one before."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from rich.console import Console

from pipeline.build.inputs import Inputs, read_overlays
from pipeline.build.stages import read_contract
from pipeline.fetch.specification import FetchedSpec
from pipeline.model.changes import Event
from pipeline.model.lock.model import RETIRED, Lock, LockedField, LockedValue, create_empty_lock
from pipeline.model.lock.text import parse_lock
from pipeline.model.profile.load import load_profile
from pipeline.model.profile.profile import Profile
from pipeline.progress import Progress
from postprocess.lock.descriptors import descriptors_of_lock
from postprocess.tools.buf import find_buf
from tests.support import BASELINE, SPEC

NEWEST = "2026-08"


def months() -> list[str]:
    """The months of which there is a specification, oldest first."""
    stem = "opensearch-openapi-"
    found = [path.name.removeprefix(stem).removesuffix(".yaml.gz") for path in SPEC.parent.glob(f"{stem}*.yaml.gz")]
    return [*sorted(found), NEWEST] if SPEC.is_file() else []


@cache
def spec_of(month: str) -> bytes:
    """The specification of a month."""
    packed = SPEC.parent / f"opensearch-openapi-{month}.yaml.gz"
    return SPEC.read_bytes() if month == NEWEST else gzip.decompress(packed.read_bytes())


@dataclass(frozen=True)
class Step:
    """What one specification became, as far as numbers go."""

    month: str
    lock: Lock
    events: list[Event] = field(repr=False)

    @property
    def image(self) -> FileDescriptorSet:
        """The contract as descriptors."""
        return descriptors_of_lock(self.lock)


def first_lock(profile: Profile) -> Lock:
    """What a profile begins with: what was published before, or nothing."""
    return parse_lock(BASELINE.read_bytes(), "lock") if profile.baseline else create_empty_lock(profile.package)


def numbered(name: str, month: str, lock: Lock, work: Path) -> Step:
    """One step, up to the numbers: everything but the printing of the protos."""
    profile = load_profile(name)
    spec = FetchedSpec(spec_of(month), f"{month}.yaml", month, "file")
    overlays = read_overlays(profile)
    inputs = Inputs(profile, spec, lock, overlays, "none", {})
    done = read_contract(inputs, work, Progress(Console(quiet=True), quiet=True))
    return Step(month, done.lock, list(done.events))


def breaking(now: FileDescriptorSet, before: FileDescriptorSet, category: str, folder: Path) -> list[str]:
    """What buf finds between two contracts."""
    for name, image in (("now", now), ("before", before)):
        (folder / f"{name}.binpb").write_bytes(image.SerializeToString())
    config = json.dumps({"version": "v2", "breaking": {"use": [category]}})
    command = [find_buf(), "breaking", "now.binpb", "--against", "before.binpb", "--config", config]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 100}, done.stderr
    return done.stdout.splitlines()


@dataclass
class Memory:
    """Every meaning that a number ever had, to hold each step against."""

    meanings: dict[tuple[str, int], set[tuple[str, ...]]] = field(default_factory=dict)

    def take(self, lock: Lock) -> list[str]:
        """Remember a step; what it has forgotten, or given a second meaning."""
        found = dict(_meanings(lock))
        wrong = [f"{key} is gone" for key in self.meanings.keys() - found.keys()]
        for key, (live, known) in found.items():
            before = self.meanings.setdefault(key, known)
            if before - known:
                wrong.append(f"{key} was {before}, is {known}")
            if len(live) > 1:
                wrong.append(f"{key} is {live} at once")
            if known - before:
                wrong.append(f"{key} was {before}, is {known} as well")
        return wrong


def _meanings(lock: Lock) -> Iterable[tuple[tuple[str, int], tuple[set[tuple[str, ...]], set[tuple[str, ...]]]]]:
    """All meanings of each number, and those among them that are not over."""
    owners = [(name, message.fields) for name, message in lock.messages.items()]
    values = [(name, enum.values) for name, enum in lock.enums.items()]
    for name, entries in (*owners, *values):
        for number in {entry.number for entry in entries}:
            same = [entry for entry in entries if entry.number == number]
            live = {_meaning(entry) for entry in same if entry.state not in RETIRED}
            yield (name, number), (live, {_meaning(entry) for entry in same})


def _meaning(entry: LockedField | LockedValue) -> tuple[str, ...]:
    if isinstance(entry, LockedValue):
        return (entry.name,)
    listed = str(entry.label) if entry.label in {"repeated", "map"} else "single"
    return entry.name, entry.type, listed, entry.oneof or ""
