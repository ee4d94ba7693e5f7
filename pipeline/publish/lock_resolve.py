"""`lock resolve`: two branches that gave out the same numbers become one lock, the published side unchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.model.lock.model import Lock, create_empty_lock
from pipeline.model.lock.text import format_lock, parse_lock
from pipeline.model.paths import format_path
from pipeline.model.profile.load import load_profile
from pipeline.publish.lock_versions import SIDES, rebasing, sides
from pipeline.workspace import LOCK, lock_bytes, protos_folder
from postprocess.lock.compatibility import forgotten
from postprocess.lock.merge import Merged, merge_locks


def resolve_lock(name: str, out: Path | None, files: Sequence[Path], published: str | None) -> Iterator[str]:
    """Resolve a lock that a merge or rebase left in conflict, and write it.

    Args:
        name: of the profile.
        out: the folder of the result, None for the profile's own.
        files: base, ours and theirs, of which ours is written, as by a merge driver; none for the index of git.
        published: the side whose numbers stay, `ours` or `theirs`; if None, what is merged in or rebased onto.

    Yields:
        What was renumbered and left out, one line each.

    Raises:
        Failure: `lock/no-conflict`; `lock/…` of either side; `environment/no-git`; `output/not-written`.
    """
    if len(files) not in {0, len(SIDES)} or published not in {None, *SIDES[1:]}:
        message = "name three files, base, ours and theirs, or none; and `--published` ours or theirs"
        raise Failure(Diagnostic("usage/resolve", message, hint="see `spec2proto lock resolve --help`"))
    target = files[1] if files else protos_folder(load_profile(name), out) / LOCK
    texts = dict(zip(SIDES, map(lock_bytes, files), strict=True)) if files else sides(target)
    if "ours" not in texts or "theirs" not in texts:
        hint = "run it while a merge or rebase is under way, or name the three files"
        raise Failure(Diagnostic("lock/no-conflict", "the lock is not in conflict", Place(format_path(target)), hint))
    locks = {side: parse_lock(text, f"{format_path(target)} ({side})") for side, text in texts.items() if text.strip()}
    kept = published or ("ours" if files or rebasing(target) else "theirs")
    other = "ours" if kept == "theirs" else "theirs"
    base = locks.get("base", create_empty_lock(locks[kept].package))
    done = merge_locks(base, locks[kept], locks[other])
    _verify(done.lock, locks[kept], target, kept)
    try:
        target.write_text(format_lock(done.lock), encoding="utf-8")
    except OSError as error:
        place, hint = Place(format_path(target)), "give write access"
        diagnostic = Diagnostic("output/not-written", f"cannot write: {error.strerror}", place, hint)
        raise Failure(diagnostic, ExitCode.ENVIRONMENT) from None
    yield from _told(done, format_path(target), kept)


def _verify(lock: Lock, published: Lock, target: Path, side: str) -> None:
    """Read the result as any other lock, and hold it against the published side."""
    found = forgotten(published, parse_lock(format_lock(lock), format_path(target)), side)
    if found:
        raise Failure(found, ExitCode.REFUSED)


def _told(done: Merged, target: str, kept: str) -> Iterator[str]:
    for element, old, new in done.renumbered:
        yield f"renumbered  {element}: {old} is {new} now"
    for element in done.left_out:
        yield f"left out    {element}: the next build gives it its place"
    yield f"resolved    {target}: the numbers of {kept} stay; build again, then commit lock, protos and binding"
