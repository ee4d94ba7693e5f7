"""Checks of a contract against descriptors: coverage of the specification, and the round trip of sample values.

The descriptors are those that the lock expects; the checks can then run while the generator works. See
`rules/decisions/speed.md`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.diagnostics import Failure
from postprocess.coverage.gate import Coverage, check_coverage, collect_compiled_elements
from postprocess.round_trip.check import RoundTripResult, check_round_trip
from preprocess.constraints.plan import plan_options
from preprocess.records import PreprocessResult
from preprocess.trace.walk import trace_schemas


@dataclass(frozen=True, slots=True)
class DescriptorChecks:
    """The checks of one set of descriptors.

    Attributes:
        coverage: how each element in scope is carried.
        trips: the round trip of sample values.
        failure: the failure of the protobuf runtime, if it could not load the descriptors.
    """

    coverage: Coverage
    trips: RoundTripResult
    failure: Failure | None = None

    def take_trips(self) -> RoundTripResult:
        """Return the round trip.

        Raises:
            Failure: `proto/runtime`.
        """
        if self.failure is not None:
            raise self.failure
        return self.trips


def check_descriptors(result: PreprocessResult, descriptors: FileDescriptorSet, binding: str) -> DescriptorChecks:
    """Check coverage and round trip; `result` has the trace through these descriptors, which include the imports."""
    coverage = check_coverage(result.declared, result.contract, result.trace, result.plan)
    try:
        return DescriptorChecks(coverage, check_round_trip(descriptors, json.loads(binding), result.contract))
    except Failure as failure:
        # The checks of the compiled protos come first: their diagnostics are closer to the cause.
        return DescriptorChecks(coverage, RoundTripResult(), failure)


def trace_descriptors(result: PreprocessResult, descriptors: FileDescriptorSet) -> PreprocessResult:
    """Return the result with its trace through compiled descriptors instead of those that the lock expects."""
    present = collect_compiled_elements(descriptors, result.lock)
    trace = trace_schemas(result.declared, result.contract, present)
    plan = None if result.plan is None else plan_options(result.declared, result.contract, trace)
    return replace(result, trace=trace, plan=plan)
