"""The report as Markdown, which is the body of a pull request: short enough for GitHub, and never cut.

Long lists are folded. Where the whole is still too long, lists are told by their number, the least important first,
until it fits; `report.html` and `report.json` have them all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set
from html import escape
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pipeline.model.changes import Change
from pipeline.model.diagnostics import Severity
from pipeline.model.paths import ROOT
from postprocess.report.version_matrix import cell_text, server_text

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
# What is told by its number alone where the whole is too long, the least important first.
_BRIEF = (
    "versions",
    *("notes", "left out", "round trip", "constraints", Change.ADDED, Change.RESTORED, Change.MOVED),
    *(Change.RENAMED, "repeated", Change.DEPRECATED, Change.TYPE_CHANGED, "findings", Change.ACCEPTED),
)
# Lists with more rows than these are folded.
OPEN_ROWS = 12


def report_markdown(data: dict[str, Any]) -> str:
    """The report for people, as Markdown of at most `LONGEST` characters."""
    environment = Environment(  # noqa: S701 - Markdown; every value goes through `cell` or `summary`
        loader=FileSystemLoader(ROOT / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    origin = str(data["spec"]["origin"])
    environment.filters |= {
        "matrix_cell": cell_text,
        "server": server_text,
        "cell": cell,
        "summary": summary,
        "place": lambda text: _short(text, origin),
    }
    template = environment.get_template("report.md.j2")
    values = data | {
        "groups": list(_groups(data["changes"], data["repeats"])),
        "problems": _problems(data["findings"]),
        "notes": _by(data["findings"], "code", of={"severity": Severity.NOTE}),
        "left_out": _by(data["exclusions"], "rule"),
        "open_rows": OPEN_ROWS,
    }
    endless = {change for change, _, entries in values["groups"] if _least(entries) > LONGEST}
    return _fitting(lambda brief: template.render(**values, brief=brief), endless)


def _least(entries: list[dict[str, str]]) -> int:
    """A length that a list of changes exceeds: nothing in a cell becomes shorter."""
    return sum(len(entry["element"]) + len(entry["detail"]) for entry in entries)


def _fitting(render: Callable[[list[str]], str], endless: Set[str]) -> str:
    """The text with as few lists told by their number as fit, the least important of them first.

    Args:
        render: the text, given the names of these lists.
        endless: names of lists that do not fit by themselves, which saves trying.
    """
    brief = list(_BRIEF[: max((_BRIEF.index(name) + 1 for name in endless), default=0)])
    text = render(brief)
    for name in _BRIEF[len(brief) :]:
        if len(text) <= LONGEST:
            break
        brief.append(name)
        text = render(brief)
    for name in [name for name in reversed(brief[:-1]) if name not in endless]:
        fuller = [other for other in brief if other != name]
        attempt = render(fuller)
        if len(attempt) <= LONGEST:
            brief, text = fuller, attempt
    return text


def _short(place: str, origin: str) -> str:
    """A place in the specification without the folders or the host that the specification came from."""
    name = origin.rpartition("/")[2]
    return name + place.removeprefix(origin) if place.startswith(f"{origin}:") else place


def _groups(
    changes: list[dict[str, str]], repeats: list[dict[str, Any]]
) -> Iterable[tuple[str, str, list[dict[str, str]]]]:
    told = {(entry["change"], element) for entry in repeats for element in entry["elements"]}
    for change, title in TITLES.items():
        found = [entry for entry in changes if entry["change"] == change and (change, entry["element"]) not in told]
        if found:
            yield change, title, _folded(found)


def _folded(entries: list[dict[str, str]]) -> list[dict[str, str]]:
    """The entries, with what belongs to a message that is here as a whole on the message's own line."""
    wholes = {entry["element"] for entry in entries if "." not in entry["element"]}
    parts: dict[str, list[str]] = {name: [] for name in wholes}
    kept = []
    for entry in entries:
        owner, _, member = entry["element"].partition(".")
        if not member or owner not in wholes:
            kept.append(entry)
        elif "." not in member and " = " in entry["detail"]:
            parts[owner].append(entry["detail"])
    return [entry | {"detail": _with_parts(entry["detail"], parts.get(entry["element"], []))} for entry in kept]


def _with_parts(detail: str, parts: list[str]) -> str:
    numbered = sorted(parts, key=lambda text: int(_NUMBER.findall(text)[0]))
    return f"{detail}: {'; '.join(numbered)}" if numbered else detail


def _problems(diagnostics: list[dict[str, str]]) -> list[dict[str, str]]:
    """What asks for a decision, the worst first; notes are told by code."""
    order = [Severity.ERROR, Severity.DANGER, Severity.WARNING]
    found = [diagnostic for diagnostic in diagnostics if diagnostic["severity"] in order]
    return sorted(found, key=lambda diagnostic: order.index(Severity(diagnostic["severity"])))


def _by(entries: list[dict[str, str]], key: str, of: dict[str, str] | None = None) -> dict[str, list[dict[str, str]]]:
    """Entries that have certain values, by another of theirs."""
    found: dict[str, list[dict[str, str]]] = {}
    for entry in entries:
        if (of or {}).items() <= entry.items():
            found.setdefault(entry[key], []).append(entry)
    return dict(sorted(found.items()))


_NUMBER = re.compile(r" = (\d+)")
_ESCAPES = {ord(char): f"\\{char}" for char in "\\|`*_[]"} | {ord(char): f"&#{ord(char)};" for char in "<>&"}
# GitHub would write to whoever is called like this, and to the issue of this number.
_CALLS = re.compile(r"@(?=\w)|#(?=\d)")


def cell(value: object) -> str:
    """Text as it may stand in a cell of a Markdown table: on one line, nothing in it taken for markup or a mention."""
    return _quiet(_line(value).translate(_ESCAPES))


def summary(value: object) -> str:
    """Text as it may stand on the one line of a block of HTML, where Markdown has no markup."""
    return _quiet(escape(_line(value)))


def _quiet(text: str) -> str:
    return _CALLS.sub(lambda found: f"{found[0]}<!-- -->" if not _entity(text, found.start()) else found[0], text)


def _entity(text: str, at: int) -> bool:
    return at > 0 and text[at - 1] == "&"


def _line(value: object) -> str:
    text = str(value)
    return text if text.isprintable() else "".join(char if char.isprintable() else " " for char in text)
