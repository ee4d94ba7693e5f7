"""Disks that are full or read-only, wherever a build writes: nothing is broken, and with room the next one succeeds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipeline.model.diagnostics import ExitCode
from tests.pipeline.fetch.web_server import Site, serve, serving

from .case import HERE, Place
from .disks import clear, fill, read_only, small_disk, writable

SPEC = HERE / "shelves.yaml"
BUILD = "build --profile {profile} --spec {spec} --out {out}"
SMALL, LARGE = 64, 4096
ROOMS = (1, 6, 14)
"""Blocks that are left in the work folder; a build needs about 30, so each ends it at another step."""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", SMALL) as folder:
        yield folder


def refused(place: Place, **environ: str) -> str:
    """What a build says that must fail by no fault of the spec, and must change nothing."""
    before = place.snapshot()
    ran = place.run(BUILD, environ, spec=str(SPEC))
    assert ran.exit_code == ExitCode.ENVIRONMENT, ran.stderr
    assert "Traceback" not in ran.stderr
    assert place.snapshot() == before
    return place.shown(ran.stderr)


def done(place: Place, spec: str = str(SPEC), **environ: str) -> None:
    """A build that must succeed."""
    ran = place.run(BUILD, environ, spec=spec)
    assert (ran.exit_code, ran.stderr) == (ExitCode.DONE, "")
    assert "message Shelf" in (place.out / "case" / "v1" / "case.proto").read_text(encoding="utf-8")


def test_the_disk_of_the_result_is_full(place: Place, disk: Path) -> None:
    place.move(disk / "result")
    fill(disk)

    text = refused(place)

    remedy = "make room or give write access, then build again"
    said = f"cannot write the result: No space left on device (remedy: {remedy})"
    assert text == f"{{out}}: error[output/not-written]: {said}\n"
    clear(disk)
    done(place)


def test_the_disk_of_the_result_is_read_only(place: Place, disk: Path) -> None:
    place.move(disk / "result")
    read_only(disk)

    text = refused(place)

    assert "error[output/not-written]: cannot write the result: Read-only file system" in text
    writable(disk)
    done(place)


def test_the_disk_of_the_work_folder_is_full(place: Place, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", LARGE) as disk:
        place.work.symlink_to(disk)
        for blocks in ROOMS:
            fill(disk, but=blocks)

            text = refused(place)

            assert text.count("\n") == 1
            assert re.search(r"error\[(environment|generator|output)/", text), text
            clear(disk)
        done(place)


def test_the_disk_of_the_work_folder_is_read_only(place: Place, disk: Path) -> None:
    place.work.symlink_to(disk)
    read_only(disk)

    assert "error[output/not-written]: cannot write: Read-only file system" in refused(place)
    writable(disk)


def test_the_disk_for_passing_files_is_full(place: Place, disk: Path) -> None:
    """Only `--check` needs it, and says so; the JVM does without."""
    fill(disk, but=0)
    done(place, TMPDIR=str(disk))

    ran = place.run(f"{BUILD} --check", {"TMPDIR": str(disk)}, spec=str(SPEC))

    assert ran.exit_code in {ExitCode.DONE, ExitCode.ENVIRONMENT}
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("spoil", [lambda disk: fill(disk, but=0), read_only], ids=["full", "read-only"])
def test_the_disk_of_the_cache_is_full_or_read_only(place: Place, disk: Path, spoil: Callable[[Path], None]) -> None:
    """Downloads are then not kept, and nothing else is lost."""
    spoil(disk)
    site = Site()
    site.routes = {"/shelves.yaml": serve(SPEC.read_bytes(), ETag='"one"')}
    with serving(site):
        for _ in range(2):
            done(place, f"{site.url}/shelves.yaml", XDG_CACHE_HOME=str(disk))
    assert all("If-None-Match" not in headers for _, headers, _ in site.asked)
