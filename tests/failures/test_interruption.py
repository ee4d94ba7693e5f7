"""Builds that are killed, interrupted or run side by side: the result is the old one or the new one, whole."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from pipeline.file_lock import lock_folder
from pipeline.model.diagnostics import ExitCode

from .case import Place
from .interrupting import NEW, STAGES, Change, after, finish, gone, moments, start

LANES = 2
SEED = 20
MOMENTS, NIGHTLY = 10, 300


def kills(make_place: Callable[..., Place], count: int) -> list[bool]:
    """Kill builds in lanes side by side; whether each was killed before its result was there."""
    places = [make_place(f"killed-{lane}") for lane in range(LANES)]

    def lane(number: int) -> list[bool]:
        change = Change(places[number])
        share = range(number, count, LANES)
        return [change.killed(who, moment=when) for who, when in moments(change, len(share), SEED + number)]

    with ThreadPoolExecutor(LANES) as pool:
        return [was for found in pool.map(lane, range(LANES)) for was in found]


def test_a_killed_build_leaves_the_old_or_the_new_result(make_place: Callable[..., Place]) -> None:
    early = kills(make_place, MOMENTS)

    assert len(early) == MOMENTS
    assert any(early)


@pytest.mark.nightly
def test_hundreds_of_killed_builds_leave_the_old_or_the_new_result(make_place: Callable[..., Place]) -> None:
    early = kills(make_place, NIGHTLY)

    assert len(early) == NIGHTLY
    assert {True, False} == set(early)


def test_a_build_killed_between_two_stages(make_place: Callable[..., Place]) -> None:
    places = [make_place(f"between-{lane}") for lane in range(LANES)]

    def lane(number: int) -> dict[str, bool]:
        change = Change(places[number])
        return {stage: change.killed("group", stage=stage) for stage in STAGES[number::LANES]}

    with ThreadPoolExecutor(LANES) as pool:
        early = {stage: was for found in pool.map(lane, range(LANES)) for stage, was in found.items()}

    # What comes after the last stage but one may be quicker than the kill.
    assert {stage: early[stage] for stage in STAGES[:-2]} == dict.fromkeys(STAGES[:-2], True)
    assert not early["promote"]


@pytest.mark.parametrize("stage", ["fetch", "preprocess"])
def test_an_interrupted_build_leaves_the_old_result(place: Place, stage: str) -> None:
    """Ctrl-C while the spec is read, and while the JVM runs; earlier than that Python itself would tell of it."""
    # Whoever starts the tests in the background has them ignore it, and what they start with them.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    change = Change(place)
    change.back()
    process = start(place, NEW)
    with gone(process):
        after(process, stage)
        process.send_signal(signal.SIGINT)

        assert finish(process) == (130, "")
    assert change.result() == change.old
    assert change.beside() == []


def test_two_builds_at_the_same_time(place: Place) -> None:
    change = Change(place)
    change.back()

    both = [start(place, NEW) for _ in range(2)]

    assert [finish(process) for process in both] == [(ExitCode.DONE, "")] * 2
    assert change.result() == change.new
    assert change.beside() == []


def test_two_builds_of_two_profiles_in_one_tree(make_place: Callable[..., Place]) -> None:
    """Each has a work folder of its own; the second one began with a lock that knows nothing of the first one's."""
    change, other = Change(make_place("first")), make_place("second")
    shutil.rmtree(other.out)
    other.out = change.place.out
    change.back()
    slow = start(other, NEW)
    with gone(slow):
        after(slow, "preprocess")
        slow.send_signal(signal.SIGSTOP)
        assert finish(start(change.place, NEW)) == (ExitCode.DONE, "")
        (change.place.out / "lock.yaml").write_bytes(
            b"# of another build\n" + change.new[str(change.place.out / "lock.yaml")]
        )
        slow.send_signal(signal.SIGCONT)
        code, told = finish(slow)

    assert code == ExitCode.ENVIRONMENT
    assert "error[output/changed]: something else changed the result while this build ran" in told
    assert (change.place.out / "lock.yaml").read_bytes().startswith(b"# of another build")
    assert change.beside() == []


def test_a_build_does_not_wait_forever_for_another(place: Place) -> None:
    with place.profile.open("a", encoding="utf-8") as profile:
        profile.write("limits: {generator_seconds: 1}\n")
    place.work.mkdir(parents=True)
    before = place.snapshot()

    with lock_folder(place.work):
        exit_code, stderr = finish(start(place, NEW))

    said = "another build of this profile is running (remedy: wait for the other build to end)"
    assert (exit_code, stderr) == (
        ExitCode.ENVIRONMENT,
        f"generated/{place.name}: error[environment/busy]: {said}\n",
    )
    assert place.snapshot() == before
