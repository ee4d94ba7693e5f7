"""The report of a build as data, for machines; Markdown and the page are made of the same data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline.model.changes import Change, Event
from pipeline.model.contract import Contract
from pipeline.model.diagnostics import Diagnostic, Severity
from pipeline.model.json_writer import format_json
from postprocess.coverage.gate import Coverage
from postprocess.report.coverage import coverage_data
from postprocess.report.grouped_changes import repeated
from postprocess.report.html_payload import Pages
from postprocess.report.impact import verdict_data
from postprocess.report.namespaces import by_namespace
from postprocess.report.proto_declarations import declarations
from postprocess.report.round_trip import round_trip_data
from postprocess.report.search_index import Material
from postprocess.round_trip.check import Trips


@dataclass(slots=True)
class Report:
    """What a build has to say.

    Attributes:
        profile: its name.
        spec: origin, sha256 and how it was found.
        contract: the numbered contract.
        events: what changed against the lock.
        diagnostics: everything that was found, of any severity.
        coverage: how everything in scope is carried.
        trips: what came back from protobuf.
        wire: what breaks only the names in generated code and JSON, for information.
        tools: names and versions.
        timings: seconds by stage.
        material: the files and schemas that the pages show.
        pages: what can be looked up in them.
        matrix: which protos work with which versions of the API.
        history: what earlier builds of the profile counted and took, the oldest first.
    """

    profile: str
    spec: dict[str, str]
    contract: Contract
    events: list[Event]
    diagnostics: list[Diagnostic]
    coverage: Coverage
    trips: Trips
    tools: dict[str, str]
    timings: dict[str, float] = field(default_factory=dict)
    material: Material = field(default_factory=Material)
    pages: Pages = field(default_factory=Pages)
    matrix: dict[str, Any] = field(default_factory=lambda: {"releases": [], "versions": [], "servers": []})
    history: list[dict[str, Any]] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """`refused`, `unchanged` or `changed`."""
        if any(diagnostic.severity in {Severity.ERROR, Severity.DANGER} for diagnostic in self.diagnostics):
            return "refused"
        return "changed" if self.events else "unchanged"


def report_data(report: Report) -> dict[str, Any]:
    """The report as plain data."""
    contract = report.contract
    changes = _changes(report.events, declarations(report.material.before))
    excluded = Counter(exclusion.rule for exclusion in contract.exclusions)
    data = {
        "format": 1,
        "profile": report.profile,
        "verdict": report.verdict,
        "spec": report.spec,
        "tools": report.tools,
        "counts": _counts(contract),
        "sizes": _sizes(report.material.after),
        "changes": changes,
        "repeats": repeated(changes),
        "findings": [_diagnostic(diagnostic) for diagnostic in sorted(set(report.diagnostics))],
        **coverage_data(report.coverage),
        "coverage_by_namespace": by_namespace(report.coverage.places, contract),
        **round_trip_data(report.trips, report.coverage.free_form_reasons),
        "exclusions": [
            {"rule": exclusion.rule, "reason": exclusion.reason, "place": str(exclusion.place)}
            for exclusion in sorted(contract.exclusions, key=lambda item: (item.rule, item.place))
        ],
        "excluded_by_rule": dict(sorted(excluded.items())),
        "timings": {stage: round(seconds, 3) for stage, seconds in report.timings.items()},
        "matrix": report.matrix,
        "history": report.history,
    }
    return data | {"compatibility": verdict_data(data)}


def _changes(events: Iterable[Event], before: Mapping[str, str]) -> list[dict[str, str]]:
    """Each change, with the declaration that stood before where that is another one now."""
    return [
        {
            "change": event.change,
            "element": event.element,
            "detail": event.detail,
            "place": str(event.place),
            "was": _was(event.element, before) if event.change is Change.TYPE_CHANGED else "",
        }
        for event in events
    ]


def _was(element: str, before: Mapping[str, str]) -> str:
    """The line that declared a field."""
    owner, _, member = element.partition(".")
    declared = re.compile(rf"\s{re.escape(member)} = \d+\b")
    lines = before.get(owner, "").splitlines()
    return next((line.strip().rstrip(";") for line in lines if declared.search(line)), "")


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


def _diagnostic(diagnostic: Diagnostic) -> dict[str, str]:
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "place": str(diagnostic.place),
        "hint": diagnostic.hint,
    }


def report_json(data: dict[str, Any]) -> str:
    """The report for machines."""
    return format_json(data) + "\n"
