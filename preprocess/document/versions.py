"""Exclude and deprecate elements by the target version of the API, and collect the version marks for the report.

Vendor extensions: `x-version-added`, `x-version-removed`, `x-version-deprecated`, `x-deprecation-message`.
"""

from __future__ import annotations

from pipeline.model.api_versions import Marks, Span
from pipeline.model.contract import Exclusion, Rule
from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.document.located import LocatedMap, walk_maps

RULE_ADDED = Rule("version-not-yet")
RULE_REMOVED = Rule("version-removed")
ADDED, DEPRECATED, REMOVED = "x-version-added", "x-version-deprecated", "x-version-removed"


def parse_version(text: str, node: LocatedMap) -> tuple[int, ...]:
    """Return a version as numbers without trailing zeros: `2.10.0` → (2, 10).

    Raises:
        Failure: `spec/malformed` if the string is no version; at the position of `node`.
    """
    try:
        numbers = [int(number) for number in str(text).split(".")]
    except ValueError:
        message = f"expected a version such as `2.4`, found `{text}`"
        raise Failure(Diagnostic("spec/malformed", message, node.place, "write it as major.minor")) from None
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


class VersionRule:
    """Decides by the target version which elements are excluded or deprecated."""

    def __init__(self, target: str | None) -> None:
        self.target = parse_version(target, LocatedMap()) if target else None
        self.text = target or ""

    def find_exclusion(self, node: LocatedMap) -> Exclusion | None:
        """Return the exclusion of a parameter, property, schema or operation; None if the target version has it."""
        if self.target is None:
            return None
        if ADDED in node and parse_version(node[ADDED], node) > self.target:
            return Exclusion(node.place, RULE_ADDED, f"added in {node[ADDED]}, after {self.text}", is_unreleased=True)
        if REMOVED in node and parse_version(node[REMOVED], node) <= self.target:
            return Exclusion(node.place, RULE_REMOVED, f"removed in {node[REMOVED]}")
        return None

    def get_deprecation(self, node: LocatedMap) -> str:
        """Return why an element is deprecated in the target version; empty if it is not."""
        since = node.get(DEPRECATED)
        if since is not None and (self.target is None or parse_version(since, node) <= self.target):
            message = str(node.get("x-deprecation-message", "")).rstrip(".")
            return f"deprecated since {since}" + (f"\n{message}" if message else "")
        return "deprecated in the spec" if node.get("deprecated") is True else ""


def collect_version_marks(document: LocatedMap) -> Marks:
    """Return the version span of every marked element, by its JSON pointer.

    Invalid versions are ignored here; `VersionRule` refuses those that affect the contract.
    """
    return {
        node.place.pointer: Span(*(_parse_mark(node, key) for key in (ADDED, DEPRECATED, REMOVED)))
        for node in walk_maps(document)
        if ADDED in node or DEPRECATED in node or REMOVED in node
    }


def _parse_mark(node: LocatedMap, key: str) -> tuple[int, ...] | None:
    try:
        return parse_version(node[key], node) if key in node else None
    except Failure:
        return None
