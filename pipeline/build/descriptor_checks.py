"""Checks that need the descriptors of the protos, and no protos: worked out ahead, from what the lock foresees.

The generator takes some seconds in a process of its own; meanwhile this one has time, and another processor, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.build.worker import aside
from pipeline.model.profile.profile import Profile
from postprocess.binding.writer import format_binding
from postprocess.coverage.gate import Coverage, check_coverage
from postprocess.lock.descriptors import descriptors_of_lock
from postprocess.round_trip.check import Trips, check_round_trip
from preprocess.constraints.plan import OptionPlan, plan_options
from preprocess.passes import Preprocessed
from preprocess.trace.analysis import TraceAnalysis, trace_schemas
from preprocess.trace.present_elements import collect_compiled_elements, collect_locked_elements


class DescriptorChecks:
    """Coverage and round trip of one set of descriptors, each worked out once, when it is first asked for."""

    def __init__(self, done: Preprocessed, profile: Profile, made: FileDescriptorSet | None = None) -> None:
        """Work out nothing yet.

        Args:
            done: the contract, the lock, and what is declared.
            profile: for the package, and whether it wants options of protovalidate.
            made: the descriptors, as compiled; None for those that the lock foresees.
        """
        self._made = made
        self._done = done
        self._profile = profile
        self._told: Callable[[], tuple[str, Trips]] = self._try

    @cached_property
    def descriptors(self) -> FileDescriptorSet:
        """Of the protos."""
        return descriptors_of_lock(self._done.lock) if self._made is None else self._made

    @cached_property
    def analysis(self) -> TraceAnalysis:
        """The trace of the specification through the contract."""
        lock = self._done.lock
        files = [] if self._made is None else [file for file in self._made.file if file.name in lock.files]
        own = (
            collect_locked_elements(lock)
            if self._made is None
            else collect_compiled_elements(FileDescriptorSet(file=files), lock)
        )
        return trace_schemas(self._done.declared, self._done.contract, own)

    @cached_property
    def plan(self) -> OptionPlan | None:
        """The protovalidate options of the contract; None if the profile disables them."""
        if self._profile.constraints != "protovalidate":
            return None
        return plan_options(self._done.declared, self._done.contract, self.analysis)

    @cached_property
    def coverage(self) -> Coverage:
        """What becomes of everything in scope."""
        return check_coverage(self._done.declared, self._done.contract, self.analysis, self.plan)

    def trips(self, binding: str) -> Trips:
        """Whether what the contract can carry comes back.

        Args:
            binding: which is published; what was tried with another one counts for nothing.
        """
        told, trips = self._told()
        if told != binding:
            trips = check_round_trip(self.descriptors, json.loads(binding), self._done.contract)
        return trips

    @contextmanager
    def trying(self) -> Iterator[None]:
        """Try the round trip aside until the block ends."""
        with aside(self._try) as self._told:
            yield

    def _try(self) -> tuple[str, Trips]:
        """What comes back, and the binding that it was tried with."""
        binding = format_binding(self._done.contract, self._profile.package)
        return binding, check_round_trip(self.descriptors, json.loads(binding), self._done.contract)
