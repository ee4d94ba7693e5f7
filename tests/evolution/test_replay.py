"""The real history, replayed up to the numbers: no step is refused, breaks a client, or loses what was written.

`test_builds` builds every step as a whole; that takes minutes, this is for every change.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from pipeline.model.lock.model import Lock, LockedMessage
from pipeline.model.profile.load import load_profile
from tests.evolution import history, wire

MONTHS = history.list_months()
pytestmark = pytest.mark.needs("history")

# What servers speak, through each month; over several at once, again, and back and forth; the whole API from nothing.
WALKS = {
    "opensearch": ("opensearch", MONTHS),
    "opensearch, otherwise": (
        "opensearch",
        [*MONTHS[-1:], *MONTHS[:1], *MONTHS[3:4], *MONTHS[3:4], *MONTHS[1:2], *MONTHS[-1:]],
    ),
    "opensearch-full": ("opensearch-full", MONTHS[:1] + MONTHS[3::3]),
}


def replay(profile: str, months: list[str], work: Path) -> list[history.Step]:
    """Return all steps, the baseline first."""
    steps = [history.Step("before", history.read_first_lock(load_profile(profile)), [])]
    for month in months:
        steps.append(history.number_spec(profile, month, steps[-1].lock, work))
    return steps if steps[0].lock.messages else steps[1:]


@pytest.fixture(scope="module", params=WALKS)
def steps(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[history.Step]:
    profile, months = WALKS[request.param]
    return replay(profile, months, tmp_path_factory.mktemp("walk"))


def test_no_number_is_ever_given_twice_nor_forgotten(steps: list[history.Step]) -> None:
    memory = history.Memory()
    assert [(step.month, memory.take(step.lock)) for step in steps] == [(step.month, []) for step in steps]


def test_buf_finds_nothing_between_two_steps(steps: list[history.Step], tmp_path: Path) -> None:
    category = "FILE" if steps[0].lock.baseline else "PACKAGE"
    for before, now in pairwise(steps):
        assert history.find_breaking_changes(now.image, before.image, category, tmp_path) == []
        assert history.find_breaking_changes(now.image, before.image, "WIRE_JSON", tmp_path) == []


def test_what_any_step_wrote_the_last_one_reads_and_the_reverse(steps: list[history.Step]) -> None:
    last = wire.Contract(steps[-1].image)
    written_last = wire.write(last)
    for step in steps[:-1]:
        earlier = wire.Contract(step.image)
        assert wire.find_lost_messages(earlier, last, wire.write(earlier)) == []
        assert wire.find_changed_messages(last, earlier, written_last, set(earlier.names)) == []


def test_a_step_that_is_repeated_changes_nothing(steps: list[history.Step], tmp_path: Path) -> None:
    profile = "opensearch" if steps[0].lock.baseline else "opensearch-full"
    again = history.number_spec(profile, steps[-1].month, steps[-1].lock, tmp_path)
    assert again.lock == steps[-1].lock
    assert again.events == []


def swap_numbers(lock: Lock, **numbers: int) -> Lock:
    """Return a lock in which fields of `SearchResponse` have other numbers."""
    message: LockedMessage = lock.messages["SearchResponse"]
    fields = [item.model_copy(update={"number": numbers.get(item.name, item.number)}) for item in message.fields]
    changed = message.model_copy(update={"fields": tuple(sorted(fields, key=lambda item: item.number))})
    return lock.model_copy(update={"messages": {**lock.messages, "SearchResponse": changed}})


def test_swapped_numbers_are_seen_by_memory_and_on_the_wire() -> None:
    lock = history.read_first_lock(load_profile("opensearch"))
    swapped = swap_numbers(lock, pit_id=12, x_scroll_id=11)
    memory = history.Memory()
    assert memory.take(lock) == []
    assert len(memory.take(swapped)) == 4
    before = wire.Contract(history.Step("before", lock, []).image)
    after = wire.Contract(history.Step("after", swapped, []).image)
    name = f"{lock.package}.SearchResponse"
    assert len(wire.find_lost_messages(before, after, {name: wire.write(before)[name]})) == 1
    assert len(wire.find_changed_messages(after, before, wire.write(after), {name})) == 1
