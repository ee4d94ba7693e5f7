"""The same change in many messages, told once: a parameter that a whole family of operations gained or lost."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pipeline.model.changes import Change

# Fewer are told one by one.
MANY = 3
_NUMBER = re.compile(r" = \d+")


def repeated(changes: Iterable[Mapping[str, str]]) -> list[dict[str, Any]]:
    """Changes that are the same in at least three messages but for the number, those in most messages first.

    What belongs to a message that was added as a whole is none.

    Returns:
        `change`, `member`, `detail` without the number, and the `elements` it happened to.
    """
    found: dict[tuple[str, str, str], list[str]] = {}
    entries = list(changes)
    wholes = {entry["element"] for entry in entries if entry["change"] == Change.ADDED}
    for entry in entries:
        owner, _, member = entry["element"].partition(".")
        if member and owner not in wholes:
            found.setdefault((entry["change"], member, _NUMBER.sub("", entry["detail"])), []).append(entry["element"])
    many = [(key, elements) for key, elements in found.items() if len(elements) >= MANY]
    many.sort(key=lambda item: (-len(item[1]), item[0]))
    return [
        {"change": change, "member": member, "detail": detail, "elements": sorted(elements)}
        for (change, member, detail), elements in many
    ]
