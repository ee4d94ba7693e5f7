"""The stages of a build, in order; `run_stages` is the pipeline.

Each stage is given what the one before it made. Nothing is written outside the work folder: what is to be published
comes back as bytes, and `pipeline.build` promotes it.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.ahead import DescriptorChecks
from pipeline.assemble import assemble, parse_fragments
from pipeline.fetch import FetchedSpec
from pipeline.generator import Generation, canonical_text, generating
from pipeline.model.changes import Accepting
from pipeline.model.findings import Failure, Finding, Severity
from pipeline.model.located import Mapping as Located
from pipeline.model.located import lookup, read_document
from pipeline.model.lock import Lock
from pipeline.model.lock_text import lock_text
from pipeline.model.package import completed
from pipeline.model.profile import Comments, Profile
from pipeline.progress import Progress
from pipeline.stamp import tool_versions
from pipeline.swagger import as_openapi
from pipeline.workspace import BINDING, LOCK
from postprocess.accepted import let_through, unused, with_accepted
from postprocess.atlas import Material
from postprocess.binding import binding_text
from postprocess.buf import breaking, lint
from postprocess.compatibility import compatibility
from postprocess.coverage import Coverage
from postprocess.coverage_report import coverage_lines
from postprocess.foreseen import as_foreseen
from postprocess.http_check import check_http
from postprocess.lock_check import check_lock
from postprocess.lock_image import lock_image
from postprocess.protoc import compile_protos
from postprocess.report import Report
from postprocess.round_trip import Trips
from postprocess.round_trip_report import round_trip_lines
from postprocess.validate_check import check_options
from postprocess.validate_options import with_options
from preprocess.canonical import canonical_spec
from preprocess.run import Preprocessed, preprocess
from preprocess.swagger import is_swagger
from preprocess.texts import snake
from preprocess.version_marks import version_marks

DEEPEST = 10_000


@dataclass
class Inputs:
    """What a build is made from; `locked` reads the lock when it is asked for; `servers` answer the rpcs named."""

    profile: Profile
    spec: FetchedSpec
    locked: Callable[[], Lock]
    overlays: dict[str, bytes]
    comments: Comments
    environ: Mapping[str, str]
    partial: bool = False
    servers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def lock(self) -> Lock:
        """What was published."""
        return self.locked()


@dataclass(slots=True)
class Built:
    """What the stages made: the files to publish, the report, the canonical spec."""

    files: dict[str, bytes]
    report: Report
    canonical: dict[str, Any]
    findings: list[Finding] = field(default_factory=list)


def run_preprocess(inputs: Inputs, work: Path, progress: Progress) -> Preprocessed:
    """Read, convert from Swagger 2.0 where it is that, and preprocess.

    Args:
        inputs: what to build from.
        work: the folder where the converter may work.
        progress: told of each stage.

    Raises:
        Failure: bad input, with its place in the spec; bad environment, where a Swagger document needs Java.
    """
    return _preprocess(inputs, *_read(inputs, work, progress), progress)


def _read(inputs: Inputs, work: Path, progress: Progress) -> tuple[Located, list[Located]]:
    """The specification, as OpenAPI, and the overlays."""
    with progress.stage("read", f"{len(inputs.spec.content) / 1e6:.1f} MB from {inputs.spec.origin}"[:58]):
        limits = inputs.profile.limits
        name = document_name(inputs.spec)
        document = read_document(inputs.spec.content, name, deepest=limits.nesting, most=limits.values)
        overlays = [read_document(text, name) for name, text in inputs.overlays.items()]
    if is_swagger(document):
        with progress.stage("convert", "Swagger 2.0 to OpenAPI 3, swagger-parser"):
            document = as_openapi(document, work, inputs.profile.limits, inputs.environ)
    return document, overlays


def _preprocess(inputs: Inputs, document: Located, overlays: list[Located], progress: Progress) -> Preprocessed:
    with progress.stage("preprocess", "scope, versions, composition, unions, names, numbers"):
        published = inputs.lock.package if inputs.lock.messages else None
        inputs.profile = completed(inputs.profile, title_words(document), published)
        if published is None:
            inputs.lock = inputs.lock.model_copy(update={"package": inputs.profile.package})
        return preprocessed(document, inputs, overlays)


def preprocessed(document: Located, inputs: Inputs, overlays: list[Located]) -> Preprocessed:
    """Preprocess with room for schemas that lead to one another many times over; each step takes a few frames."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEPEST))
    try:
        return preprocess(document, inputs.profile, inputs.lock, overlays, partial=inputs.partial)
    except RecursionError:
        hint = "leave some of them out of the profile's scope"
        message = "its schemas lead to one another too many times over"
        raise Failure(Finding("spec/too-deep", message, document.place, hint)) from None
    finally:
        sys.setrecursionlimit(limit)


def document_name(spec: FetchedSpec) -> str:
    """What places in the spec are named after: a file's path, else the name of the asset."""
    return spec.origin if spec.how == "file" else spec.origin.rpartition("/")[2]


def title_words(document: Mapping[str, Any]) -> str:
    """The spec's title in snake case, from its first letter on."""
    info = document.get("info")
    title = info.get("title") if isinstance(info, dict) else None
    return snake(str(title or "")).lstrip("0123456789_")


def run_stages(inputs: Inputs, work: Path, progress: Progress) -> Built:
    """Run all stages.

    Args:
        inputs: what to build from.
        work: the folder for what can be made again; this build has it for itself.
        progress: told of each stage.

    Raises:
        Failure: bad input or environment. What a check refuses is in the report's findings.
    """
    read = _read(inputs, work, progress)
    # While the specification is read, the lock is, too; from here on there is a processor for the generator.
    with generating(work, inputs.profile.limits, inputs.environ) as generation:
        return _run(inputs, _preprocess(inputs, *read, progress), work, progress, generation)


