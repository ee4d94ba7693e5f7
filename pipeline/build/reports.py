"""The reports of a build, written to its work folder: as JSON, as Markdown for pull requests, and as a page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from postprocess.report.data import Report, build_report_data, format_report
from postprocess.report.html import render_html
from postprocess.report.markdown import render_markdown

REPORT_JSON = "report.json"
REPORT_MARKDOWN = "report.md"
REPORT_HTML = "report.html"
# The number of earlier builds that a report lists.
REMEMBERED = 30


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
        entry = {key: last[key] for key in ("verdict", "counts", "sizes", "timings")} | {
            "sha256": last["spec"]["sha256"]
        }
        return [*last["history"], entry][-REMEMBERED:]
    except (OSError, ValueError, KeyError, TypeError):
        return []
