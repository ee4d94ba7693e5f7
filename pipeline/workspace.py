"""Where results live: `protos/` and `generated/` of the checkout, or of the current folder where there is none."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from pipeline.model.diagnostics import Diagnostic, Failure, Place
from pipeline.model.lock.model import Lock, create_empty_lock
from pipeline.model.lock.text import parse_lock
from pipeline.model.paths import ROOT, format_path
from pipeline.model.profile.profile import UNNAMED_PACKAGE, Profile

LOCK = "lock.yaml"
BINDING = "binding.json"
BASELINES = ROOT / "rules" / "baselines"


def home() -> Path:
    """The folder that holds `protos/` and `generated/`."""
    return ROOT if (ROOT / "pyproject.toml").is_file() else Path.cwd()


def protos_folder(profile: Profile, out: Path | None) -> Path:
    """Where the result of a profile goes."""
    return out.resolve() if out is not None else home() / "protos" / profile.name


def work_folder(profile: Profile) -> Path:
    """Where what can be made again goes."""
    return home() / "generated" / profile.name


def tidy(folder: Path) -> None:
    """Remove what stands in the way in a work folder: files in the place of folders, and the other way round.

    All that a build writes there can be made again; what is named like a file (`.lock`, `report.md`) is one.

    Raises:
        OSError: as the system raises it.
    """
    if folder.is_dir():
        for entry in list(folder.iterdir()):
            if entry.is_dir() == (entry.name.startswith(".") or entry.suffix[1:].isalpha()):
                remove_path(entry)
    else:
        remove_path(folder)


def remove_path(path: Path) -> None:
    """Remove a file, a link, or a folder with all that is in it, read-only folders included.

    Raises:
        OSError: as the system raises it.
    """
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    for folder, _, _ in os.walk(path):
        if not os.access(folder, os.W_OK | os.X_OK):
            Path(folder).chmod(stat.S_IRWXU)
    shutil.rmtree(path)


def lock_file(profile: Profile, out: Path | None, named: Path | None = None) -> Path | None:
    """The lock that a build begins with: the result's own, the profile's, or its baseline; None for an empty one."""
    if named is not None:
        return named
    candidates = [
        protos_folder(profile, out) / LOCK,
        protos_folder(profile, None) / LOCK,
        BASELINES / f"{profile.name}.yaml",
    ]
    return next((path for path in candidates if path.is_file()), None)


def lock_bytes(path: Path) -> bytes:
    """The lock as it stands in its file.

    Raises:
        Failure: `lock/unreadable`.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        message, hint = f"not readable: {error.strerror}", "name the lock of an earlier result"
        raise Failure(Diagnostic("lock/unreadable", message, Place(format_path(path)), hint)) from None


def read_lock(profile: Profile, out: Path | None, named: Path | None = None) -> Lock:
    """The lock that a build begins with.

    Args:
        profile: for its package.
        out: the folder of the result, None for the profile's own.
        named: the lock that the user named, if any.

    Raises:
        Failure: `lock/…`; `lock/package` when it is of another package than the profile's.
    """
    path = lock_file(profile, out, named)
    if path is None:
        return create_empty_lock(profile.package)
    lock = parse_lock(lock_bytes(path), format_path(path))
    if profile.package not in {UNNAMED_PACKAGE, lock.package}:
        message = f"the lock `{format_path(path)}` is of package `{lock.package}`, the profile of `{profile.package}`"
        hint = "restore the package, or begin a new profile under another name"
        raise Failure(Diagnostic("lock/package", message, profile.locate("package"), hint))
    return lock
