"""The gate on every change of a result: what a folder holds against its lock, and that against all that came before.

Nothing is built and nothing is written: whoever changed the folder, and however, a number that has ever been published
must still mean what it meant.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place, Severity
from pipeline.model.document.located import locate_path, read_document
from pipeline.model.lock.model import Lock
from pipeline.model.lock.text import parse_lock
from pipeline.model.paths import format_path
from pipeline.model.profile.load import load_profile
from pipeline.model.profile.profile import Profile
from pipeline.model.profile.renames_and_acceptances import Acceptance, PendingAcceptances
from pipeline.publish.lock_versions import is_tracked, published
from pipeline.workspace import BASELINES, BINDING, LOCK, lock_bytes, protos_folder
from postprocess.checks.binding import check_binding
from postprocess.lock.acceptances import let_through, with_accepted
from postprocess.lock.compatibility import forgotten_of_any
from postprocess.lock.descriptors import lock_image
from postprocess.lock.verify import check_lock
from postprocess.tools.buf import breaking
from postprocess.tools.protoc import compile_folder


@dataclass(frozen=True, slots=True)
class Earlier:
    """One earlier lock, and what it is called."""

    name: str
    lock: Lock


def check_result(name: str, out: Path | None, against: str | None) -> str:
    """Check what a profile's folder holds.

    Args:
        name: of the profile.
        out: the folder of the result, None for the profile's own.
        against: the commit, branch or tag whose lock is published, as are those of all tags before it; or a lock's
            file. Without it that is what is committed.

    Returns:
        What was compared, in one line.

    Raises:
        Failure: `lock/differs`, `output/binding`, `history/…`, `buf/…` (1); as `compile_folder` and `parse_lock` raise.
    """
    profile = load_profile(name)
    folder = protos_folder(profile, out)
    path = folder / LOCK
    if not path.is_file():
        hint = "restore it from version control; without it nothing knows which numbers were given"
        raise Failure(Diagnostic("lock/missing", "the protos have no lock", Place(format_path(path)), hint))
    text = lock_bytes(path)
    lock = parse_lock(text, format_path(path))
    descriptors = compile_folder(folder, profile.name)
    earlier = list(_earlier(profile, path, against))
    diagnostics = check_lock(descriptors, lock) + _binding(folder / BINDING, descriptors, lock)
    diagnostics += _located(forgotten_of_any(((item.name, item.lock) for item in earlier), lock), text, path)
    diagnostics += _breaking(folder, profile, lock, earlier)
    if diagnostics:
        raise Failure(diagnostics, ExitCode.REFUSED)
    numbers = sum(len(message.fields) for message in lock.messages.values())
    compared = f"{len(earlier)} earlier lock{'' if len(earlier) == 1 else 's'}"
    return f"{format_path(folder)} is what its lock says, {numbers} numbers, and keeps what {compared} gave"


def _earlier(profile: Profile, path: Path, against: str | None) -> Iterator[Earlier]:
    """All earlier locks: those in version control, newest first, and the baseline."""
    if against is not None and Path(against).is_file():
        yield Earlier(against, parse_lock(lock_bytes(Path(against)), against))
    elif against is not None or is_tracked(path):
        for ref, text in published(path, against or "HEAD"):
            yield Earlier(ref, parse_lock(text, f"{ref}:{format_path(path)}"))
    baseline = BASELINES / f"{profile.name}.yaml"
    if baseline.is_file():
        yield Earlier(format_path(baseline), parse_lock(lock_bytes(baseline), format_path(baseline)))


def _located(diagnostics: Iterator[Diagnostic], text: bytes, path: Path) -> list[Diagnostic]:
    """The diagnostics with file and line for their pointers into the lock."""
    listed = list(diagnostics)
    if not listed:
        return []
    document = read_document(text, format_path(path), exact=True)
    places = [locate_path(document, _parts(diagnostic.place.pointer)) for diagnostic in listed]
    return [replace(diagnostic, place=place) for diagnostic, place in zip(listed, places, strict=True)]


def _parts(pointer: str) -> list[str | int]:
    return [int(part) if part.isdigit() else part for part in pointer.split("/")[1:]]


def _binding(path: Path, descriptors: FileDescriptorSet, lock: Lock) -> list[Diagnostic]:
    """What the binding names and the protos do not have."""
    shown = format_path(path)
    try:
        binding = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        hint = "restore it from version control, or build again"
        return [Diagnostic("output/binding", f"the binding cannot be read: {why}", Place(shown), hint)]
    own = FileDescriptorSet(file=[file for file in descriptors.file if file.name in lock.files])
    return [
        replace(diagnostic, place=Place(shown, pointer=diagnostic.place.pointer))
        for diagnostic in check_binding(own, binding)
    ]


def _breaking(folder: Path, profile: Profile, lock: Lock, earlier: list[Earlier]) -> list[Diagnostic]:
    """What buf finds against the newest earlier lock, less what has been accepted since."""
    if not earlier:
        return []
    base = earlier[0].lock
    against = lock_image(with_accepted(base, lock))
    since = [
        Acceptance(code=item.code, element=item.element, reason=item.reason)
        for item in lock.accepted
        if item not in base.accepted
    ]
    with tempfile.TemporaryDirectory(prefix="spec2proto-") as work:
        copy = Path(work) / "protos"
        for source in sorted(folder.rglob("*.proto")):
            target = copy / source.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
        found = breaking(copy, against, (profile.breaking, Severity.ERROR), ("WIRE_JSON", Severity.DANGER))
    return let_through(found, PendingAcceptances(since, ()))[0]
