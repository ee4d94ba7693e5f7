"""Versions of a lock in version control: what was published, and the sides of a merge.

A commit may be rebuilt before it is released, so what counts is the version on the branch that a change goes to, and
that of each tag before it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.model.paths import format_path

# The stages of a file in the index during a merge (gitrevisions, `:<n>:<path>`).
SIDES = ("base", "ours", "theirs")


def _git(folder: Path, *arguments: str) -> bytes | None:
    """What a git command prints; None where it fails.

    Raises:
        Failure: `environment/no-git`.
    """
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],  # noqa: S607 - git is found by its name
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        diagnostic = Diagnostic("environment/no-git", "git is not installed", hint="install git, or name files instead")
        raise Failure(diagnostic, ExitCode.ENVIRONMENT) from None
    return done.stdout if done.returncode == 0 else None


def is_tracked(path: Path) -> bool:
    """Whether a file is in a repository, and known to it."""
    return path.parent.is_dir() and bool(_git(path.parent, "ls-files", "--", path.name))


def published(path: Path, ref: str) -> Iterator[tuple[str, bytes]]:
    """The version of a file at a commit, then those at the tags before it, newest first, each with its name.

    Args:
        path: the file.
        ref: the commit, branch or tag.

    Raises:
        Failure: `history/unknown` when there is no such commit.
    """
    folder = path.parent
    if _git(folder, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}") is None:
        hint = "fetch it first, or name a commit, a branch or a tag that is there"
        raise Failure(Diagnostic("history/unknown", f"no commit `{ref}` here", Place(format_path(path)), hint))
    tags = _git(folder, "tag", "--merged", ref, "--sort=-creatordate") or b""
    seen: set[bytes] = set()
    for name in [ref, *tags.decode().split()]:
        blob = _git(folder, "rev-parse", "--verify", "--quiet", f"{name}:./{path.name}")
        if blob is not None and blob not in seen:
            seen.add(blob)
            yield name, _git(folder, "cat-file", "blob", blob.decode().strip()) or b""


def sides(path: Path) -> dict[str, bytes]:
    """The sides of a merge that left a file in conflict: base, ours and theirs, as far as they have it."""
    found = {}
    for stage, side in enumerate(SIDES, start=1):
        content = _git(path.parent, "show", f":{stage}:./{path.name}")
        if content is not None:
            found[side] = content
    return found


def rebasing(path: Path) -> bool:
    """Whether a rebase is under way, in which `ours` is the branch that commits are put on (git-rebase)."""
    folders = [_git(path.parent, "rev-parse", "--git-path", name) for name in ("rebase-merge", "rebase-apply")]
    return any(found is not None and (path.parent / found.decode().strip()).is_dir() for found in folders)
