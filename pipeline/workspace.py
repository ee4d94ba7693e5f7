"""The folders of results: `protos/` and `generated/` of the checkout, else of the current folder."""

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


def find_home() -> Path:
    """Return the folder that holds `protos/` and `generated/`."""
    return ROOT if (ROOT / "pyproject.toml").is_file() else Path.cwd()


def locate_protos(profile: Profile, out: Path | None) -> Path:
    """Return the folder of the result of a profile."""
    return out.resolve() if out is not None else find_home() / "protos" / profile.name


def locate_work_folder(profile: Profile) -> Path:
    """Return the work folder of a profile; everything in it can be made again."""
    return find_home() / "generated" / profile.name


def tidy_work_folder(folder: Path) -> None:
    """Remove files that have the name of a folder from a work folder, and folders that have the name of a file.

    A name that begins with a dot or has a suffix, such as `report.md`, is the name of a file.

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


def find_lock_file(profile: Profile, out: Path | None, named: Path | None = None) -> Path | None:
    """Find the lock of a build's start: of the result, of the profile, or its baseline; None if all are missing."""
    if named is not None:
        return named
    results = (locate_protos(profile, out) / LOCK, locate_protos(profile, None) / LOCK)
    candidates = (*results, BASELINES / f"{profile.name}.yaml")
    return next((path for path in candidates if path.is_file()), None)


def read_lock_bytes(path: Path) -> bytes:
    """Read the text of a lock.

    Raises:
        Failure: `lock/unreadable`.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        message, hint = f"not readable: {error.strerror}", "name the lock of an earlier result"
        raise Failure(Diagnostic("lock/unreadable", message, Place(format_path(path)), hint)) from None


def read_lock(profile: Profile, out: Path | None, named: Path | None = None) -> Lock:
    """Read the lock that a build begins with: the one that the user named, else that of `find_lock_file`.

    Raises:
        Failure: `lock/…`; `lock/package` if the lock belongs to another package than the profile.
    """
    path = find_lock_file(profile, out, named)
    if path is None:
        return create_empty_lock(profile.package)
    lock = parse_lock(read_lock_bytes(path), format_path(path))
    if profile.package not in {UNNAMED_PACKAGE, lock.package}:
        message = f"the lock `{format_path(path)}` is of package `{lock.package}`, the profile of `{profile.package}`"
        hint = "restore the package, or begin a new profile under another name"
        raise Failure(Diagnostic("lock/package", message, profile.locate("package"), hint))
    return lock
