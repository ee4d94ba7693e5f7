"""Render the report as one HTML file with its data, style and scripts.

The specification is untrusted. Its text is data in a script element that browsers do not run, and no character of it
can end the element. The scripts insert it as text, never as markup, and invisible characters are shown as code points.
The content security policy allows only the page's own style and scripts, by their SHA-256.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pipeline.model.changes import Change
from pipeline.model.paths import ROOT
from postprocess.report.html_payload import Pages
from postprocess.report.inline_json import format_script_json, show_invisible

FOLDER = ROOT / "templates" / "report"
SCRIPTS = (
    "dom.js",
    "model.js",
    "search.js",
    "diff.js",
    "schema.js",
    "elements.js",
    "changes.js",
    "pages.js",
    "main.js",
)
_CHANGE = ("change", "element", "detail", "place")


def render_html(data: dict[str, Any], pages: Pages) -> str:
    """Render the data of `report_data` and the search index as an HTML page."""
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
    script = "'use strict';\n" + "".join(_read_script(FOLDER / name) for name in SCRIPTS)
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
        [entry["change"], entry["element"]] if _is_added_whole(entry) else [entry[key] for key in _CHANGE]
        for entry in changes
        if entry["change"] != Change.ADDED or not _is_part_of_added(entry["element"], added)
    ]


def _is_part_of_added(element: str, added: set[str]) -> bool:
    whole = element.partition(".")[0]
    return whole != element and whole in added


def _is_added_whole(entry: dict[str, str]) -> bool:
    return entry["change"] == Change.ADDED and "." not in entry["element"]


def _read_script(path: Path) -> str:
    return f"// {path.name}\n{path.read_text(encoding='utf-8')}"


def _hash_inline(text: str) -> str:
    """Return the source expression of an inline element for a content security policy (CSP 3, 2.3.1): its SHA-256."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
