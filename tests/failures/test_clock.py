"""The clock of the machine is wrong: the same result, whatever the time seems to be.

The C library itself is told another time, by a few lines that are compiled for it, so Python and the JVM both see it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.model.diagnostics import ExitCode

from .case import HERE, Place, tree

SOURCE = HERE / "wrong_clock.c"
YEAR = 31_556_952
CLOCKS = {"thirty-years-ago": str(-30 * YEAR), "in-eighty-years": str(80 * YEAR), "jumping": "jumping"}
BUILD = "build --profile {profile} --spec {spec} --out {out}"


@pytest.fixture(scope="module")
def clock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that tells another time."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("a wrong clock needs Linux and a C compiler")
    made = tmp_path_factory.mktemp("clock") / "wrong_clock.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(made), str(SOURCE), "-ldl"], check=True)
    return made


def test_a_wrong_clock_changes_nothing(place: Place, clock: Path) -> None:
    spec = str(HERE / "shelves.yaml")
    assert place.run(BUILD, {}, spec=spec).exit_code == ExitCode.DONE
    good = tree(place.out)
    for name, offset in CLOCKS.items():
        for path in [*place.out.rglob("*"), *place.work.rglob("*")]:
            os.utime(path, (2**33, 2**33) if name == "thirty-years-ago" else (0, 0))
        environ = {"LD_PRELOAD": str(clock), "WRONG_CLOCK": offset}

        unchanged = place.run(BUILD, environ, spec=spec)
        (place.work / "stamp.json").unlink()
        anew = place.run(BUILD, environ, spec=spec)

        assert [(ran.exit_code, ran.stderr) for ran in (unchanged, anew)] == [(ExitCode.DONE, "")] * 2, name
        assert "generate" not in unchanged.stdout, name
        assert "generate" in anew.stdout, name
        assert tree(place.out) == good, name


def test_the_clock_is_wrong_indeed(clock: Path) -> None:
    command = [sys.executable, "-c", "import datetime; print(datetime.datetime.now(datetime.timezone.utc).year)"]
    environ = os.environ | {"LD_PRELOAD": str(clock), "WRONG_CLOCK": str(80 * YEAR)}
    told = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)

    assert int(told.stdout) > 2100
