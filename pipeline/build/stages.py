"""The stages of a build, in order; `run_stages` is the pipeline.

Each stage is given what the one before it made. Nothing is written outside the work folder: what is to be published
comes back as bytes, and `pipeline.build.build` promotes it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.build.checks import Checked, accept, check
from pipeline.build.descriptor_checks import DescriptorChecks
from pipeline.build.fingerprint import tool_versions
from pipeline.build.inputs import Inputs
from pipeline.build.report_inputs import Drafts
from pipeline.fetch.specification import FetchedSpec
from pipeline.generate.assemble import assemble, parse_fragments
from pipeline.generate.generator import Generation, canonical_text, generating
from pipeline.jvm.swagger_converter import as_openapi
from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.document.located import LocatedMap, read_document
from pipeline.model.identifiers import format_snake
from pipeline.model.lock.text import format_lock
from pipeline.model.profile.defaults import fill_defaults
from pipeline.progress import Progress
from pipeline.workspace import BINDING, LOCK
from postprocess.binding.writer import format_binding
from postprocess.report.coverage import format_coverage
from postprocess.report.data import Report
from postprocess.report.round_trip import format_round_trip
from preprocess.canonical.canonical import canonical_spec
from preprocess.constraints.options import add_options
from preprocess.passes import Preprocessed, preprocess
from preprocess.swagger.check import is_swagger

CANONICAL = "canonical.json"
DEEPEST = 10_000


@dataclass(slots=True)
class Built:
    """What the stages made: the files to publish, the report, the canonical spec."""

    files: dict[str, bytes]
    report: Report
    canonical: dict[str, Any]
    diagnostics: list[Diagnostic] = field(default_factory=list)


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


def _read(inputs: Inputs, work: Path, progress: Progress) -> tuple[LocatedMap, list[LocatedMap]]:
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


def _preprocess(inputs: Inputs, document: LocatedMap, overlays: list[LocatedMap], progress: Progress) -> Preprocessed:
    with progress.stage("preprocess", "scope, versions, composition, unions, names, numbers"):
        published = inputs.lock.package if inputs.lock.messages else None
        inputs.profile = fill_defaults(inputs.profile, title_words(document), published)
        if published is None:
            inputs.lock = inputs.lock.model_copy(update={"package": inputs.profile.package})
        return preprocessed(document, inputs, overlays)


def preprocessed(document: LocatedMap, inputs: Inputs, overlays: list[LocatedMap]) -> Preprocessed:
    """Preprocess with room for schemas that lead to one another many times over; each step takes a few frames."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEPEST))
    try:
        return preprocess(document, inputs.profile, inputs.lock, overlays, partial=inputs.partial)
    except RecursionError:
        hint = "leave some of them out of the profile's scope"
        message = "its schemas lead to one another too many times over"
        raise Failure(Diagnostic("spec/too-deep", message, document.place, hint)) from None
    finally:
        sys.setrecursionlimit(limit)


def document_name(spec: FetchedSpec) -> str:
    """What places in the spec are named after: a file's path, else the name of the asset."""
    return spec.origin if spec.how == "file" else spec.origin.rpartition("/")[2]


def title_words(document: Mapping[str, Any]) -> str:
    """The spec's title in snake case, from its first letter on."""
    info = document.get("info")
    title = info.get("title") if isinstance(info, dict) else None
    return format_snake(str(title or "")).lstrip("0123456789_")


def run_stages(inputs: Inputs, work: Path, progress: Progress) -> Built:
    """Run all stages.

    Args:
        inputs: what to build from.
        work: the folder for what can be made again; this build has it for itself.
        progress: told of each stage.

    Raises:
        Failure: bad input or environment. What a check refuses is in the report's diagnostics.
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
                if foreseen.plan is not None:
                    done.contract = add_options(done.contract, foreseen.plan)
        canonical = canonical_spec(done.contract, done.services, profile, inputs.comments)
        with progress.stage("generate", f"OpenAPI Generator, {len(canonical['components']['schemas'])} schemas"):
            generation.give(canonical)
            # While the generator works, there is time for these.
            files = {LOCK: format_lock(done.lock), BINDING: format_binding(done.contract, profile.package)}
            _ = foreseen.coverage, foreseen.descriptors
            (work / CANONICAL).write_text(canonical_text(canonical), encoding="utf-8")
            texts = generation.texts()
        with progress.stage("assemble", "proto files"):
            files |= assemble(parse_fragments(texts), done.contract, done.services, profile)
        drafts = Drafts(inputs, done, files)
        with progress.stage("check", "protoc, lock, buf lint, buf breaking, coverage, round trip"):
            checked = check(files, foreseen, done, inputs, work / "protos", drafts.draft)
            if accept(checked, done, inputs):
                files[LOCK] = format_lock(done.lock)
                drafts = Drafts(inputs, done, files)
    for line in (*format_coverage(checked.coverage), *format_round_trip(checked.trips)):
        progress.detail(line)
    report = _report(inputs, done, checked, drafts, progress)
    return Built(drafts.files, report, canonical, report.diagnostics)


def _report(inputs: Inputs, done: Preprocessed, checked: Checked, drafts: Drafts, progress: Progress) -> Report:
    return Report(
        profile=inputs.profile.name,
        spec={"origin": inputs.spec.origin, "sha256": inputs.spec.sha256, "how": inputs.spec.how},
        contract=done.contract,
        events=done.events,
        diagnostics=[*done.diagnostics, *checked.diagnostics],
        coverage=checked.coverage,
        trips=checked.trips,
        tools=tool_versions(),
        timings=progress.timings,
        matrix=drafts.matrix,
        material=drafts.material,
        pages=drafts.pages,
    )
