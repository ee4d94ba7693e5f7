"""One build, from a request to a promoted result; a refused build changes nothing.

A build whose inputs and result have not changed ends before the stages are imported: they cost most of a second.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from pipeline.build.fingerprint import Stamp, digest_inputs, digest_outputs, read_stamp, write_stamp
from pipeline.build.inputs import Inputs, read_inputs, read_overlays, read_served
from pipeline.build.limits import limit_resources
from pipeline.build.promote import promote, read_result, recover
from pipeline.build.request import (
    Outcome,
    Refused,
    Request,
    fetch_previous_spec,
    fetch_requested_spec,
    requested_profile,
)
from pipeline.fetch.specification import FetchedSpec
from pipeline.file_lock import lock_folder
from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place, Severity
from pipeline.model.paths import format_path
from pipeline.model.profile.profile import Profile
from pipeline.progress import Progress
from pipeline.workspace import find_lock_file, locate_protos, locate_work_folder, read_lock_bytes, tidy_work_folder

STAMP = "stamp.json"
SCHEMAS = "schemas.json.gz"


def build(request: Request, progress: Progress) -> Outcome:
    """Build one profile.

    Raises:
        Failure: bad input (2), a refusing check (1) or a bad environment (3); nothing has changed then.
    """
    profile = requested_profile(request)
    target = locate_protos(profile, request.out)
    spec = fetch_requested_spec(request, profile, progress)
    with _open_work_folder(request, profile) as work:
        if not request.check:
            recover(target)
        published = read_result(target)
        stamp = read_stamp(locate_work_folder(profile) / STAMP)
        if stamp == Stamp(_digest_inputs(request, profile, spec), digest_outputs(published)):
            return Outcome(target, spec, (), "")
        try:
            return _build(request, profile, spec, published, work, progress)
        except OSError as error:
            place = Place(format_path(Path(error.filename)) if error.filename else format_path(work))
            message, hint = f"the system refused: {error.strerror or error}", "make room or give access, then try again"
            raise Failure(Diagnostic("environment/system", message, place, hint), ExitCode.ENVIRONMENT) from None


def _digest_inputs(request: Request, profile: Profile, spec: FetchedSpec) -> str:
    """Return the digest of all inputs as they are now."""
    lock = find_lock_file(profile, request.out, request.lock)
    parts = {"spec": spec.content, "profile": profile.model_dump_json().encode(), **read_overlays(profile)}
    parts["served"] = read_served(profile).model_dump_json().encode()
    parts["lock"] = read_lock_bytes(lock) if lock else b""
    options = (str(locate_protos(profile, request.out)), request.comments or profile.comments, *request.groups)
    return digest_inputs(parts, (*options, request.environ.get("SPEC2PROTO_GENERATOR_JAR", "")))


@contextmanager
def _open_work_folder(request: Request, profile: Profile) -> Iterator[Path]:
    """Lock the work folder of the profile for this build; `--check` gets a temporary folder instead.

    Raises:
        Failure: `environment/busy`, `output/not-written`.
    """
    if request.check:
        with tempfile.TemporaryDirectory(prefix="spec2proto-") as folder:
            yield Path(folder)
        return
    work = locate_work_folder(profile)
    place = Place(format_path(work))
    with ExitStack() as stack:
        try:
            tidy_work_folder(work)
            work.mkdir(parents=True, exist_ok=True)
            # A read-only folder can be locked; it is refused here, before the generator writes to it.
            tempfile.TemporaryFile(dir=work).close()
            stack.enter_context(lock_folder(work, profile.limits.generator_seconds))
        except TimeoutError:
            hint = "wait for the other build to end"
            diagnostic = Diagnostic("environment/busy", "another build of this profile is running", place, hint)
            raise Failure(diagnostic, ExitCode.ENVIRONMENT) from None
        except OSError as error:
            diagnostic = Diagnostic("output/not-written", f"cannot write: {error.strerror}", place, "give write access")
            raise Failure(diagnostic, ExitCode.ENVIRONMENT) from None
        yield work


def _build(
    request: Request,
    profile: Profile,
    spec: FetchedSpec,
    published: Mapping[str, bytes],
    work: Path,
    progress: Progress,
) -> Outcome:
    """Run the stages, then promote their result, or compare it with the published one for `--check`."""
    with limit_resources(profile.limits):
        inputs = _read_all_inputs(request, profile, spec, published, work)
        from pipeline.build.stages import run_stages  # noqa: PLC0415 - 0.6 s, which an unchanged build does not need

        result = run_stages(inputs, work, progress)
    files, report = result.encode_files(), result.report
    refusing = [item for item in result.diagnostics if item.severity in {Severity.ERROR, Severity.DANGER}]
    if refusing:
        raise Refused(refusing, files, report.markdown, report.data)
    target = locate_protos(profile, request.out)
    changed = tuple(sorted(name for name in {*published, *files} if published.get(name) != files.get(name)))
    if not request.check:
        with progress.stage("promote", "all files at once"):
            promote(files, target, expected=published)
            (work / SCHEMAS).write_bytes(report.schemas)
            write_stamp(work / STAMP, Stamp(_digest_inputs(request, profile, spec), digest_outputs(files)))
    elif changed:
        message = f"a build would change {len(changed)} of {len({*published, *files})} files: {', '.join(changed)}"
        place, hint = Place(format_path(target)), "run the build and commit the result"
        raise Failure(Diagnostic("check/stale", message, place, hint), ExitCode.REFUSED)
    warnings = tuple(sorted({item for item in result.diagnostics if item.severity is Severity.WARNING}))
    return Outcome(target, spec, changed, report.markdown, warnings, report.data)


def _read_all_inputs(
    request: Request, profile: Profile, spec: FetchedSpec, published: Mapping[str, bytes], work: Path
) -> Inputs:
    """Read the inputs, and find the schemas of the published result, which the report shows."""
    stamp = read_stamp(work / STAMP)
    return replace(
        read_inputs(request, profile, spec),
        published=published,
        previous_spec=fetch_previous_spec(request, profile),
        previous_schemas=work / SCHEMAS if stamp and stamp.outputs == digest_outputs(published) else None,
    )
