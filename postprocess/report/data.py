"""Build the report as plain data, the source of `report.json`, the Markdown and the HTML page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline.model.changes import Change, Event
from pipeline.model.contract import Contract
from pipeline.model.diagnostics import Diagnostic, Severity
from pipeline.model.json_writer import format_json
from postprocess.coverage.gate import Coverage
from postprocess.report.coverage import build_coverage_data, count_by_namespace
from postprocess.report.impact import build_verdict_data
from postprocess.report.proto_declarations import split_declarations
from postprocess.report.search_index import Material, Pages
from postprocess.round_trip.check import RoundTripResult

# Changes in fewer messages are listed one by one.
MANY = 3
_NUMBER = re.compile(r" = \d+")


@dataclass(slots=True)
class Report:
    """Everything that a build reports.

    Attributes:
        spec: origin, SHA-256 and kind of the specification.
        events: the changes against the lock.
        tools: tool versions by name.
        timings: seconds by stage.
        material: the files and schemas that the page shows.
        pages: the search index of the page.
        matrix: which protos work with which versions of the API.
        history: counts, sizes and timings of earlier builds, the oldest first.
    """

    profile: str
    spec: dict[str, str]
    contract: Contract
    events: list[Event]
    diagnostics: list[Diagnostic]
    coverage: Coverage
    trips: RoundTripResult
    tools: dict[str, str]
    timings: dict[str, float] = field(default_factory=dict)
    material: Material = field(default_factory=Material)
    pages: Pages = field(default_factory=Pages)
    matrix: dict[str, Any] = field(default_factory=lambda: {"releases": [], "versions": [], "servers": []})
    history: list[dict[str, Any]] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """The outcome of the build: `refused`, `unchanged` or `changed`."""
        if any(diagnostic.severity in {Severity.ERROR, Severity.DANGER} for diagnostic in self.diagnostics):
            return "refused"
        return "changed" if self.events else "unchanged"


def build_report_data(report: Report) -> dict[str, Any]:
    """Return the report as plain data, ready for JSON."""
    contract = report.contract
    changes = _list_changes(report.events, split_declarations(report.material.before))
    excluded = Counter(exclusion.rule for exclusion in contract.exclusions)
    data = {
        "format": 1,
        "profile": report.profile,
        "verdict": report.verdict,
        "spec": report.spec,
        "tools": report.tools,
        "counts": _count_contract(contract),
        "sizes": _measure_files(report.material.after),
        "changes": changes,
        "repeats": group_repeated_changes(changes),
        "findings": [_describe_diagnostic(diagnostic) for diagnostic in sorted(set(report.diagnostics))],
        **build_coverage_data(report.coverage),
        "coverage_by_namespace": count_by_namespace(report.coverage.places, contract),
        **build_round_trip_data(report.trips, report.coverage.free_form_reasons),
        "exclusions": [
            {"rule": exclusion.rule, "reason": exclusion.reason, "place": str(exclusion.place)}
            for exclusion in sorted(contract.exclusions, key=lambda item: (item.rule, item.place))
        ],
        "excluded_by_rule": dict(sorted(excluded.items())),
        "timings": {stage: round(seconds, 3) for stage, seconds in report.timings.items()},
        "matrix": report.matrix,
        "history": report.history,
    }
    return data | {"compatibility": build_verdict_data(data)}


def _list_changes(events: Iterable[Event], before: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the changes as data; a field with a new type carries its old declaration as `was`."""
    return [
        {
            "change": event.change,
            "element": event.element,
            "detail": event.detail,
            "place": str(event.place),
            "was": _find_old_declaration(event.element, before) if event.change is Change.TYPE_CHANGED else "",
        }
        for event in events
    ]


def _find_old_declaration(element: str, before: Mapping[str, str]) -> str:
    """Return the proto line that declared a field before this build; empty if it was not there."""
    owner, _, member = element.partition(".")
    declared = re.compile(rf"\s{re.escape(member)} = \d+\b")
    lines = before.get(owner, "").splitlines()
    return next((line.strip().rstrip(";") for line in lines if declared.search(line)), "")


def _count_contract(contract: Contract) -> dict[str, int]:
    fields = [item for message in contract.messages.values() for item in message.fields]
    return {
        "messages": len(contract.messages),
        "fields": len(fields),
        "enums": len(contract.enums),
        "enum_values": sum(len(enum.values) for enum in contract.enums.values()),
        "rpcs": len(contract.rpcs),
        "deprecated_fields": sum(1 for item in fields if item.deprecated),
    }


def _measure_files(files: Mapping[str, bytes]) -> dict[str, int]:
    protos = [content for name, content in files.items() if name.endswith(".proto")]
    others = {name: len(content) for name, content in sorted(files.items()) if not name.endswith(".proto")}
    return {"proto_files": len(protos), "protos": sum(map(len, protos))} | others


def _describe_diagnostic(diagnostic: Diagnostic) -> dict[str, str]:
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "place": str(diagnostic.place),
        "hint": diagnostic.hint,
    }


def format_report(data: dict[str, Any]) -> str:
    """Format the report as JSON for `report.json`."""
    return format_json(data) + "\n"


def group_repeated_changes(changes: Iterable[Mapping[str, str]]) -> list[dict[str, Any]]:
    """Return the changes that are equal, except for the number, in at least three messages; the most frequent first.

    Members of a message that was added as a whole do not count.
    """
    groups: dict[tuple[str, str, str], list[str]] = {}
    entries = list(changes)
    wholes = {entry["element"] for entry in entries if entry["change"] == Change.ADDED}
    for entry in entries:
        owner, _, member = entry["element"].partition(".")
        if member and owner not in wholes:
            groups.setdefault((entry["change"], member, _NUMBER.sub("", entry["detail"])), []).append(entry["element"])
    many = [(key, elements) for key, elements in groups.items() if len(elements) >= MANY]
    many.sort(key=lambda item: (-len(item[1]), item[0]))
    return [
        {"change": change, "member": member, "detail": detail, "elements": sorted(elements)}
        for (change, member, detail), elements in many
    ]


def build_round_trip_data(trips: RoundTripResult, open_fields: Collection[str]) -> dict[str, Any]:
    """Return as data: counts, how leaf values travel, and variants that are never chosen.

    The specification declares no type for the `open_fields`.
    """
    leaves = trips.leaves
    return {
        "round_trip": {
            "messages": trips.messages,
            "values": trips.values,
            "rpcs": trips.rpcs,
            "exchanges": trips.exchanges,
            "lost": len(trips.diagnostics),
            "leaves": leaves.total,
            "dynamic_leaves": leaves.dynamic.total(),
            "dynamic_though_typed": sum(leaves.count_typed_dynamic(open_fields).values()),
            "typed_percent": round(100 * leaves.typed / leaves.total, 2) if leaves.total else 100.0,
            "indistinct": [
                {"message": item.message, "chosen": item.chosen, "never": item.never} for item in trips.indistinct
            ],
        }
    }


def format_round_trip(trips: RoundTripResult) -> Iterator[str]:
    """Format the round trip for the terminal."""
    yield f"round trip: {trips.values} values of {trips.messages} messages, {trips.exchanges} requests and responses"
    if trips.indistinct:
        yield f"{len(trips.indistinct)} variants that no value distinguishes from an earlier one"
