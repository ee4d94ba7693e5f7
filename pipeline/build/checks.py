"""The checks that can refuse a result, and the acceptances of the profile that let a breaking change pass."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.changes import Event
from pipeline.model.diagnostics import Diagnostic
from pipeline.model.lock.model import Lock
from pipeline.model.profile.renames_and_acceptances import PendingAcceptances
from postprocess.checks.http_annotations import check_http
from postprocess.checks.protovalidate_options import check_options
from postprocess.coverage.gate import Coverage, check_coverage, collect_compiled_elements
from postprocess.lock import acceptances
from postprocess.lock.compatibility import compatibility_errors
from postprocess.lock.descriptors import descriptors_of_lock
from postprocess.lock.expected import equal_descriptors
from postprocess.lock.verify import check_lock
from postprocess.round_trip.check import RoundTripResult, check_round_trip
from postprocess.tools.buf import breaking_policy, find_breaking_changes, lint
from postprocess.tools.proto_folder import write_protos
from postprocess.tools.protoc import compile_protos
from preprocess.constraints.plan import plan_options
from preprocess.records import PreprocessResult
from preprocess.trace.walk import trace_schemas


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


@dataclass(frozen=True, slots=True)
class ExpectedChecks:
    """The coverage of the descriptors that the lock expects, and a function that waits for their round trip."""

    coverage: Coverage
    wait_for_trips: Callable[[], RoundTripResult]


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
    tools: Tools, protos: Iterable[str], result: PreprocessResult, expected: ExpectedChecks, binding: str
) -> tuple[list[Diagnostic], Coverage, RoundTripResult]:
    """Return the diagnostics of all checks, the coverage of the compiled protos, and their round trip.

    Args:
        tools: the tools at work.
        protos: the paths of the proto files.
        result: the contract.
        expected: the checks of the descriptors that the lock expects; they hold if protoc produced these.
        binding: the text of `binding.json`.

    Raises:
        Failure: `proto/compile` if protoc refuses the protos; `proto/runtime` if the protobuf runtime does.
    """
    compiled = tools.compiled.result()
    names = set(protos)
    descriptors = FileDescriptorSet(file=[file for file in compiled.file if file.name in names])
    is_expected, coverage = equal_descriptors(descriptors, tools.expected), expected.coverage
    if not is_expected:
        # check_lock reports the differences; the other checks have to judge the protos as they are.
        result = _trace_descriptors(result, descriptors)
        coverage = check_coverage(result.declared, result.contract, result.trace, result.plan)
    diagnostics = check_lock(descriptors, result.lock, only_reserved=is_expected)
    diagnostics += compatibility_errors(result.published, result.lock, "the lock before the build")
    diagnostics += check_http(descriptors, result.contract, wanted=result.profile.conversion.http == "annotations")
    diagnostics += check_options(descriptors, result.contract, result.plan)
    # A round trip says nothing new about protos that another check refuses.
    trips = RoundTripResult()
    if not diagnostics:
        binding_data = json.loads(binding)
        trips = expected.wait_for_trips() if is_expected else check_round_trip(compiled, binding_data, result.contract)
    diagnostics += trips.leaves.report_diagnostics(coverage.free_form_reasons)
    diagnostics += tools.lint.result()
    if tools.breaking is not None:
        diagnostics += tools.breaking.result()
    elif tools.published is not None and not is_expected:
        diagnostics += find_breaking_changes(tools.folder, tools.published, *breaking_policy(result.profile.breaking))
    diagnostics += [*coverage.diagnostics, *trips.diagnostics, *trips.warnings]
    return diagnostics, coverage, trips


def _trace_descriptors(result: PreprocessResult, descriptors: FileDescriptorSet) -> PreprocessResult:
    """Return the result with its trace through compiled descriptors instead of those that the lock expects."""
    present = collect_compiled_elements(descriptors, result.lock)
    trace = trace_schemas(result.declared, result.contract, present)
    plan = None if result.plan is None else plan_options(result.declared, result.contract, trace)
    return replace(result, trace=trace, plan=plan)


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
