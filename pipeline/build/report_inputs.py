"""The parts of a report that no check decides; a build makes them while protoc and buf work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.build.inputs import Inputs
from pipeline.build.previous_spec import read_previous_schemas
from pipeline.model.document.located import resolve_pointer
from postprocess.report.search_index import Material, Pages, Schemas, build_pages, read_schemas
from postprocess.report.version_matrix import build_version_matrix
from preprocess.document.versions import collect_version_marks
from preprocess.records import PreprocessResult


@dataclass(frozen=True, slots=True)
class ReportInputs:
    """The parts of a report that no check decides.

    Attributes:
        matrix: the versions of the API that each release of the protos works with.
        material: the files and schemas that the pages show.
        pages: the index that the pages search.
    """

    matrix: dict[str, Any]
    material: Material
    pages: Pages


def collect_report_inputs(inputs: Inputs, result: PreprocessResult, files: Mapping[str, bytes]) -> ReportInputs:
    """Collect the parts of a report that no check decides.

    Args:
        inputs: the inputs of the build.
        result: the contract and its changes.
        files: the files of the result, by path.

    Raises:
        Failure: `spec/…`, `overlay/…` if the specification of the published result cannot be read.
    """
    document = result.document
    material = Material(
        after=files,
        before=inputs.published,
        schema=lambda pointer: resolve_pointer(document, pointer),
        earlier=_find_previous_schemas(inputs),
    )
    matrix = build_version_matrix(result.contract, result.lock, collect_version_marks(document), inputs.servers)
    pages = build_pages(result.contract, material, [event.element for event in result.events])
    return ReportInputs(matrix, material, pages)


def _find_previous_schemas(inputs: Inputs) -> Schemas | None:
    """Return the schemas of the published result: of the specification that the user named, else of the last build."""
    if inputs.previous_spec is not None:
        return read_previous_schemas(inputs.previous_spec, inputs.overlays)
    return None if inputs.previous_schemas is None else read_schemas(inputs.previous_schemas)
