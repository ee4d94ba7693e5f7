"""The reports of a build, written to its work folder: for machines, for pull requests, and to look at."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from postprocess.report.data import Report, build_report_data, format_report
from postprocess.report.html import render_html
from postprocess.report.html_payload import Pages, read_schemas
from postprocess.report.markdown import render_markdown
from postprocess.report.search_index import Schemas

REPORT_JSON = "report.json"
REPORT_MARKDOWN = "report.md"
REPORT_HTML = "report.html"
SCHEMAS = "schemas.json.gz"
# How many earlier builds a report remembers.
REMEMBERED = 30


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: the report as data and as Markdown."""

    data: dict[str, Any]
    markdown: str


def write_reports(report: Report, work: Path) -> Written:
    """Write `report.json`, `report.md` and `report.html`.

    Args:
        report: of the build.
        work: the work folder; the last report in it is the history of this one.
    """
    report.history = _history(work / REPORT_JSON)
    data = build_report_data(report)
    markdown = render_markdown(data)
    page = render_html(data, report.pages)
    for name, text in {REPORT_JSON: format_report(data), REPORT_MARKDOWN: markdown, REPORT_HTML: page}.items():
        (work / name).write_text(text, encoding="utf-8")
    return Written(data, markdown)


def keep_schemas(pages: Pages, work: Path) -> None:
    """Keep the schemas of what is promoted now, which the next report shows as those of before."""
    (work / SCHEMAS).write_bytes(pages.schemas)


def kept_schemas(work: Path) -> Schemas | None:
    """The schemas kept by the last build, if there was one."""
    return read_schemas(work / SCHEMAS)


def _history(path: Path) -> list[dict[str, Any]]:
    """What the last report remembers, and that report itself; a damaged one is as good as none."""
    try:
        last = json.loads(path.read_text(encoding="utf-8"))
        entry = {key: last[key] for key in ("verdict", "counts", "sizes", "timings")} | {
            "sha256": last["spec"]["sha256"]
        }
        return [*last["history"], entry][-REMEMBERED:]
    except (OSError, ValueError, KeyError, TypeError):
        return []
