"""Render the report as one HTML file with its data, style and scripts.

The specification is untrusted. Its text is data in a script element that browsers do not run, and no character of it
can end the element. The scripts insert it as text, never as markup, and invisible characters are shown as code points.
The content security policy allows only the page's own style and scripts, by their SHA-256.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pipeline.model.changes import Change
from pipeline.model.paths import ROOT
from postprocess.report.inline_json import format_script_json, show_invisible
from postprocess.report.search_index import Pages

FOLDER = ROOT / "templates" / "report"
_SCRIPTS = ("dom", "model", "search", "diff", "schema", "elements", "changes", "pages", "main")
_CHANGE = ("change", "element", "detail", "place")


def render_html(data: dict[str, Any], pages: Pages) -> str:
    """Render the data of `build_report_data` and the search index as an HTML page."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = show_invisible
    shown = format_script_json({**data, "changes": _compact_changes(data["changes"])})
    style = (FOLDER / "style.css").read_text(encoding="utf-8")
    parts = [f"// {name}.js\n{(FOLDER / f'{name}.js').read_text(encoding='utf-8')}" for name in _SCRIPTS]
    script = "".join(["'use strict';\n", *parts])
    return environment.get_template("page.html.j2").render(
        report=data,
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own files
        style_hash=_hash_inline(style),
        script_hash=_hash_inline(script),
        data=Markup(shown.removesuffix("}") + f',"atlas":{pages.text}}}'),  # noqa: S704 - JSON for a script element
    )


def _compact_changes(changes: list[dict[str, str]]) -> list[list[str]]:
    """Return each change as a list; a message or enum that is new as a whole needs only its name."""
    added = {entry["element"] for entry in changes if entry["change"] == Change.ADDED}
    return [
        [entry[key] for key in (_CHANGE if entry["change"] != Change.ADDED or "." in entry["element"] else _CHANGE[:2])]
        for entry in changes
        if entry["change"] != Change.ADDED or not _is_part_of_added(entry["element"], added)
    ]


def _is_part_of_added(element: str, added: set[str]) -> bool:
    whole = element.partition(".")[0]
    return whole != element and whole in added


def _hash_inline(text: str) -> str:
    """Return the source expression of an inline element for a content security policy (CSP 3, 2.3.1): its SHA-256."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
