"""Group a change that many messages share, such as a parameter that a whole family of operations gained."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pipeline.model.changes import Change

# Changes in fewer messages are listed one by one.
MANY = 3
_NUMBER = re.compile(r" = \d+")


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
