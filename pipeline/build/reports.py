"""The reports of a build, written to its work folder: as JSON, as Markdown for pull requests, and as a page.

A build collects the parts that no check decides while protoc and buf work.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.build.inputs import Inputs
from pipeline.fetch.specification import FetchedSpec
from pipeline.model.document.located import read_document, resolve_pointer
from postprocess.report.data import Report, build_report_data, format_report
from postprocess.report.html import render_html
from postprocess.report.markdown import render_markdown
from postprocess.report.search_index import Material, Pages, Schemas, build_pages, read_schemas
from postprocess.report.version_matrix import build_version_matrix
from preprocess.document.overlay import apply_overlay
from preprocess.document.versions import collect_version_marks
from preprocess.records import PreprocessResult
from preprocess.swagger.check import is_swagger

REPORT_JSON = "report.json"
REPORT_MARKDOWN = "report.md"
REPORT_HTML = "report.html"
# The number of earlier builds that a report lists.
REMEMBERED = 30


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


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """A written report.

    Attributes:
        data: the report as data.
        markdown: the report as Markdown.
        schemas: the schemas that its pages show, compressed.
    """

    data: dict[str, Any]
    markdown: str
    schemas: bytes


def collect_report_inputs(inputs: Inputs, result: PreprocessResult, files: Mapping[str, bytes]) -> ReportInputs:
    """Collect the parts of a report that no check decides; `files` are those of the result, by path.

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
        return _read_previous_schemas(inputs.previous_spec, inputs.overlays)
    return None if inputs.previous_schemas is None else read_schemas(inputs.previous_schemas)


def _read_previous_schemas(spec: FetchedSpec, overlays: Mapping[str, bytes]) -> Callable[[str], Any] | None:
    """Return a function from a JSON pointer to its value in a specification; None for a Swagger 2.0 document."""
    document = read_document(spec.content, spec.origin)
    if is_swagger(document):
        return None
    for name, text in overlays.items():
        document, _ = apply_overlay(document, read_document(text, name))
    return lambda pointer: resolve_pointer(document, pointer)


def write_report(report: Report, work: Path) -> WrittenReport:
    """Write `report.json`, `report.md` and `report.html` to the work folder."""
    data = build_report_data(report)
    markdown = render_markdown(data)
    page = render_html(data, report.pages)
    for name, text in {REPORT_JSON: format_report(data), REPORT_MARKDOWN: markdown, REPORT_HTML: page}.items():
        (work / name).write_text(text, encoding="utf-8")
    return WrittenReport(data, markdown, report.pages.schemas)


def read_history(work: Path) -> list[dict[str, Any]]:
    """Return the builds that the last report lists, and that build itself; empty if the report is damaged."""
    try:
        last = json.loads((work / REPORT_JSON).read_text(encoding="utf-8"))
        entry = {key: last[key] for key in ("verdict", "counts", "sizes", "timings")}
        entry["sha256"] = last["spec"]["sha256"]
        return [*last["history"], entry][-REMEMBERED:]
    except (OSError, ValueError, KeyError, TypeError):
        return []
