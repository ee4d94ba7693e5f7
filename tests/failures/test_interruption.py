"""Builds that are killed, interrupted or run side by side: the result is the old one or the new one, whole."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from filelock import FileLock

from pipeline.model.findings import ExitCode

from .case import HERE, SECONDS, Place, environment, tree

SPEC = HERE / "shelves.yaml"
OLD = "build --profile {profile} --spec {spec} --out {out} --opensearch-version 1.0"
NEW = "build --profile {profile} --spec {spec} --out {out} --opensearch-version 2.0"
MOMENTS = 15
LANES = 2
SEED = 20
STARTED = 0.3


def start(place: Place, command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        place.arguments(command, spec=str(SPEC)),
        cwd=place.folder,
        env=environment({}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, stderr = process.communicate(timeout=SECONDS)
    return process.returncode, stderr


def result(place: Place) -> dict[str, bytes]:
    return tree(place.out)


class Change:
    """A build that changes a result, which can be put back to run it again."""

    def __init__(self, place: Place) -> None:
        self.place = place
        shutil.rmtree(place.out)
        assert finish(start(place, OLD)) == (ExitCode.DONE, "")
        self.kept = place.folder / "old"
        shutil.copytree(place.out, self.kept)
        self.old = result(place)
        began = time.monotonic()
        assert finish(start(place, NEW)) == (ExitCode.DONE, "")
        self.seconds = time.monotonic() - began
        self.new = result(place)
        assert self.old != self.new

    def back(self) -> None:
        shutil.rmtree(self.place.out)
        shutil.copytree(self.kept, self.place.out)

    def beside(self) -> list[str]:
        return [path.name for path in self.place.out.parent.iterdir() if path != self.place.out]


def killed(change: Change, moment: float) -> bool:
    """Kill a build at a moment of its run, and build again.

    Returns:
        Whether it was killed before its result was there.
    """
    change.back()
    process = start(change.place, NEW)
    time.sleep(moment)
    process.kill()
    finish(process)
    found = result(change.place)
    assert found in (change.old, change.new), f"killed after {moment:.3f} s"
    assert finish(start(change.place, NEW)) == (ExitCode.DONE, ""), f"killed after {moment:.3f} s"
    assert result(change.place) == change.new, f"killed after {moment:.3f} s"
    assert change.beside() == [], f"killed after {moment:.3f} s"
    return found == change.old


def moments(change: Change, lane: int) -> list[float]:
    """Moments of a lane: half of them over the whole run, half near its end, where the result appears."""
    dice = random.Random(SEED + lane)  # noqa: S311 - moments, not secrets
    whole = [dice.uniform(STARTED, change.seconds) for _ in range(lane, MOMENTS, 2 * LANES)]
    end = [change.seconds - dice.uniform(0.0, 0.4) for _ in range(lane + LANES, MOMENTS, 2 * LANES)]
    return whole + end


def test_a_killed_build_leaves_the_old_or_the_new_result(make_place: Callable[..., Place]) -> None:
    places = [make_place(f"killed-{lane}") for lane in range(LANES)]

    def run(lane: int) -> list[bool]:
        change = Change(places[lane])
        return [killed(change, moment) for moment in moments(change, lane)]

    with ThreadPoolExecutor(LANES) as pool:
        early = [was for lane in pool.map(run, range(LANES)) for was in lane]

    assert len(early) == MOMENTS
    assert any(early)


@pytest.mark.parametrize("share", [0.3, 0.6])
def test_an_interrupted_build_leaves_the_old_result(place: Place, share: float) -> None:
    change = Change(place)
    change.back()
    process = start(place, NEW)
    time.sleep(share * change.seconds)

    process.send_signal(signal.SIGINT)

    assert finish(process) == (130, "")
    assert result(place) == change.old
    assert change.beside() == []


def test_two_builds_at_the_same_time(place: Place) -> None:
    change = Change(place)
    change.back()

    both = [start(place, NEW) for _ in range(2)]

    assert [finish(process) for process in both] == [(ExitCode.DONE, "")] * 2
    assert result(place) == change.new
    assert change.beside() == []


def test_a_build_does_not_wait_forever_for_another(place: Place) -> None:
    with place.profile.open("a", encoding="utf-8") as profile:
        profile.write("limits: {generator_seconds: 1}\n")
    place.work.mkdir(parents=True)
    before = place.snapshot()

    with FileLock(place.work / ".lock"):
        exit_code, stderr = finish(start(place, NEW))

    said = "another build of this profile is running (remedy: wait for the other build to end)"
    assert (exit_code, stderr) == (
        ExitCode.ENVIRONMENT,
        f"generated/{place.name}: error[environment/busy]: {said}\n",
    )
    assert place.snapshot() == before
