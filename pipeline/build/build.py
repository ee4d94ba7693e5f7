"""One build: from what the user asked for to a promoted result, or a refusal that changed nothing."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.build.fingerprint import Stamp, inputs_digest, outputs_digest, read_stamp, write_stamp
from pipeline.build.limits import limited
from pipeline.build.promote import current, promote, recover
from pipeline.build.served_rpcs import read_served
from pipeline.build.worker import aside
from pipeline.fetch.specification import FetchedSpec, fetch_spec, find_mirror
from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place, Severity
from pipeline.model.document.located import gc_disabled
from pipeline.model.paths import ROOT, format_path
from pipeline.model.profile.load import load_profile
from pipeline.model.profile.profile import VERSION, Comments, Profile
from pipeline.workspace import lock_bytes, lock_file, protos_folder, read_lock, tidy, work_folder

if TYPE_CHECKING:
    from pipeline.build.inputs import Inputs
    from pipeline.build.reports import Written
    from pipeline.model.lock.model import Lock
    from pipeline.progress import Progress
    from postprocess.report.search_index import Schemas

STAMP = "stamp.json"


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for; None and empty mean what the profile says.

    `before` is the specification that the published result was made from, which the report then shows, too.
    """

    profile: str = "opensearch"
    spec: str | None = None
    out: Path | None = None
    lock: Path | None = None
    opensearch_version: str | None = None
    groups: tuple[str, ...] = ()
    comments: Comments | None = None
    check: bool = False
    before: str | None = None
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a build.

    Attributes:
        target: the folder of the result.
        spec: what was built from.
        changed: the files that differ from before; nothing was written under `--check`.
        report: the report as Markdown; empty where nothing had to be built.
        warnings: what to look at, though it refused nothing.
        data: the report as data; empty where nothing had to be built.
    """

    target: Path
    spec: FetchedSpec
    changed: tuple[str, ...]
    report: str
    warnings: tuple[Diagnostic, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)


class Refused(Failure):
    """A result that a check refused, with what it would have been.

    Attributes:
        files: of the result, by path.
        report: as Markdown.
        data: the report as data.
    """

    def __init__(self, diagnostics: list[Diagnostic], files: Mapping[str, bytes], written: Written) -> None:
        """Hold the result; it is published nowhere."""
        super().__init__(diagnostics, ExitCode.REFUSED)
        self.files = files
        self.report = written.markdown
        self.data = written.data


def requested_profile(request: Request) -> Profile:
    """The profile, with what the user asked for otherwise.

    Raises:
        Failure: `profile/…`.
    """
    profile = load_profile(request.profile)
    update: dict[str, object] = {}
    if request.opensearch_version:
        if not re.fullmatch(VERSION, request.opensearch_version):
            message = f"`{request.opensearch_version}` is no version"
            raise Failure(
                Diagnostic("profile/version", message, Place("--opensearch-version"), "write it as major.minor")
            )
        update["opensearch_version"] = request.opensearch_version
    if request.groups:
        update["scope"] = profile.scope.model_copy(update={"operation_groups": request.groups})
    return profile.model_copy(update=update)


def inputs_of(
    request: Request, profile: Profile, spec: FetchedSpec, locked: Callable[[], Lock] | None = None
) -> Inputs:
    """Everything a build is made from, not yet understood.

    Args:
        request: what the user asked for.
        profile: as `requested_profile` gives it.
        spec: as fetched.
        locked: gives the lock, if something else reads it.

    Raises:
        Failure: `profile/overlay`, `served/invalid`.
    """
    from pipeline.build.inputs import Inputs  # noqa: PLC0415 - the stages are heavy, and an unchanged build needs none

    return Inputs(
        profile=profile,
        spec=spec,
        locked=locked or (lambda: read_lock(profile, request.out, request.lock)),
        overlays=read_overlays(profile),
        comments=request.comments or profile.comments,
        environ=request.environ,
        servers=read_served(profile).servers,
        partial=bool(request.groups) or is_older(request.opensearch_version, load_profile(request.profile)),
    )


def is_older(version: str | None, profile: Profile) -> bool:
    """Whether a version is older than the one that a profile is for; what only the newer one has stays as published."""
    if version is None or profile.opensearch_version is None:
        return False
    return [int(part) for part in version.split(".")] < [int(part) for part in profile.opensearch_version.split(".")]


def fetch(request: Request, profile: Profile, progress: Progress) -> FetchedSpec:
    """The spec that the request or the profile names."""
    with progress.stage("fetch", "the specification"):
        own = request.spec is not None or profile.spec.file is not None
        mirror = None if own else find_mirror(request.environ, profile.spec.release)
        return fetch_spec(profile.spec, override=request.spec, mirror=mirror, max_bytes=profile.limits.spec_bytes)


def read_overlays(profile: Profile) -> dict[str, bytes]:
    """The profile's overlays, in order, by the path that diagnostics show.

    Raises:
        Failure: `profile/overlay`.
    """
    found = {}
    for name in profile.overlays:
        path = ROOT / "rules" / "overlays" / name
        try:
            found[format_path(path)] = path.read_bytes()
        except OSError as error:
            message = f"overlay `{name}`: {error.strerror}"
            hint = "name a file in rules/overlays"
            place = profile.locate_item("overlays", item=name)
            raise Failure(Diagnostic("profile/overlay", message, place, hint)) from None
    return found


def build(request: Request, progress: Progress) -> Outcome:
    """Build one profile.

    Raises:
        Failure: bad input (2), a refusing check (1) or a missing environment (3); nothing has changed then.
    """
    profile = requested_profile(request)
    target = protos_folder(profile, request.out)
    spec = fetch(request, profile, progress)
    with _work(request, profile) as work:
        if not request.check:
            recover(target)
        now = current(target)
        stamp = read_stamp(work_folder(profile) / STAMP)
        if stamp == Stamp(_digest(request, profile, spec), outputs_digest(now)):
            return Outcome(target, spec, (), "")
        try:
            return _build(request, profile, spec, now, work, progress)
        except OSError as error:
            place = Place(format_path(Path(error.filename)) if error.filename else format_path(work))
            message, hint = f"the system refused: {error.strerror or error}", "make room or give access, then try again"
            raise Failure(Diagnostic("environment/system", message, place, hint), ExitCode.ENVIRONMENT) from None


def _digest(request: Request, profile: Profile, spec: FetchedSpec) -> str:
    """The digest of all inputs as they are now."""
    lock = lock_file(profile, request.out, request.lock)
    parts = {"spec": spec.content, "profile": profile.model_dump_json().encode(), **read_overlays(profile)}
    parts["served"] = read_served(profile).model_dump_json().encode()
    parts["lock"] = lock_bytes(lock) if lock else b""
    options = (str(protos_folder(profile, request.out)), request.comments or profile.comments, *request.groups)
    return inputs_digest(parts, (*options, request.environ.get("SPEC2PROTO_GENERATOR_JAR", "")))


@contextmanager
def _work(request: Request, profile: Profile) -> Iterator[Path]:
    """The work folder: the profile's own, for one build at a time; a passing one under `--check`."""
    if request.check:
        with tempfile.TemporaryDirectory(prefix="spec2proto-") as passing:
            yield Path(passing)
        return
    from filelock import FileLock, Timeout  # noqa: PLC0415 - an unchanged check needs none

    folder = work_folder(profile)
    lock = FileLock(folder / ".lock", timeout=profile.limits.generator_seconds)
    place = Place(format_path(folder))
    try:
        tidy(folder)
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        hint = "wait for the other build to end"
        diagnostic = Diagnostic("environment/busy", "another build of this profile is running", place, hint)
        raise Failure(diagnostic, ExitCode.ENVIRONMENT) from None
    except OSError as error:
        diagnostic = Diagnostic("output/not-written", f"cannot write: {error.strerror}", place, "give write access")
        raise Failure(diagnostic, ExitCode.ENVIRONMENT) from None
    try:
        yield folder
    finally:
        lock.release()


