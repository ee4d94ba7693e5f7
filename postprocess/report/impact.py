"""Rate the impact of a build: how much its changes ask of the users of the protos."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from pipeline.model.changes import Change
from pipeline.model.diagnostics import Severity


class Impact(StrEnum):
    """How much a change asks of users, the least first; each value is a label of the pull request."""

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
    Impact.NONE: "The protos match the specification.",
    Impact.ADDITIVE: "Compatible: nothing published changes; old and new clients and servers understand each other.",
    Impact.DEPRECATING: "Compatible: deprecated elements keep their numbers and still work; "
    "users should move to the replacements.",
    Impact.SOURCE: "Compatible on the wire and in JSON; generated code moves to another package or file.",
    Impact.BREAKING: "Not compatible: the profile accepts breaking changes, each with its reason.",
    Impact.REFUSED: "Not compatible or not complete: a check refused the result, and nothing was published.",
}


def rate_impact(changes: Iterable[Mapping[str, str]], diagnostics: Iterable[Mapping[str, str]]) -> Impact:
    """Return the greatest impact of the changes; `refused` if a diagnostic refuses the build."""
    if any(diagnostic["severity"] in {Severity.ERROR, Severity.DANGER} for diagnostic in diagnostics):
        return Impact.REFUSED
    order = list(Impact)
    impacts = (_OF_CHANGE.get(Change(entry["change"]), Impact.SOURCE) for entry in changes)
    return max(impacts, key=order.index, default=Impact.NONE)


def build_verdict_data(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the verdict as plain data: `impact`, its `sentence`, and the number of `changes` of each kind."""
    overall = rate_impact(data["changes"], data["findings"])
    counts = dict(Counter(entry["change"] for entry in data["changes"]))
    return {"impact": str(overall), "sentence": _SENTENCES[overall], "changes": counts}
