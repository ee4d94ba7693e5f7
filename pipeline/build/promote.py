"""Promote a result atomically: its folder changes as a whole or not at all, even if the process is killed.

The new folder is written beside the old one and synced to disk; then one system call exchanges the two. A system
without that call needs two renames, the first of which backs up the old folder. If the second one is missing, the next
build restores the backup. A lock admits one process at a time, and a build replaces only the result it began with.
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
BACKUP = ".aside"
_REBUILD_HINT = "build again, so that the numbers of both are kept"
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def recover(target: Path) -> None:
    """Restore what a killed build left beside a target: rename the backup to the target, and remove a staged folder."""
    if target.parent.is_dir():
        with lock_folder(target.parent):
            _recover(target)


def _recover(target: Path) -> None:
    backup, staged = _name_sibling(target, BACKUP), _name_sibling(target, STAGED)
    if backup.exists() and not target.exists():
        backup.rename(target)
    for path in (backup, staged):
        if path.exists():
            remove_path(path)


def _name_sibling(target: Path, suffix: str) -> Path:
    return target.with_name(f".{target.name}{suffix}")


def read_result(target: Path) -> dict[str, bytes]:
    """Return the files of a result by their path in the folder; empty if there is no result."""
    if not target.is_dir():
        return {}
    return {str(path.relative_to(target)): path.read_bytes() for path in sorted(target.rglob("*")) if path.is_file()}


def promote(files: Mapping[str, bytes], target: Path, expected: Mapping[str, bytes] | None = None) -> bool:
    """Replace the content of a folder by these files, and return whether anything changed.

    `expected` are the files of the folder when the build began; None accepts any.

    Raises:
        Failure: `output/not-written` if the folder cannot be written, `output/changed` if it no longer holds the
            expected files; the folder then stays as it was.
    """
    if read_result(target) == dict(files):
        return False
    staged = _name_sibling(target, STAGED)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with lock_folder(target.parent):
            _recover(target)
            _write_files(files, staged)
            _check_unchanged(target, expected)
            _replace_folder(staged, target)
            _remove_quietly(staged)
    except OSError as error:
        _remove_quietly(staged)
        message, hint = f"cannot write the result: {error.strerror}", "make room or give write access, then build again"
        diagnostic = Diagnostic("output/not-written", message, Place(str(target)), hint)
        raise Failure(diagnostic, ExitCode.ENVIRONMENT) from None
    return True


def _check_unchanged(target: Path, expected: Mapping[str, bytes] | None) -> None:
    """Refuse to replace a result that changed during the build: the new lock would lack the numbers of that change."""
    if expected is None or read_result(target) == dict(expected):
        return
    _remove_quietly(_name_sibling(target, STAGED))
    message = "something else changed the result while this build ran"
    raise Failure(Diagnostic("output/changed", message, Place(str(target)), _REBUILD_HINT), ExitCode.ENVIRONMENT)


def _remove_quietly(path: Path) -> None:
    """Remove a path; the next build removes it if this fails."""
    with contextlib.suppress(OSError):
        remove_path(path)


def _write_files(files: Mapping[str, bytes], folder: Path) -> None:
    for name, content in sorted(files.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as output:
            output.write(content)
            output.flush()
            os.fsync(output.fileno())
    for path in [folder, *(path for path in folder.rglob("*") if path.is_dir())]:
        _sync_folder(path)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _replace_folder(staged: Path, target: Path) -> None:
    if not target.exists():
        staged.rename(target)
    elif not _swap_folders(staged, target):
        backup = _name_sibling(target, BACKUP)
        target.rename(backup)
        staged.rename(target)
        _remove_quietly(backup)
    _sync_folder(target.parent)


def _swap_folders(staged: Path, target: Path) -> bool:
    """Exchange two folders with the Linux call `renameat2`; return False if the system lacks it."""
    if not sys.platform.startswith("linux"):
        return False
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return False
    return bool(call(_AT_FDCWD, os.fsencode(staged), _AT_FDCWD, os.fsencode(target), _RENAME_EXCHANGE) == 0)