@gc_disabled(freeze=True)
def _build(
    request: Request, profile: Profile, spec: FetchedSpec, now: dict[str, bytes], work: Path, progress: Progress
) -> Outcome:
    target = protos_folder(profile, request.out)
    with limited(profile.limits), aside(lambda: read_lock(profile, request.out, request.lock)) as locked:
        from pipeline.build.stages import run_stages  # noqa: PLC0415 - heavy, and an unchanged build needs none

        inputs = inputs_of(request, profile, spec, locked)
        inputs.before, inputs.earlier = now, lambda: _earlier(request, profile, work, now)
        built = run_stages(inputs, work, progress)
    from pipeline.build.reports import keep_schemas, write_reports  # noqa: PLC0415 - as above

    refused = [
        diagnostic for diagnostic in built.diagnostics if diagnostic.severity in {Severity.ERROR, Severity.DANGER}
    ]
    changed = tuple(sorted(name for name in {*now, *built.files} if now.get(name) != built.files.get(name)))
    written = write_reports(built.report, work)
    if refused:
        raise Refused(refused, built.files, written)
    if not request.check:
        with progress.stage("promote", "all files at once"):
            promote(built.files, target, expected=now)
            keep_schemas(built.report.pages, work)
            write_stamp(work / STAMP, Stamp(_digest(request, profile, spec), outputs_digest(built.files)))
    if request.check and changed:
        message = f"a build would change {len(changed)} of {len({*now, *built.files})} files: {', '.join(changed)}"
        place = Place(format_path(target))
        raise Failure(
            Diagnostic("check/stale", message, place, "run the build and commit the result"), ExitCode.REFUSED
        )
    warnings = tuple(
        sorted({diagnostic for diagnostic in built.diagnostics if diagnostic.severity is Severity.WARNING})
    )
    return Outcome(target, spec, changed, written.markdown, warnings, written.data)


def _earlier(request: Request, profile: Profile, work: Path, now: Mapping[str, bytes]) -> Schemas | None:
    """The schemas that the files of now were made from: those that the user names, else those of the last build."""
    from pipeline.build.previous_spec import earlier_schemas  # noqa: PLC0415 - as above
    from pipeline.build.reports import kept_schemas  # noqa: PLC0415 - as above

    if request.before is not None:
        spec = fetch_spec(profile.spec, override=request.before, mirror=None, max_bytes=profile.limits.spec_bytes)
        return earlier_schemas(spec, read_overlays(profile))
    stamp = read_stamp(work / STAMP)
    return kept_schemas(work) if stamp is not None and stamp.outputs == outputs_digest(now) else None
