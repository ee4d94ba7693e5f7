"""Run `lock resolve`: merge the locks of two branches that assigned the same numbers; the published side stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.model.lock.model import Lock, create_empty_lock
from pipeline.model.lock.text import format_lock, parse_lock
from pipeline.model.paths import format_path
from pipeline.model.profile.load import load_profile
from pipeline.publish.lock_versions import SIDES, is_rebasing, read_merge_sides
from pipeline.workspace import LOCK, locate_protos, read_lock_bytes
from postprocess.lock.compatibility import compatibility_errors
from postprocess.lock.merge import MergedLock, merge_locks


def resolve_lock(name: str, out: Path | None, files: Sequence[Path], published: str | None) -> Iterator[str]:
    """Resolve a lock that a merge or rebase left in conflict, and write it.

    Args:
        name: the profile.
        out: the folder of the result; None for the profile's own.
        files: base, ours and theirs, of which ours is written, as for a merge driver; none for the index of git.
        published: the side whose numbers stay, `ours` or `theirs`; if None, what is merged in or rebased onto.

    Yields:
        A line for each element that was renumbered or left out.

    Raises:
        Failure: `lock/no-conflict`; `lock/…` of either side; `environment/no-git`; `output/not-written`.
    """
    if len(files) not in {0, len(SIDES)} or published not in {None, *SIDES[1:]}:
        message = "name three files, base, ours and theirs, or none; and `--published` ours or theirs"
        raise Failure(Diagnostic("usage/resolve", message, hint="see `spec2proto lock resolve --help`"))
    target = files[1] if files else locate_protos(load_profile(name), out) / LOCK
    locks = _read_sides(target, files)
    side = published or ("ours" if files or is_rebasing(target) else "theirs")
    other = "ours" if side == "theirs" else "theirs"
    base = locks.get("base", create_empty_lock(locks[side].package))
    merged = merge_locks(base, locks[side], locks[other])
    # Parsed again, because the next build must be able to read it.
    errors = compatibility_errors(locks[side], parse_lock(format_lock(merged.lock), format_path(target)), side)
    if errors:
        raise Failure(errors, ExitCode.REFUSED)
    try:
        target.write_text(format_lock(merged.lock), encoding="utf-8")
    except OSError as error:
        place, hint = Place(format_path(target)), "give write access"
        diagnostic = Diagnostic("output/not-written", f"cannot write: {error.strerror}", place, hint)
        raise Failure(diagnostic, ExitCode.ENVIRONMENT) from None
    yield from _describe_merge(merged, format_path(target), side)


def _read_sides(target: Path, files: Sequence[Path]) -> dict[str, Lock]:
    """Return the locks of base, ours and theirs; an empty base is missing."""
    texts = dict(zip(SIDES, map(read_lock_bytes, files), strict=True)) if files else read_merge_sides(target)
    if "ours" not in texts or "theirs" not in texts:
        hint = "run it while a merge or rebase is in progress, or name the three files"
        raise Failure(Diagnostic("lock/no-conflict", "the lock is not in conflict", Place(format_path(target)), hint))
    if not texts.get("base", b"").strip():
        texts.pop("base", None)
    return {side: parse_lock(text, f"{format_path(target)} ({side})") for side, text in texts.items()}


def _describe_merge(merged: MergedLock, target: str, side: str) -> Iterator[str]:
    for element, old, new in merged.renumbered:
        yield f"renumbered  {element}: {old} is {new} now"
    for element in merged.left_out:
        yield f"left out    {element}: the next build gives it its place"
    yield f"resolved    {target}: the numbers of {side} stay; build again, then commit lock, protos and binding"
