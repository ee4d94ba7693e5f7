"""Promotion: a result appears whole or not at all, whenever the process is killed.

The new folder is written beside the old one and made durable; then one system call exchanges the two. Where the
system has no such call the old one is moved aside first, and a build that finds it aside puts it back.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from pipeline.model.findings import ExitCode, Failure, Finding, Place

STAGED = ".staged"
ASIDE = ".aside"
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def recover(target: Path) -> None:
    """Put right what a killed build left beside a target: a result moved aside comes back, a staged one goes."""
    aside, staged = _beside(target, ASIDE), _beside(target, STAGED)
    if aside.exists() and not target.exists():
        aside.rename(target)
    for left in (aside, staged):
        if left.exists():
            shutil.rmtree(left)


def _beside(target: Path, suffix: str) -> Path:
    return target.with_name(f".{target.name}{suffix}")


def current(target: Path) -> dict[str, bytes]:
    """The files of a result, by their path in it; nothing where there is none."""
    if not target.is_dir():
        return {}
    return {str(path.relative_to(target)): path.read_bytes() for path in sorted(target.rglob("*")) if path.is_file()}


def promote(files: Mapping[str, bytes], target: Path) -> bool:
    """Make a folder hold exactly these files.

    Args:
        files: by their path in the folder.
        target: the folder; its parent is made if need be.

    Returns:
        Whether anything changed.

    Raises:
        Failure: `output/…` when the place cannot be written to; the folder is then as it was.
    """
    if current(target) == dict(files):
        return False
    staged = _beside(target, STAGED)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        recover(target)
        _write(files, staged)
        _exchange(staged, target)
        shutil.rmtree(staged, ignore_errors=True)
    except OSError as error:
        shutil.rmtree(staged, ignore_errors=True)
        hint = "make room or give write access, then build again"
        message = f"cannot write the result: {error.strerror}"
        raise Failure(Finding("output/not-written", message, Place(str(target)), hint), ExitCode.ENVIRONMENT) from None
    return True


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    for name, content in sorted(files.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as output:
            output.write(content)
            output.flush()
            os.fsync(output.fileno())
    for path in [folder, *(path for path in folder.rglob("*") if path.is_dir())]:
        _sync(path)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _exchange(staged: Path, target: Path) -> None:
    if not target.exists():
        staged.rename(target)
    elif not _exchange_at_once(staged, target):
        aside = _beside(target, ASIDE)
        target.rename(aside)
        staged.rename(target)
        shutil.rmtree(aside)
    _sync(target.parent)


def _exchange_at_once(staged: Path, target: Path) -> bool:
    """Exchange two folders in one step (Linux `renameat2`); False where there is no such call."""
    if not sys.platform.startswith("linux"):
        return False
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return False
    return bool(call(_AT_FDCWD, os.fsencode(staged), _AT_FDCWD, os.fsencode(target), _RENAME_EXCHANGE) == 0)
