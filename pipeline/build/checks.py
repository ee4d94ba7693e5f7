"""The checks that can refuse a result, and the acceptances of the profile that let a breaking change pass."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.build.descriptor_checks import DescriptorChecks, check_descriptors, trace_descriptors
from pipeline.model.changes import Event
from pipeline.model.diagnostics import Diagnostic
from pipeline.model.lock.model import Lock
from pipeline.model.profile.renames_and_acceptances import PendingAcceptances
from postprocess.checks.http_annotations import check_http
from postprocess.checks.protovalidate_options import check_options
from postprocess.lock import acceptances
from postprocess.lock.compatibility import compatibility_errors
from postprocess.lock.descriptors import descriptors_of_lock
from postprocess.lock.expected import equal_descriptors
from postprocess.lock.verify import check_lock
from postprocess.round_trip.check import RoundTripResult
from postprocess.tools.buf import breaking_policy, find_breaking_changes, lint
from postprocess.tools.proto_folder import write_protos
from postprocess.tools.protoc import compile_protos
from preprocess.records import PreprocessResult


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools that check the protos of a work folder, at work.

    Attributes:
        folder: the folder of the protos.
        compiled: protoc, which returns the descriptors of the protos and of their imports.
        lint: buf lint.
        breaking: buf breaking; None where the contract equals the published one, or nothing is published.
        expected: the descriptors that the lock expects.
        published: the descriptors of the published contract; None if nothing is published.
    """

    folder: Path
    compiled: Future[FileDescriptorSet]
    lint: Future[list[Diagnostic]]
    breaking: Future[list[Diagnostic]] | None
    expected: FileDescriptorSet
    published: FileDescriptorSet | None


def start_tools(
    protos: Mapping[str, str], result: PreprocessResult, expected: FileDescriptorSet, folder: Path, pool: Executor
) -> Tools:
    """Write the protos to a folder, which is emptied first, and start the tools that check them side by side.

    Nothing breaks if the descriptors that the lock expects equal the published ones.
    """
    shutil.rmtree(folder, ignore_errors=True)
    write_protos(folder, {name: text.encode() for name, text in protos.items()})
    compiled = pool.submit(compile_protos, folder, list(protos), sources=False)
    linted = pool.submit(lint, folder, result.profile.lint)
    base = acceptances.apply_accepted_rpcs(result.published, result.lock)
    published = (expected if base == result.lock else descriptors_of_lock(base)) if result.published.messages else None
    broken = None
    if published is not None and published != expected:
        broken = pool.submit(find_breaking_changes, folder, published, *breaking_policy(result.profile.breaking))
    return Tools(folder, compiled, linted, broken, expected, published)


def check_protos(
    tools: Tools, protos: Iterable[str], result: PreprocessResult, checks: DescriptorChecks, binding: str
) -> tuple[list[Diagnostic], DescriptorChecks]:
    """Return the diagnostics of all checks, and the checks that hold for the compiled protos.

    Args:
        tools: the tools at work.
        protos: the paths of the proto files.
        result: the contract.
        checks: the checks of the descriptors that the lock expects.
        binding: the text of `binding.json`.

    Raises:
        Failure: `proto/compile` if protoc refuses the protos; `proto/runtime` if the protobuf runtime does.
    """
    compiled = tools.compiled.result()
    names = set(protos)
    descriptors = FileDescriptorSet(file=[file for file in compiled.file if file.name in names])
    is_expected = equal_descriptors(descriptors, tools.expected)
    if not is_expected:
        # check_lock reports the differences; the other checks have to judge the protos as they are.
        result = trace_descriptors(result, descriptors)
        checks = check_descriptors(result, compiled, binding)
    diagnostics = check_lock(descriptors, result.lock, only_reserved=is_expected)
    diagnostics += compatibility_errors(result.published, result.lock, "the lock before the build")
    diagnostics += check_http(descriptors, result.contract, wanted=result.profile.conversion.http == "annotations")
    diagnostics += check_options(descriptors, result.contract, result.plan)
    # A round trip says nothing new about protos that another check refuses.
    trips = RoundTripResult() if diagnostics else checks.take_trips()
    coverage = checks.coverage
    diagnostics += trips.leaves.report_diagnostics(coverage.free_form_reasons)
    diagnostics += tools.lint.result()
    if tools.breaking is not None:
        diagnostics += tools.breaking.result()
    elif tools.published is not None and not is_expected:
        diagnostics += find_breaking_changes(tools.folder, tools.published, *breaking_policy(result.profile.breaking))
    diagnostics += [*coverage.diagnostics, *trips.diagnostics, *trips.warnings]
    return diagnostics, DescriptorChecks(coverage, trips)


def apply_acceptances(
    diagnostics: list[Diagnostic], result: PreprocessResult
) -> tuple[list[Diagnostic], list[Event], Lock]:
    """Return the diagnostics that the profile does not accept, an event for each accepted one, and the new lock."""
    pending = PendingAcceptances(result.profile.accept, result.published.accepted)
    refusing, events = acceptances.apply_acceptances(diagnostics, pending)
    refusing += acceptances.warn_unused_acceptances(pending, result.lock.accepted, result.profile)
    accepted = tuple(dict.fromkeys((*result.lock.accepted, *pending.used)))
    lock = result.lock if accepted == result.lock.accepted else result.lock.model_copy(update={"accepted": accepted})
    return refusing, events, lock
