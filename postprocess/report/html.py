"""The report as one HTML file that needs nothing else: its data, style and scripts stand in it.

The specification is hostile until proven otherwise. Its text is data in a script element that browsers do not run, in
which no character can end the element; the scripts set it as text, never as markup; characters that cannot be seen are
spelt out; and the policy in the page's head allows only its own style and scripts, by their SHA-256.
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
from postprocess.report.inline_json import script_json, visible

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


def report_html(data: dict[str, Any], pages: Pages) -> str:
    """The report as a page.

    Args:
        data: as `report_data` gives it.
        pages: what can be looked up in it.
    """
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible
    shown = script_json({**data, "changes": _of_note(data["changes"])})
    style = (FOLDER / "style.css").read_text(encoding="utf-8")
    script = "'use strict';\n" + "".join(_script(FOLDER / name) for name in SCRIPTS)
    return environment.get_template("page.html.j2").render(
        report=data,
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own files
        style_hash=_hash(style),
        script_hash=_hash(script),
        data=Markup(shown.removesuffix("}") + f',"atlas":{pages.text}}}'),  # noqa: S704 - JSON for a script element
    )


def _of_note(changes: list[dict[str, str]]) -> list[list[str]]:
    """Each change as a list; of what was added as a whole only its name, as the page shows the rest anyway."""
    added = {entry["element"] for entry in changes if entry["change"] == Change.ADDED}
    return [
        [entry["change"], entry["element"]] if _is_whole(entry) else [entry[key] for key in _CHANGE]
        for entry in changes
        if entry["change"] != Change.ADDED or not _is_part(entry["element"], added)
    ]


def _is_part(element: str, added: set[str]) -> bool:
    """Whether an element belongs to a message or an enum that was added as a whole."""
    whole = element.partition(".")[0]
    return whole != element and whole in added


def _is_whole(entry: dict[str, str]) -> bool:
    return entry["change"] == Change.ADDED and "." not in entry["element"]


def _script(path: Path) -> str:
    return f"// {path.name}\n{path.read_text(encoding='utf-8')}"


def _hash(text: str) -> str:
    """A source of a content security policy (CSP 3, 2.3.1): the SHA-256 of an inline element."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
