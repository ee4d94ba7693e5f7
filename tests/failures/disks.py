"""Small disks, mounted for a test and gone after it."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

BLOCK = 4096


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    """A disk of some kilobytes at a folder."""
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small disk needs root on Linux")
    try:
        yield folder
    finally:
        # A process that has just ended may hold the disk for a moment; it is gone from the tree in any case.
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path, *, but: int = 1) -> None:
    """Leave room for some blocks of a disk."""
    with (disk / "filler.bin").open("wb", buffering=0) as filler, contextlib.suppress(OSError):
        while filler.write(b"x" * BLOCK):
            pass
    os.truncate(disk / "filler.bin", max(0, (disk / "filler.bin").stat().st_size - but * BLOCK))


def clear(disk: Path) -> None:
    """Make room again."""
    (disk / "filler.bin").unlink()


def read_only(disk: Path) -> None:
    """Make a disk that nobody can write to, root included."""
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)


def writable(disk: Path) -> None:
    """The opposite."""
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
