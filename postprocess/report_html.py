"""The report as one HTML file that needs nothing else: its data, style and scripts stand in it.

The specification is hostile until proven otherwise. Its text is data in a script element that browsers do not run, in
which no character can end the element; the scripts set it as text, never as markup; characters that cannot be seen are
spelt out; and the policy in the page's head allows only its own style and scripts, by their SHA-256.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pipeline.model.events import Change
from pipeline.model.profile import ROOT

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
# Format and layout controls: they reorder or hide what stands beside them (Unicode UAX 9, general category Cf, Zl, Zp).
_UNSEEN = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# The escapes of JSON texts that `json` writes (RFC 8259, section 7).
_ESCAPED = re.compile(r'\\(?:["\\bfnrt]|u[0-9a-f]{4})')


def visible(text: object) -> str:
    """A text with everything that cannot be seen spelt out, as `⟨U+202E⟩`."""
    return _UNSEEN.sub(_spelt, str(text))


def _spelt(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found[0]):04X}⟩"


def script_json(data: object) -> Markup:
    """Data as JSON for a script element: nothing in it ends the element or opens a comment (HTML, 4.12.1.3)."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)
    text = _UNSEEN.sub(_spelt, _ESCAPED.sub(_seen, text))
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704 - JSON without `<`, which is what a script element takes


def _seen(escape: re.Match[str]) -> str:
    """An escape of a JSON text, or what it stands for if that cannot be seen."""
    found: str = json.loads(f'"{escape[0]}"')
    return visible(found) if _UNSEEN.match(found) else escape[0]


def report_html(data: dict[str, Any], atlas: dict[str, Any]) -> str:
    """The report as a page.

    Args:
        data: as `report_data` gives it.
        atlas: as `postprocess.atlas` gives it.
    """
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible
    style = (FOLDER / "style.css").read_text(encoding="utf-8")
    script = "'use strict';\n" + "".join(_script(FOLDER / name) for name in SCRIPTS)
    return environment.get_template("page.html.j2").render(
        report=data,
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own files
        style_hash=_hash(style),
        script_hash=_hash(script),
        data=script_json({**data, "changes": _of_note(data["changes"]), "atlas": atlas}),
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
