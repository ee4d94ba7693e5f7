"""The real history, built step by step with the command line: what `make nightly` replays.

Each step begins with the lock of the one before. None needs an `accept:` entry, and each is held against all that were
before it: with buf, number by number, and with bytes that its predecessors wrote, from the JSON of the API and field by
field.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from spec2proto_codec import HttpCodec

from pipeline.model.lock.text import parse_lock
from postprocess.round_trip.samples import Samples
from postprocess.tools.protoc import compile_protos
from tests.evolution import history, wire
from tests.support import BASELINE, spec2proto

MONTHS = history.list_months()
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.needs("history"),
]


@dataclass(frozen=True)
class Built:
    """One step as it would be published."""

    month: str
    folder: Path
    descriptors: FileDescriptorSet

    @property
    def lock(self) -> history.Lock:
        return parse_lock((self.folder / "lock.yaml").read_bytes(), self.month)

    @property
    def samples(self) -> Iterator[tuple[str, bytes]]:
        """Yield samples of all messages, encoded by the codec from JSON of the API."""
        codec = HttpCodec(self.descriptors, json.loads((self.folder / "binding.json").read_text()))
        samples = Samples(codec.plans)
        for plan in codec.plans.messages.values():
            if plan.form not in {"request", "response"}:
                yield from ((plan.name, codec.encode(plan.name, value)) for value in samples.sample_message(plan))


def build(profile: str, month: str, lock: Path, folder: Path) -> Built:
    spec = folder.with_suffix(".yaml")
    spec.write_bytes(history.read_spec(month))
    process = spec2proto("build", "--quiet", "--profile", profile, "--spec", spec, "--lock", lock, "--out", folder)
    assert process.returncode == 0, f"{month}: {process.stderr}"
    names = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*.proto"))]
    return Built(month, folder, compile_protos(folder, names))


@pytest.fixture(scope="module", params=["opensearch", "opensearch-full"])
def steps(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Built]:
    folder = tmp_path_factory.mktemp(request.param)
    lock = folder / "empty.yaml"
    lock.write_text("version: 1\npackage: opensearch.v1\n")
    lock = BASELINE if request.param == "opensearch" else lock
    steps_built: list[Built] = []
    for month in MONTHS:
        steps_built.append(build(request.param, month, lock, folder / month))
        lock = folder / month / "lock.yaml"
    return steps_built


def test_no_number_is_ever_given_twice(steps: list[Built]) -> None:
    memory = history.Memory()
    assert [memory.take(step.lock) for step in steps] == [[] for _ in steps]


def test_nothing_had_to_be_accepted(steps: list[Built]) -> None:
    assert steps[-1].lock.accepted == ()


def test_buf_finds_nothing_between_two_steps(steps: list[Built], tmp_path: Path) -> None:
    category = "FILE" if steps[0].lock.baseline else "PACKAGE"
    for before, now in pairwise(steps):
        for chosen in (category, "WIRE_JSON"):
            assert history.find_breaking_changes(now.descriptors, before.descriptors, chosen, tmp_path) == []


def test_every_step_reads_what_any_earlier_one_wrote(steps: list[Built]) -> None:
    contracts = {step.month: wire.Contract(step.descriptors) for step in steps}
    samples = {month: wire.write(contract) for month, contract in contracts.items()}
    for step in steps:
        for name, content in step.samples:
            samples[step.month].setdefault(name, []).append(content)
    for earlier, later in combinations(MONTHS, 2):
        assert wire.find_lost_messages(contracts[earlier], contracts[later], samples[earlier]) == []
        names = set(contracts[earlier].names)
        assert wire.find_changed_messages(contracts[later], contracts[earlier], samples[later], names) == []
