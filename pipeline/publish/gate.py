"""The gate of every change of a result: compare protos and binding with their lock, and the lock with earlier ones.

`spec2proto check` and `spec2proto review` both call it. It builds nothing, so hand edits are refused as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.model.document.located import locate_path, read_document
from pipeline.model.lock.model import Lock
from pipeline.model.lock.text import parse_lock
from pipeline.model.paths import format_path
from pipeline.model.profile.load import load_profile
from pipeline.model.profile.profile import Profile
from pipeline.model.profile.renames_and_acceptances import Acceptance, PendingAcceptances
from pipeline.publish.lock_versions import is_tracked, read_published_versions
from pipeline.workspace import BASELINES, BINDING, LOCK, locate_protos, read_lock_bytes
from postprocess.checks.binding import check_binding
from postprocess.lock.acceptances import apply_acceptances, apply_accepted_rpcs, find_new_acceptances
from postprocess.lock.compatibility import compatibility_errors_of_all
from postprocess.lock.descriptors import descriptors_of_lock
from postprocess.lock.verify import check_lock
from postprocess.tools.buf import breaking_policy, find_breaking_changes
from postprocess.tools.proto_folder import copy_protos
from postprocess.tools.protoc import compile_folder


@dataclass(frozen=True, slots=True)
class EarlierLock:
    """A published lock and its name: a commit, a tag or a file."""

    name: str
    lock: Lock


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a build as it is in its folder.

    Attributes:
        profile: its profile.
        folder: the folder with protos, binding and lock.
        lock_text: the content of the lock file.
        lock: the parsed lock.
    """

    profile: Profile
    folder: Path
    lock_text: bytes
    lock: Lock


def check_result(name: str, out: Path | None, against: str | None) -> str:
    """Run the command `check` for a profile and return the line that it prints.

    Args:
        name: the profile.
        out: the folder of the result; None for the profile's own.
        against: the commit, branch or tag whose lock is published, as are those of all tags before it; or a lock file.
            None for HEAD.

    Raises:
        Failure: `lock/differs`, `output/binding`, `history/…`, `buf/…` (1); what `load_result` and
            `read_earlier_locks` raise.
    """
    result = load_result(load_profile(name), out)
    earlier = list(read_earlier_locks(result, against))
    errors = find_errors(result, earlier)
    if errors:
        raise Failure(errors, ExitCode.REFUSED)
    numbers = sum(len(message.fields) for message in result.lock.messages.values())
    compared = f"{len(earlier)} earlier lock{'' if len(earlier) == 1 else 's'}"
    return f"{format_path(result.folder)} equals its lock, {numbers} numbers, and is compatible with {compared}"


def load_result(profile: Profile, out: Path | None) -> Result:
    """Read the result of a profile.

    Raises:
        Failure: `lock/missing`, and what `parse_lock` raises.
    """
    folder = locate_protos(profile, out)
    path = folder / LOCK
    if not path.is_file():
        hint = "restore it from version control; it is the only record of the published numbers"
        raise Failure(Diagnostic("lock/missing", "the protos have no lock", Place(format_path(path)), hint))
    text = read_lock_bytes(path)
    return Result(profile, folder, text, parse_lock(text, format_path(path)))


def read_earlier_locks(result: Result, against: str | None) -> Iterator[EarlierLock]:
    """Yield the published locks: those in version control, newest first, then the baseline of the profile.

    `against` is as in `check_result`.

    Raises:
        Failure: `history/unknown` for an unknown commit, and what `parse_lock` raises.
    """
    path = result.folder / LOCK
    if against is not None and Path(against).is_file():
        yield EarlierLock(against, parse_lock(read_lock_bytes(Path(against)), against))
    elif against is not None or is_tracked(path):
        for ref, text in read_published_versions(path, against or "HEAD"):
            yield EarlierLock(ref, parse_lock(text, f"{ref}:{format_path(path)}"))
    baseline = BASELINES / f"{result.profile.name}.yaml"
    if baseline.is_file():
        yield EarlierLock(format_path(baseline), parse_lock(read_lock_bytes(baseline), format_path(baseline)))


def find_errors(result: Result, earlier: list[EarlierLock]) -> list[Diagnostic]:
    """Return everything that refuses a result; of the earlier locks, buf compares with the first, the newest one.

    Raises:
        Failure: what `compile_folder` raises.
    """
    descriptors = compile_folder(result.folder, result.profile.name)
    differences = check_lock(descriptors, result.lock) + _find_breaking_changes(result, earlier)
    history = compatibility_errors_of_all(((item.name, item.lock) for item in earlier), result.lock)
    binding = _check_binding_file(result, descriptors)
    return sorted({*_locate_in_folder(differences, result), *_locate_in_lock(history, result), *binding})


def _locate_in_folder(diagnostics: Iterable[Diagnostic], result: Result) -> Iterator[Diagnostic]:
    """Yield diagnostics of proto files with paths that begin with the folder of the result."""
    for diagnostic in diagnostics:
        file = format_path(result.folder / diagnostic.place.file)
        yield replace(diagnostic, place=diagnostic.place._replace(file=file))


def _locate_in_lock(diagnostics: list[Diagnostic], result: Result) -> Iterator[Diagnostic]:
    """Yield diagnostics with file and line for their JSON pointers into the lock."""
    if not diagnostics:
        return
    document = read_document(result.lock_text, format_path(result.folder / LOCK), exact=True)
    for diagnostic in diagnostics:
        parts = diagnostic.place.pointer.split("/")[1:]
        place = locate_path(document, [int(part) if part.isdigit() else part for part in parts])
        yield replace(diagnostic, place=place)


def _check_binding_file(result: Result, descriptors: FileDescriptorSet) -> list[Diagnostic]:
    path = result.folder / BINDING
    name = format_path(path)
    try:
        binding = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        hint = "restore it from version control, or build again"
        return [Diagnostic("output/binding", f"the binding cannot be read: {reason}", Place(name), hint)]
    contract = FileDescriptorSet(file=[file for file in descriptors.file if file.name in result.lock.files])
    return [replace(item, place=Place(name, pointer=item.place.pointer)) for item in check_binding(contract, binding)]


def _find_breaking_changes(result: Result, earlier: list[EarlierLock]) -> list[Diagnostic]:
    """Return the breaking changes that buf finds since the newest earlier lock and that are not accepted."""
    if not earlier:
        return []
    base = earlier[0].lock
    against = descriptors_of_lock(apply_accepted_rpcs(base, result.lock))
    recorded = find_new_acceptances(base, result.lock)
    accepted = [Acceptance(code=item.code, element=item.element, reason=item.reason) for item in recorded]
    with copy_protos(result.folder) as protos:
        changes = find_breaking_changes(protos, against, *breaking_policy(result.profile.breaking))
    return apply_acceptances(changes, PendingAcceptances(accepted, ()))[0]
