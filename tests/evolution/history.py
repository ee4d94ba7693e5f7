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


def list_months() -> list[str]:
    """Return the months that have a specification, oldest first."""
    stem = "opensearch-openapi-"
    current = [path.name.removeprefix(stem).removesuffix(".yaml.gz") for path in SPEC.parent.glob(f"{stem}*.yaml.gz")]
    return [*sorted(current), NEWEST] if SPEC.is_file() else []


@cache
def read_spec(month: str) -> bytes:
    """Return the specification of a month."""
    packed = SPEC.parent / f"opensearch-openapi-{month}.yaml.gz"
    return SPEC.read_bytes() if month == NEWEST else gzip.decompress(packed.read_bytes())


@dataclass(frozen=True)
class Step:
    """The lock and the changes of one specification."""

    month: str
    lock: Lock
    events: list[Event] = field(repr=False)

    @property
    def image(self) -> FileDescriptorSet:
        """Return the descriptors of the lock."""
        return descriptors_of_lock(self.lock)


def read_first_lock(profile: Profile) -> Lock:
    """Return the baseline of a profile, or an empty lock."""
    return parse_lock(BASELINE.read_bytes(), "lock") if profile.baseline else create_empty_lock(profile.package)


def number_spec(name: str, month: str, lock: Lock, work: Path) -> Step:
    """Convert and number a specification, without generating the protos."""
    profile = load_profile(name)
    spec = FetchedSpec(read_spec(month), f"{month}.yaml", month, "file")
    overlays = read_overlays(profile)
    inputs = Inputs(profile, spec, lock, overlays, "none", {})
    process = read_contract(inputs, work, Progress(Console(quiet=True), quiet=True))
    return Step(month, process.lock, list(process.events))


def find_breaking_changes(now: FileDescriptorSet, before: FileDescriptorSet, category: str, folder: Path) -> list[str]:
    """Return the breaking changes that buf finds between two contracts."""
    for name, image in (("now", now), ("before", before)):
        (folder / f"{name}.binpb").write_bytes(image.SerializeToString())
    config = json.dumps({"version": "v2", "breaking": {"use": [category]}})
    command = [find_buf(), "breaking", "now.binpb", "--against", "before.binpb", "--config", config]
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert process.returncode in {0, 100}, process.stderr
    return process.stdout.splitlines()


@dataclass
class Memory:
    """Every meaning that each number ever had."""

    meanings: dict[tuple[str, int], set[tuple[str, ...]]] = field(default_factory=dict)

    def take(self, lock: Lock) -> list[str]:
        """Remember a lock, and return the numbers that it lost or gave a second meaning."""
        current = dict(_list_meanings(lock))
        wrong = [f"{key} is gone" for key in self.meanings.keys() - current.keys()]
        for key, (live, meanings) in current.items():
            before = self.meanings.setdefault(key, meanings)
            if before - meanings:
                wrong.append(f"{key} was {before}, is {meanings}")
            if len(live) > 1:
                wrong.append(f"{key} is {live} at once")
            if meanings - before:
                wrong.append(f"{key} was {before}, is {meanings} as well")
        return wrong


def _list_meanings(lock: Lock) -> Iterable[tuple[tuple[str, int], tuple[set[tuple[str, ...]], set[tuple[str, ...]]]]]:
    """Yield for each number its current meanings and all its meanings."""
    owners = [(name, message.fields) for name, message in lock.messages.items()]
    values = [(name, enum.values) for name, enum in lock.enums.items()]
    for name, entries in (*owners, *values):
        for number in {entry.number for entry in entries}:
            same = [entry for entry in entries if entry.number == number]
            live = {_get_meaning(entry) for entry in same if entry.state not in RETIRED}
            yield (name, number), (live, {_get_meaning(entry) for entry in same})


def _get_meaning(entry: LockedField | LockedValue) -> tuple[str, ...]:
    if isinstance(entry, LockedValue):
        return (entry.name,)
    label = str(entry.label) if entry.label in {"repeated", "map"} else "single"
    return entry.name, entry.type, label, entry.oneof or ""
