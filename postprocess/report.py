"""The report of a build: one document for machines, one for people, both from the same data."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pipeline.model.contract import Contract
from pipeline.model.events import Change, Event
from pipeline.model.findings import Finding, Severity
from pipeline.model.profile import ROOT
from postprocess.atlas import Material
from postprocess.by_namespace import by_namespace
from postprocess.coverage import Coverage
from postprocess.coverage_report import coverage_data
from postprocess.round_trip import Trips
from postprocess.round_trip_report import round_trip_data
from postprocess.verdict import verdict_data

TITLES = {
    Change.ADDED: "Added",
    Change.DEPRECATED: "Deprecated",
    Change.TYPE_CHANGED: "Type changed: the old field is deprecated beside a new one",
    Change.RESTORED: "Back again, under the old number",
    Change.MOVED: "Moved to another file: the same on the wire, imported from elsewhere",
}


@dataclass(slots=True)
class Report:
    """What a build has to say.

    Attributes:
        profile: its name.
        spec: origin, sha256 and how it was found.
        contract: the numbered contract.
        events: what changed against the lock.
        findings: everything that was found, of any severity.
        coverage: how everything in scope is carried.
        trips: what came back from protobuf.
        wire: what breaks only the names in generated code and JSON, for information.
        tools: names and versions.
        timings: seconds by stage.
        material: the files and schemas that the pages show.
        history: what earlier builds of the profile counted and took, the oldest first.
    """

    profile: str
    spec: dict[str, str]
    contract: Contract
    events: list[Event]
    findings: list[Finding]
    coverage: Coverage
    trips: Trips
    tools: dict[str, str]
    timings: dict[str, float] = field(default_factory=dict)
    material: Material = field(default_factory=Material)
    history: list[dict[str, Any]] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """`refused`, `unchanged` or `changed`."""
        if any(finding.severity in {Severity.ERROR, Severity.DANGER} for finding in self.findings):
            return "refused"
        return "changed" if self.events else "unchanged"


def report_data(report: Report) -> dict[str, Any]:
    """The report as plain data."""
    contract = report.contract
    excluded = Counter(exclusion.rule for exclusion in contract.exclusions)
    data = {
        "format": 1,
        "profile": report.profile,
        "verdict": report.verdict,
        "spec": report.spec,
        "tools": report.tools,
        "counts": _counts(contract),
        "sizes": _sizes(report.material.after),
        "changes": [
            {"change": event.change, "element": event.element, "detail": event.detail, "place": str(event.place)}
            for event in report.events
        ],
        "findings": [_finding(finding) for finding in sorted(set(report.findings))],
        **coverage_data(report.coverage),
        "coverage_by_namespace": by_namespace(report.coverage.places, contract),
        **round_trip_data(report.trips),
        "exclusions": [
            {"rule": exclusion.rule, "reason": exclusion.reason, "place": str(exclusion.place)}
            for exclusion in sorted(contract.exclusions, key=lambda item: (item.rule, item.place))
        ],
        "excluded_by_rule": dict(sorted(excluded.items())),
        "timings": {stage: round(seconds, 3) for stage, seconds in report.timings.items()},
        "history": report.history,
    }
    return data | {"compatibility": verdict_data(data)}


def _counts(contract: Contract) -> dict[str, int]:
    fields = [item for message in contract.messages.values() for item in message.fields]
    return {
        "messages": len(contract.messages),
        "fields": len(fields),
        "enums": len(contract.enums),
        "enum_values": sum(len(enum.values) for enum in contract.enums.values()),
        "rpcs": len(contract.rpcs),
        "deprecated_fields": sum(1 for item in fields if item.deprecated),
    }


def _sizes(files: Mapping[str, bytes]) -> dict[str, int]:
    """How many proto files there are, and the bytes of these together and of every other file."""
    protos = [content for name, content in files.items() if name.endswith(".proto")]
    others = {name: len(content) for name, content in sorted(files.items()) if not name.endswith(".proto")}
    return {"proto_files": len(protos), "protos": sum(map(len, protos))} | others


def _finding(finding: Finding) -> dict[str, str]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "place": str(finding.place),
        "hint": finding.hint,
    }


def report_json(data: dict[str, Any]) -> str:
    """The report for machines."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def report_markdown(data: dict[str, Any]) -> str:
    """The report for people, as Markdown."""
    loader = FileSystemLoader(ROOT / "templates")
    environment = Environment(  # noqa: S701 - Markdown; every value goes through `cell` or `summary`
        loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters |= {"cell": cell, "summary": summary}
    return environment.get_template("report.md.j2").render(
        **data,
        groups=list(_groups(data["changes"])),
        problems=_problems(data["findings"]),
        notes=_by(data["findings"], "code", of={"severity": Severity.NOTE}),
        left_out=_by(data["exclusions"], "rule"),
    )


def _groups(changes: list[dict[str, str]]) -> Iterable[tuple[str, list[dict[str, str]]]]:
    for change, title in TITLES.items():
        found = [entry for entry in changes if entry["change"] == change]
        if found:
            yield title, _folded(found)


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


def _problems(findings: list[dict[str, str]]) -> list[dict[str, str]]:
    """What asks for a decision, the worst first; notes are told by code."""
    order = [Severity.ERROR, Severity.DANGER, Severity.WARNING]
    found = [finding for finding in findings if finding["severity"] in order]
    return sorted(found, key=lambda finding: order.index(Severity(finding["severity"])))


def _by(entries: list[dict[str, str]], key: str, of: dict[str, str] | None = None) -> dict[str, list[dict[str, str]]]:
    """Entries that have certain values, by another of theirs."""
    found: dict[str, list[dict[str, str]]] = {}
    for entry in entries:
        if (of or {}).items() <= entry.items():
            found.setdefault(entry[key], []).append(entry)
    return dict(sorted(found.items()))


_NUMBER = re.compile(r" = (\d+)")
_ESCAPES = {ord(char): f"\\{char}" for char in "\\|`*_[]"} | {ord(char): f"&#{ord(char)};" for char in "<>&"}


def cell(value: object) -> str:
    """Text as it may stand in a cell of a Markdown table: on one line, nothing in it taken for markup."""
    return _line(value).translate(_ESCAPES)


def summary(value: object) -> str:
    """Text as it may stand on the one line of a block of HTML, where Markdown has no markup."""
    return escape(_line(value))


def _line(value: object) -> str:
    return "".join(char if char.isprintable() else " " for char in str(value))
