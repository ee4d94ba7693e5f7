"""Everything that may refuse a result, and what a profile lets through nevertheless."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.build.descriptor_checks import DescriptorChecks
from pipeline.build.inputs import Inputs
from pipeline.model.diagnostics import Diagnostic
from pipeline.model.profile.renames_and_acceptances import PendingAcceptances
from pipeline.workspace import BINDING
from postprocess.checks.http_annotations import check_http
from postprocess.checks.protovalidate_options import check_options
from postprocess.coverage.gate import Coverage
from postprocess.lock.acceptances import apply_acceptances, apply_accepted_rpcs, warn_unused_acceptances
from postprocess.lock.compatibility import compatibility_errors
from postprocess.lock.descriptors import descriptors_of_lock
from postprocess.lock.expected import equal_descriptors
from postprocess.lock.verify import check_lock
from postprocess.round_trip.check import Trips
from postprocess.tools.buf import breaking_policy, find_breaking_changes, lint
from postprocess.tools.proto_folder import write_protos
from postprocess.tools.protoc import compile_protos
from preprocess.passes import Preprocessed


@dataclass(slots=True)
class Checked:
    """What the checks found."""

    diagnostics: list[Diagnostic]
    coverage: Coverage
    trips: Trips


def accept(checked: Checked, done: Preprocessed, inputs: Inputs) -> bool:
    """Let through what the profile accepts, and put it on record in lock and events; whether these are others then."""
    accepting = PendingAcceptances(inputs.profile.accept, inputs.lock.accepted)
    checked.diagnostics, events = apply_acceptances(checked.diagnostics, accepting)
    checked.diagnostics += warn_unused_acceptances(accepting, done.lock.accepted, inputs.profile)
    if not events and not accepting.used:
        return False
    done.events = sorted({*done.events, *events})
    done.lock = done.lock.model_copy(update={"accepted": tuple(dict.fromkeys((*done.lock.accepted, *accepting.used)))})
    return True


def check(
    files: dict[str, str],
    foreseen: DescriptorChecks,
    done: Preprocessed,
    inputs: Inputs,
    folder: Path,
    meanwhile: Callable[[], object] = lambda: None,
) -> Checked:
    """Everything that may refuse the result; what can run side by side does.

    Args:
        files: what is published, protos and binding among them.
        foreseen: the checks of what the lock foresees, which hold for the protos if these are that.
        done: what the protos are made from.
        inputs: for the lock that the build began with.
        folder: where the protos are written for other tools.
        meanwhile: is called while protoc compiles and buf lints.

    Raises:
        Failure: `proto/compile` when protoc refuses the protos.
    """
    shutil.rmtree(folder, ignore_errors=True)
    protos = {name: text for name, text in files.items() if name.endswith(".proto")}
    write_protos(folder, {name: text.encode() for name, text in protos.items()})
    with ThreadPoolExecutor() as pool:
        protoc = pool.submit(compile_protos, folder, protos, sources=False)
        others = [pool.submit(lint, folder, inputs.profile.lint)]
        earlier = apply_accepted_rpcs(inputs.lock, done.lock)
        against = foreseen.descriptors if earlier == done.lock else descriptors_of_lock(earlier)
        policy = breaking_policy(inputs.profile.breaking)
        # Nothing breaks where nothing changes; it remains to be seen whether protoc makes what is foreseen.
        unchanged = against == foreseen.descriptors
        if inputs.lock.messages and not unchanged:
            others.append(pool.submit(find_breaking_changes, folder, against, *policy))
        meanwhile()
        made = protoc.result()
        descriptors = FileDescriptorSet(file=[file for file in made.file if file.name in protos])
        right = equal_descriptors(descriptors, foreseen.descriptors)
        if unchanged and not right:
            others.append(pool.submit(find_breaking_changes, folder, against, *policy))
        checks = foreseen if right else DescriptorChecks(done, inputs.profile, made)
        diagnostics = check_lock(descriptors, done.lock, only_reserved=right)
        diagnostics += compatibility_errors(inputs.lock, done.lock, "the lock before the build")
        diagnostics += check_http(descriptors, done.contract, wanted=inputs.profile.conversion.http == "annotations")
        coverage = checks.coverage
        diagnostics += check_options(descriptors, done.contract, checks.plan)
        # What these refuse need not agree with the binding.
        trips = Trips() if diagnostics else checks.trips(files[BINDING])
        diagnostics += trips.leaves.diagnostics(coverage.free_form_reasons)
        diagnostics += [diagnostic for other in others for diagnostic in other.result()]
    return Checked([*diagnostics, *coverage.diagnostics, *trips.diagnostics, *trips.warnings], coverage, trips)
