"""Promotion: a result appears whole or not at all, whenever the process is killed, whoever else builds.

The new folder is written beside the old one and made durable; then one system call exchanges the two. Where the
system has no such call the old one is moved aside first, and a build that finds it aside puts it back. One process
at a time does so in a folder, and only to the result that its build began with.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from pipeline.file_lock import lock_folder
from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.workspace import remove_path

STAGED = ".staged"
ASIDE = ".aside"
_BUSY = "build again, so that the numbers of both are kept"
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def recover(target: Path) -> None:
    """Put right what a killed build left beside a target: a result moved aside comes back, a staged one goes."""
    if target.parent.is_dir():
        with lock_folder(target.parent):
            _recover(target)


def _recover(target: Path) -> None:
    aside, staged = _beside(target, ASIDE), _beside(target, STAGED)
    if aside.exists() and not target.exists():
        aside.rename(target)
    for left in (aside, staged):
        if left.exists():
            remove_path(left)


def _beside(target: Path, suffix: str) -> Path:
    return target.with_name(f".{target.name}{suffix}")


def read_result(target: Path) -> dict[str, bytes]:
    """The files of a result, by their path in it; nothing where there is none."""
    if not target.is_dir():
        return {}
    return {str(path.relative_to(target)): path.read_bytes() for path in sorted(target.rglob("*")) if path.is_file()}


def promote(files: Mapping[str, bytes], target: Path, expected: Mapping[str, bytes] | None = None) -> bool:
    """Make a folder hold exactly these files.

    Args:
        files: by their path in the folder.
        target: the folder; its parent is made if need be.
        expected: what the folder held when the build began; None for anything.

    Returns:
        Whether anything changed.

    Raises:
        Failure: `output/not-written` when the place cannot be written to, `output/changed` when it no longer holds what
            was expected; the folder is then as it was.
    """
    if read_result(target) == dict(files):
        return False
    staged = _beside(target, STAGED)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with lock_folder(target.parent):
            _recover(target)
            _write(files, staged)
            _check_unchanged(target, expected)
            _exchange(staged, target)
            _remove_quietly(staged)
    except OSError as error:
        _remove_quietly(staged)
        hint = "make room or give write access, then build again"
        message = f"cannot write the result: {error.strerror}"
        raise Failure(
            Diagnostic("output/not-written", message, Place(str(target)), hint), ExitCode.ENVIRONMENT
        ) from None
    return True


def _check_unchanged(target: Path, expected: Mapping[str, bytes] | None) -> None:
    """Refuse when somebody else changed the result meanwhile: a lock that was read before knows nothing of theirs."""
    if expected is None or read_result(target) == dict(expected):
        return
    _remove_quietly(_beside(target, STAGED))
    message = "something else changed the result while this build ran"
    raise Failure(Diagnostic("output/changed", message, Place(str(target)), _BUSY), ExitCode.ENVIRONMENT)


def _remove_quietly(path: Path) -> None:
    """Remove what is no longer needed; what stays is removed by the next build."""
    with contextlib.suppress(OSError):
        remove_path(path)


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
        _remove_quietly(aside)
    _sync(target.parent)


def _exchange_at_once(staged: Path, target: Path) -> bool:
    """Exchange two folders in one step (Linux `renameat2`); False where there is no such call."""
    if not sys.platform.startswith("linux"):
        return False
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return False
    return bool(call(_AT_FDCWD, os.fsencode(staged), _AT_FDCWD, os.fsencode(target), _RENAME_EXCHANGE) == 0)
