"""The verdict of a report: how much a change asks of those who use the protos."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from pipeline.model.changes import Change
from pipeline.model.diagnostics import Severity


class Impact(StrEnum):
    """What a change asks of users, the least first; each is a label of a pull request."""

    NONE = "none"
    ADDITIVE = "additive"
    DEPRECATING = "deprecating"
    SOURCE = "source-change"
    BREAKING = "breaking"
    REFUSED = "refused"


_OF_CHANGE = {
    Change.ADDED: Impact.ADDITIVE,
    Change.RESTORED: Impact.ADDITIVE,
    Change.DEPRECATED: Impact.DEPRECATING,
    Change.TYPE_CHANGED: Impact.DEPRECATING,
    Change.RENAMED: Impact.ADDITIVE,
    Change.MOVED: Impact.SOURCE,
    Change.ACCEPTED: Impact.BREAKING,
}
_SENTENCES = {
    Impact.NONE: "The protos are what the specification makes.",
    Impact.ADDITIVE: "Compatible: nothing that is published changes; "
    "clients and servers of before and after understand each other.",
    Impact.DEPRECATING: "Compatible: what is deprecated keeps its number and goes on working; "
    "those who use it should move to what replaces it.",
    Impact.SOURCE: "Compatible on the wire and in JSON; generated code is imported from another place.",
    Impact.BREAKING: "Not compatible: clients break by changes that the profile accepts, each with its reason.",
    Impact.REFUSED: "Not compatible, or not complete: a check refused the result, and nothing was published.",
}


def impact(changes: Iterable[Mapping[str, str]], diagnostics: Iterable[Mapping[str, str]]) -> Impact:
    """The weightiest of the changes of a report; refused where a diagnostic ends the build."""
    if any(diagnostic["severity"] in {Severity.ERROR, Severity.DANGER} for diagnostic in diagnostics):
        return Impact.REFUSED
    order = list(Impact)
    return max((_of(entry["change"]) for entry in changes), key=order.index, default=Impact.NONE)


def _of(change: str) -> Impact:
    return _OF_CHANGE.get(Change(change), Impact.SOURCE)


def verdict_data(data: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict as plain data: `impact`, the `sentence` for it, and the number of `changes` of each kind."""
    found = impact(data["changes"], data["findings"])
    return {
        "impact": str(found),
        "sentence": _SENTENCES[found],
        "changes": dict(Counter(entry["change"] for entry in data["changes"])),
    }
