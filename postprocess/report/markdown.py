"""Render the report as Markdown, the body of a pull request, within GitHub's limit.

Long lists are folded. If the text is still too long, lists shrink to a count, the least important first, until it fits.
`report.html` and `report.json` have all entries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set
from html import escape
from typing import Any

from pipeline.model.changes import Change
from pipeline.model.diagnostics import Severity
from pipeline.model.paths import ROOT
from postprocess.report.version_matrix import format_cell, format_server
from postprocess.tools.templates import load_templates

# GitHub's limit for the body of a pull request.
LONGEST = 65_536
TITLES = {
    Change.ACCEPTED: "Breaks clients, and was accepted",
    Change.TYPE_CHANGED: "Type changed: the old field is deprecated beside a new one",
    Change.DEPRECATED: "Deprecated",
    Change.RENAMED: "Renamed in the spec, the same in the protos",
    Change.MOVED: "Moved to another file: the same on the wire, imported from elsewhere",
    Change.RESTORED: "Back again, under the old number",
    Change.ADDED: "Added",
}
# The lists that shrink to a count if the text is too long, the least important first.
_SHRINKABLE = (
    "versions",
    *("notes", "left out", "round trip", "constraints", Change.ADDED, Change.RESTORED, Change.MOVED),
    *(Change.RENAMED, "repeated", Change.DEPRECATED, Change.TYPE_CHANGED, "findings", Change.ACCEPTED),
)
# Lists with more rows than these are folded.
OPEN_ROWS = 12


def render_markdown(data: dict[str, Any]) -> str:
    """Render the report as Markdown of at most `LONGEST` characters."""
    origin = str(data["spec"]["origin"])
    filters = {"matrix_cell": format_cell, "server": format_server, "cell": escape_cell, "summary": escape_summary}
    environment = load_templates(ROOT / "templates", **filters, place=lambda text: _shorten_place(text, origin))
    template = environment.get_template("report.md.j2")
    values = data | {
        "groups": list(_group_changes(data["changes"], data["repeats"])),
        "problems": _list_problems(data["findings"]),
        "notes": _group_entries(data["findings"], "code", of={"severity": Severity.NOTE}),
        "left_out": _group_entries(data["exclusions"], "rule"),
        "open_rows": OPEN_ROWS,
    }
    oversized = {change for change, _, entries in values["groups"] if _measure_minimum(entries) > LONGEST}
    return _render_within_limit(lambda brief: template.render(**values, brief=brief), oversized)


def _measure_minimum(entries: list[dict[str, str]]) -> int:
    """Return a lower bound for the rendered length of a list of changes; escaping never shortens a cell."""
    return sum(len(entry["element"]) + len(entry["detail"]) for entry in entries)


def _render_within_limit(render: Callable[[list[str]], str], oversized: Set[str]) -> str:
    """Render the text with as few lists shrunk to a count as fit the limit, the least important first.

    Lists in `oversized` exceed the limit alone; skipping them saves attempts.
    """
    brief = list(_SHRINKABLE[: max((_SHRINKABLE.index(name) + 1 for name in oversized), default=0)])
    text = render(brief)
    for name in _SHRINKABLE[len(brief) :]:
        if len(text) <= LONGEST:
            break
        brief.append(name)
        text = render(brief)
    for name in [name for name in reversed(brief[:-1]) if name not in oversized]:
        fuller = [other for other in brief if other != name]
        attempt = render(fuller)
        if len(attempt) <= LONGEST:
            brief, text = fuller, attempt
    return text


def _shorten_place(place: str, origin: str) -> str:
    name = origin.rpartition("/")[2]
    return name + place.removeprefix(origin) if place.startswith(f"{origin}:") else place


def _group_changes(
    changes: list[dict[str, str]], repeats: list[dict[str, Any]]
) -> Iterable[tuple[str, str, list[dict[str, str]]]]:
    repeated = {(entry["change"], element) for entry in repeats for element in entry["elements"]}
    for change, title in TITLES.items():
        entries = [
            entry for entry in changes if entry["change"] == change and (change, entry["element"]) not in repeated
        ]
        if entries:
            yield change, title, _merge_parts(entries)


def _merge_parts(entries: list[dict[str, str]]) -> list[dict[str, str]]:
    """Merge the entries of fields into the entry of their message, if the whole message is listed."""
    wholes = {entry["element"] for entry in entries if "." not in entry["element"]}
    parts: dict[str, list[str]] = {name: [] for name in wholes}
    remaining = []
    for entry in entries:
        owner, _, member = entry["element"].partition(".")
        if not member or owner not in wholes:
            remaining.append(entry)
        elif "." not in member and " = " in entry["detail"]:
            parts[owner].append(entry["detail"])
    return [entry | {"detail": _append_parts(entry["detail"], parts.get(entry["element"], []))} for entry in remaining]


def _append_parts(detail: str, parts: list[str]) -> str:
    numbered = sorted(parts, key=lambda text: int(_NUMBER.findall(text)[0]))
    return f"{detail}: {'; '.join(numbered)}" if numbered else detail


def _list_problems(diagnostics: list[dict[str, str]]) -> list[dict[str, str]]:
    """List the diagnostics that need a decision, the most severe first; notes are grouped elsewhere."""
    order = [Severity.ERROR, Severity.DANGER, Severity.WARNING]
    problems = [diagnostic for diagnostic in diagnostics if diagnostic["severity"] in order]
    return sorted(problems, key=lambda diagnostic: order.index(Severity(diagnostic["severity"])))


def _group_entries(
    entries: list[dict[str, str]], key: str, of: dict[str, str] | None = None
) -> dict[str, list[dict[str, str]]]:
    """Group entries by one key; `of` selects entries with these values."""
    groups: dict[str, list[dict[str, str]]] = {}
    for entry in entries:
        if (of or {}).items() <= entry.items():
            groups.setdefault(entry[key], []).append(entry)
    return dict(sorted(groups.items()))


_NUMBER = re.compile(r" = (\d+)")
_ESCAPES = {ord(char): f"\\{char}" for char in "\\|`*_[]"} | {ord(char): f"&#{ord(char)};" for char in "<>&"}
# GitHub would notify the user of this name, or link the issue of this number; `&#` begins a character reference.
_MENTIONS = re.compile(r"(?<!&)(?:@(?=\w)|#(?=\d))")


def escape_cell(value: object) -> str:
    """Escape text for a cell of a Markdown table: one line, without markup or mentions."""
    return _disarm_mentions(_replace_unprintable(value).translate(_ESCAPES))


def escape_summary(value: object) -> str:
    """Escape text for one line of an HTML block, where Markdown has no markup."""
    return _disarm_mentions(escape(_replace_unprintable(value)))


def _disarm_mentions(text: str) -> str:
    return _MENTIONS.sub(r"\g<0><!-- -->", text)


def _replace_unprintable(value: object) -> str:
    text = str(value)
    return text if text.isprintable() else "".join(char if char.isprintable() else " " for char in text)
