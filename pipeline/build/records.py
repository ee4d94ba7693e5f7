"""The records that the stages of `pipeline.build.stages` hand on; each class adds to the one before."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.build.checks import Tools
from pipeline.build.inputs import Inputs
from pipeline.build.reports import ReportInputs, WrittenReport
from pipeline.generate.generator import Generation
from pipeline.model.diagnostics import Diagnostic
from pipeline.model.document.located import LocatedMap
from pipeline.progress import Progress
from postprocess.coverage.gate import Coverage
from postprocess.round_trip.check import RoundTripResult
from preprocess.records import ContractResult, PreprocessResult


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildStart:
    """The start of a build.

    Attributes:
        inputs: the inputs of the build.
        work: the work folder, which no other build uses meanwhile.
        progress: the progress display.
        resources: closes the processes of the build when it ends.
    """

    inputs: Inputs
    work: Path
    progress: Progress
    resources: ExitStack


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents(BuildStart):
    """The parsed inputs.

    Attributes:
        document: the specification, an OpenAPI document.
        overlays: the overlays of the profile.
    """

    document: LocatedMap
    overlays: list[LocatedMap]


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorStarted(Documents):
    """A build whose generator process waits for the canonical spec."""

    generation: Generation


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted(GeneratorStarted):
    """A build with its numbered contract; `inputs.profile` has the defaults that the document decides."""

    converted: ContractResult


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundTripStarted(Converted):
    """A build whose round trip runs in a worker.

    Attributes:
        expected: the descriptors that protoc must produce, derived from the lock.
        binding: the text of `binding.json`.
        expected_trips: waits for the round trip with these descriptors.
    """

    expected: FileDescriptorSet
    binding: str
    expected_trips: Callable[[], RoundTripResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preprocessed(RoundTripStarted):
    """A build whose contract has its constraints."""

    result: PreprocessResult


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecSent(Preprocessed):
    """A build whose generator works.

    Attributes:
        canonical: the canonical spec.
        lock_text: the text of `lock.yaml`.
    """

    canonical: dict[str, Any]
    lock_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractChecked(SpecSent):
    """A build with the coverage of its contract, which holds for the descriptors that the lock expects."""

    coverage: Coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled(ContractChecked):
    """A build with the files of its result, by path."""

    files: dict[str, str]

    @property
    def protos(self) -> dict[str, str]:
        """The proto files among them."""
        return {name: text for name, text in self.files.items() if name.endswith(".proto")}

    def encode_files(self) -> dict[str, bytes]:
        """Return the files as they are published."""
        return {name: text.encode() for name, text in self.files.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsStarted(Assembled):
    """A build whose protos are written to the work folder, where protoc and buf read them."""

    tools: Tools


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPrepared(ToolsStarted):
    """A build with the parts of its report that no check decides."""

    report_inputs: ReportInputs


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked(ReportPrepared):
    """A build whose protos are checked; its diagnostics say whether the result is refused."""

    trips: RoundTripResult
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported(Checked):
    """A build with its report, ready for promotion."""

    report: WrittenReport