def _run(inputs: Inputs, done: Preprocessed, work: Path, progress: Progress, generation: Generation) -> Built:
    profile = inputs.profile
    progress.detail(
        f"{len(done.contract.messages)} messages, {len(done.contract.enums)} enums, {len(done.events)} changes"
    )
    progress.detail(f"{len(done.contract.exclusions)} places left out by rules")
    foreseen = DescriptorChecks(done, profile)
    with foreseen.trying():
        if profile.constraints == "protovalidate":
            with progress.stage("constrain", "constraints as options of protovalidate"):
                done.contract = with_options(done.contract, foreseen.beside.plan)
        canonical = canonical_spec(done.contract, done.services, profile, inputs.comments)
        with progress.stage("generate", f"OpenAPI Generator, {len(canonical['components']['schemas'])} schemas"):
            generation.give(canonical)
            files = {LOCK: lock_text(done.lock), BINDING: binding_text(canonical, profile.package)}
            (work / "canonical.json").write_text(canonical_text(canonical), encoding="utf-8")
            matrix = compatibility(done.contract, done.lock, version_marks(done.document), inputs.servers)
            _ = foreseen.coverage, foreseen.descriptors  # while the generator works, there is time for them
            texts = generation.texts()
        with progress.stage("assemble", "proto files"):
            files |= assemble(parse_fragments(texts), done.contract, done.services, profile)
        with progress.stage("check", "protoc, lock, buf lint, buf breaking, coverage, round trip"):
            checked = check(files, foreseen, done, inputs, work / "protos")
            before = done.lock
            accept(checked, done, inputs)
            if done.lock != before:
                files[LOCK] = lock_text(done.lock)
    for line in (*coverage_lines(checked.coverage), *round_trip_lines(checked.trips)):
        progress.detail(line)
    published = {name: text.encode() for name, text in files.items()}
    report = _report(inputs, done, checked, published, matrix, progress)
    return Built(published, report, canonical, report.findings)


def _report(
    inputs: Inputs,
    done: Preprocessed,
    checked: Checked,
    files: dict[str, bytes],
    matrix: dict[str, Any],
    progress: Progress,
) -> Report:
    return Report(
        profile=inputs.profile.name,
        spec={"origin": inputs.spec.origin, "sha256": inputs.spec.sha256, "how": inputs.spec.how},
        contract=done.contract,
        events=done.events,
        findings=[*done.findings, *checked.findings],
        coverage=checked.coverage,
        trips=checked.trips,
        tools=tool_versions(),
        timings=progress.timings,
        matrix=matrix,
        material=Material(after=files, schema=lambda pointer: lookup(done.document, pointer)),
    )


def accept(checked: Checked, done: Preprocessed, inputs: Inputs) -> None:
    """Let through what the profile accepts, and put it on record in lock and events."""
    accepting = Accepting(inputs.profile.accept, inputs.lock.accepted)
    checked.findings, events = let_through(checked.findings, accepting)
    checked.findings += unused(accepting, done.lock.accepted, inputs.profile)
    done.events = sorted({*done.events, *events})
    done.lock = done.lock.model_copy(update={"accepted": tuple(dict.fromkeys((*done.lock.accepted, *accepting.made)))})


@dataclass(slots=True)
class Checked:
    """What the checks found."""

    findings: list[Finding]
    coverage: Coverage
    trips: Trips


def check(
    files: dict[str, str], foreseen: DescriptorChecks, done: Preprocessed, inputs: Inputs, folder: Path
) -> Checked:
    """Everything that may refuse the result; what can run side by side does.

    Args:
        files: what is published, protos and binding among them.
        foreseen: the checks of what the lock foresees, which hold for the protos if these are that.
        done: what the protos are made from.
        inputs: for the lock that the build began with.
        folder: where the protos are written for other tools.

    Raises:
        Failure: `proto/compile` when protoc refuses the protos.
    """
    shutil.rmtree(folder, ignore_errors=True)
    protos = {name: text for name, text in files.items() if name.endswith(".proto")}
    for name, text in protos.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    with ThreadPoolExecutor() as pool:
        protoc = pool.submit(compile_protos, folder, protos)
        others = [pool.submit(lint, folder, inputs.profile.lint)]
        earlier = with_accepted(inputs.lock, done.lock)
        against = foreseen.descriptors if earlier == done.lock else lock_image(earlier)
        judged = ((inputs.profile.breaking, Severity.ERROR), ("WIRE_JSON", Severity.DANGER))
        # Nothing breaks where nothing changes; it remains to be seen whether protoc makes what is foreseen.
        unchanged = against == foreseen.descriptors
        if inputs.lock.messages and not unchanged:
            others.append(pool.submit(breaking, folder, against, *judged))
        made = protoc.result()
        descriptors = FileDescriptorSet(file=[file for file in made.file if file.name in protos])
        right = as_foreseen(descriptors, foreseen.descriptors)
        if unchanged and not right:
            others.append(pool.submit(breaking, folder, against, *judged))
        checks = foreseen if right else DescriptorChecks(done, inputs.profile, made)
        findings = check_lock(descriptors, done.lock, foreseen=right)
        findings += check_http(descriptors, done.contract, wanted=inputs.profile.conversion.http == "annotations")
        coverage = checks.coverage
        findings += check_options(descriptors, done.contract, coverage.plan)
        # What these refuse need not agree with the binding.
        trips = Trips() if findings else checks.trips(files[BINDING])
        findings += trips.leaves.findings(coverage.dynamic)
        findings += [finding for other in others for finding in other.result()]
    return Checked([*findings, *coverage.findings, *trips.findings, *trips.warnings], coverage, trips)
