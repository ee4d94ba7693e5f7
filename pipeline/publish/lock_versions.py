"""Read the versions of a lock from version control: the published ones, and the sides of a merge.

Unreleased commits may still change. Published is therefore the version on the branch that a change goes to, and the
version at each tag before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pipeline.model.diagnostics import Diagnostic, Failure, Place
from pipeline.model.paths import format_path
from pipeline.publish.git import Git

# The stages of a file in the index during a merge (gitrevisions, `:<n>:<path>`).
SIDES = ("base", "ours", "theirs")


def is_tracked(path: Path) -> bool:
    """Return whether a file is in a repository and tracked there."""
    return path.parent.is_dir() and bool(Git(path.parent).read("ls-files", "--", path.name))


def read_published_versions(path: Path, ref: str) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of a file at a commit, branch or tag, then at the tags before it, newest first.

    Equal contents are yielded once.

    Raises:
        Failure: `history/unknown` if there is no such commit.
    """
    git = Git(path.parent)
    if git.read("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}") is None:
        hint = "fetch it first, or name a commit, a branch or a tag of this repository"
        raise Failure(Diagnostic("history/unknown", f"no commit `{ref}` here", Place(format_path(path)), hint))
    tags = git.read("tag", "--merged", ref, "--sort=-creatordate") or b""
    blobs: set[bytes] = set()
    for name in [ref, *tags.decode().split()]:
        blob = git.read("rev-parse", "--verify", "--quiet", f"{name}:./{path.name}")
        if blob is not None and blob not in blobs:
            blobs.add(blob)
            yield name, git.read("cat-file", "blob", blob.decode().strip()) or b""


def read_merge_sides(path: Path) -> dict[str, bytes]:
    """Return base, ours and theirs of a file in conflict; a side without the file is missing."""
    git = Git(path.parent)
    contents = {side: git.read("show", f":{stage}:./{path.name}") for stage, side in enumerate(SIDES, start=1)}
    return {side: content for side, content in contents.items() if content is not None}


def is_rebasing(path: Path) -> bool:
    """Return whether a rebase is in progress; `ours` is then the branch rebased onto (git-rebase)."""
    git = Git(path.parent)
    folders = [git.read("rev-parse", "--git-path", name) for name in ("rebase-merge", "rebase-apply")]
    return any(folder is not None and (path.parent / folder.decode().strip()).is_dir() for folder in folders)
