"""Exclude and deprecate elements by the target version of the API.

Vendor extensions: `x-version-added`, `x-version-removed`, `x-version-deprecated`, `x-deprecation-message`.
"""

from __future__ import annotations

from pipeline.model.contract import Rule
from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.document.located import LocatedMap

RULE_ADDED = Rule("version-not-yet")
RULE_REMOVED = Rule("version-removed")


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

    def find_exclusion(self, node: LocatedMap) -> tuple[Rule, str] | None:
        """Return rule and reason if a parameter, property, schema or operation is excluded; else None."""
        if self.target is None:
            return None
        if "x-version-added" in node and parse_version(node["x-version-added"], node) > self.target:
            return RULE_ADDED, f"added in {node['x-version-added']}, after {self.text}"
        if "x-version-removed" in node and parse_version(node["x-version-removed"], node) <= self.target:
            return RULE_REMOVED, f"removed in {node['x-version-removed']}"
        return None

    def get_deprecation(self, node: LocatedMap) -> str:
        """Return why an element is deprecated in the target version; empty if it is not."""
        since = node.get("x-version-deprecated")
        if since is not None and (self.target is None or parse_version(since, node) <= self.target):
            message = str(node.get("x-deprecation-message", "")).rstrip(".")
            return f"deprecated since {since}" + (f"\n{message}" if message else "")
        return "deprecated in the spec" if node.get("deprecated") is True else ""
