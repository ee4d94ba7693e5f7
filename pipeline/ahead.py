"""Checks that need the descriptors of the protos, and no protos: worked out ahead, from what the lock foresees.

The generator takes some seconds in a process of its own; meanwhile this one has time.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from postprocess.compiled import compiled
from postprocess.coverage import Coverage, check_coverage
from postprocess.round_trip import Trips, check_round_trip
from preprocess.run import Preprocessed

T = TypeVar("T")


class _Job(Generic[T]):
    """Something that is worked out once, when there is time for it or at the latest when it is needed."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._result: Future[T] = Future()

    def do(self) -> None:
        if not self._result.done():
            try:
                self._result.set_result(self._work())
            except Exception as error:  # raised again for whoever needs the result, if anyone does
                self._result.set_exception(error)

    def result(self) -> T:
        self.do()
        return self._result.result()


class DescriptorChecks:
    """Coverage and round trip of one set of descriptors.

    Attributes:
        descriptors: of the protos.
        binding: built together with them.
        coverage: what becomes of everything in scope.
        trips: whether what the contract can carry comes back.
    """

    def __init__(
        self, descriptors: FileDescriptorSet, done: Preprocessed, binding: dict[str, Any], *, validated: bool
    ) -> None:
        """Work out nothing yet.

        Args:
            descriptors: of the protos, as compiled, or as the lock foresees them.
            done: the contract, the lock, and what is declared.
            binding: built together with them.
            validated: whether the profile wants options of protovalidate.
        """
        self.descriptors = descriptors
        self.binding = binding
        own = FileDescriptorSet(file=[file for file in descriptors.file if file.name in done.lock.files])
        self.coverage: _Job[Coverage] = _Job(
            lambda: check_coverage(done.declared, done.contract, compiled(own, done.lock), validated=validated)
        )
        self.trips: _Job[Trips] = _Job(lambda: check_round_trip(descriptors, binding, done.contract))

    def work(self, ended: Callable[[], bool]) -> None:
        """Work out what there is time for, until something else has ended."""
        for job in (self.coverage, self.trips):
            if not ended():
                job.do()
