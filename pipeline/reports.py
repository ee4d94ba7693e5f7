"""The reports of a build, written to its work folder: for machines, for pull requests, and to look at."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from postprocess.atlas import Schemas, atlas, schemas_of
from postprocess.report import Report, report_data, report_json
from postprocess.report_html import report_html
from postprocess.report_markdown import report_markdown

REPORT_JSON = "report.json"
REPORT_MARKDOWN = "report.md"
REPORT_HTML = "report.html"
SCHEMAS = "schemas.json.gz"
# How many earlier builds a report remembers.
REMEMBERED = 30


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: the report as data and as Markdown, and the schemas that it shows."""

    data: dict[str, Any]
    markdown: str
    schemas: dict[str, Any]


def write_reports(report: Report, work: Path, before: Mapping[str, bytes], earlier: Schemas | None) -> Written:
    """Write `report.json`, `report.md` and `report.html`.

    Args:
        report: of the build.
        work: the work folder; the last report in it is the history of this one.
        before: the files that were there before.
        earlier: the schemas that these files were made from, if known.
    """
    report.history = _history(work / REPORT_JSON)
    report.material.before = before
    report.material.earlier = earlier
    data = report_data(report)
    pages = atlas(report.contract, report.material, [event.element for event in report.events])
    markdown = report_markdown(data)
    texts = {REPORT_JSON: report_json(data), REPORT_MARKDOWN: markdown, REPORT_HTML: report_html(data, pages)}
    for name, text in texts.items():
        (work / name).write_text(text, encoding="utf-8")
    return Written(data, markdown, schemas_of(pages))


def keep_schemas(written: Written, work: Path) -> None:
    """Keep the schemas of what is promoted now, which the next report shows as those of before."""
    text = json.dumps(written.schemas, ensure_ascii=False, separators=(",", ":"), default=str)
    (work / SCHEMAS).write_bytes(gzip.compress(text.encode(), mtime=0))


def kept_schemas(work: Path) -> Schemas | None:
    """The schemas kept by the last build; a damaged file is as good as none."""
    try:
        found: dict[str, Any] = json.loads(gzip.decompress((work / SCHEMAS).read_bytes()))
    except (OSError, EOFError, zlib.error, ValueError):
        return None
    return found.__getitem__


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
