"""Builds that end before their end: a change of a result that can be run again and again, and ways to stop it."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from pipeline.model.diagnostics import ExitCode

from .case import HERE, SECONDS, Place, environment, tree

SPEC = HERE / "shelves.yaml"
OLD = "build --profile {profile} --spec {spec} --out {out} --opensearch-version 1.0"
NEW = "build --profile {profile} --spec {spec} --out {out} --opensearch-version 2.0"
STAGES = ("fetch", "read", "preprocess", "generate", "assemble", "check", "promote")


def start(place: Place, command: str, **environ: str) -> subprocess.Popen[str]:
    """Start a build in a group of its own, with what it says at hand line by line."""
    return subprocess.Popen(
        place.arguments(command, spec=str(SPEC)),
        cwd=place.folder,
        env=environment(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for the end of a build: its exit code, and what it complained of."""
    _, stderr = process.communicate(timeout=SECONDS)
    return process.returncode, stderr


def after(process: subprocess.Popen[str], stage: str) -> None:
    """Wait until a build says that a stage is done."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(f"{stage} "):
            return
    raise AssertionError(f"the build ended without {stage}: {finish(process)}")


def kill(process: subprocess.Popen[str], victim: str) -> None:
    """Kill the whole group, Python alone, or what it started alone; nothing where that has ended already."""
    pids = {"group": [], "python": [process.pid], "children": _children(process.pid)}[victim]
    try:
        if victim == "group":
            os.killpg(process.pid, signal.SIGKILL)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _children(pid: int) -> list[int]:
    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.Error:
        return []


@contextmanager
def gone(process: subprocess.Popen[str]) -> Iterator[None]:
    """Nothing of a group is left afterwards."""
    try:
        yield
    finally:
        kill(process, "group")
        finish(process)


class Change:
    """A build that changes a result, which can be put back to run it again."""

    def __init__(self, place: Place) -> None:
        self.place = place
        shutil.rmtree(place.out)
        assert finish(start(place, OLD)) == (ExitCode.DONE, "")
        self.kept = place.folder / "old"
        shutil.copytree(place.out, self.kept)
        self.old = self.result()
        began = time.monotonic()
        assert finish(start(place, NEW)) == (ExitCode.DONE, "")
        self.seconds = time.monotonic() - began
        self.new = self.result()
        assert self.old != self.new

    def result(self) -> dict[str, bytes]:
        """The tree as it is."""
        return tree(self.place.out)

    def back(self) -> None:
        """Put the old result in place."""
        shutil.rmtree(self.place.out)
        shutil.copytree(self.kept, self.place.out)

    def beside(self) -> list[str]:
        """What lies beside the result."""
        return [path.name for path in self.place.out.parent.iterdir() if path != self.place.out]

    def killed(self, victim: str, *, moment: float = 0.0, stage: str = "") -> bool:
        """Kill a build at a moment of its run or once it has told of a stage, and build again.

        Returns:
            Whether it was killed before its result was there.
        """
        where = f"{victim} killed after {stage or f'{moment:.3f} s'}"
        self.back()
        process = start(self.place, NEW)
        with gone(process):
            if stage:
                after(process, stage)
            else:
                time.sleep(moment)
            kill(process, victim)
            code, told = finish(process)
        assert victim != "children" or (code in {ExitCode.DONE, ExitCode.ENVIRONMENT, ExitCode.REFUSED}), (where, told)
        assert "Traceback" not in told, (where, told)
        found = self.result()
        assert found in (self.old, self.new), where
        assert finish(start(self.place, NEW)) == (ExitCode.DONE, ""), where
        assert self.result() == self.new, where
        assert self.beside() == [], where
        return found == self.old


def moments(change: Change, count: int, seed: int) -> list[tuple[str, float]]:
    """Whom to kill and when: half over the whole run, half near its end, where the result appears."""
    dice = random.Random(seed)  # noqa: S311 - moments, not secrets
    found = []
    for number in range(count):
        begin = 0.0 if number % 2 else max(0.0, change.seconds - 0.6)
        victim = dice.choice(["group", "group", "python", "children"])
        found.append((victim, dice.uniform(begin, change.seconds)))
    return found
