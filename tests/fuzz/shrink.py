"""The smallest that still shows a fault: first without mutations that do not matter, then without all else."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from tests.fuzz.bases import Document, copied

SECONDS = 60

Shows = Callable[[Document], bool]


def needed(count: int, shows: Callable[[list[int]], bool]) -> list[int]:
    """The indexes of mutations without which the fault is gone."""
    kept = list(range(count))
    for index in range(count):
        fewer = [other for other in kept if other != index]
        if shows(fewer):
            kept = fewer
    return kept


def smallest(document: Document, shows: Shows) -> Document:
    """A document of which no node can go, as far as time allows; outer nodes are tried first."""
    until = time.monotonic() + SECONDS
    result = copied(document)
    changed = True
    while changed and time.monotonic() < until:
        changed = False
        waiting: list[tuple[Any, ...]] = [()]
        while waiting and time.monotonic() < until:
            path = waiting.pop(0)
            for key in _keys(_at(result, path)):
                if key in _keys(_at(result, path)) and shows(without := _without(result, (*path, key))):
                    result, changed = without, True
            waiting += [(*path, key) for key in _keys(_at(result, path))]
    return result


def _at(document: Document, path: tuple[Any, ...]) -> Any:
    value: Any = document
    for key in path:
        value = value[key]
    return value


def _keys(value: Any) -> list[Any]:
    """The keys of a node; of a list the last index first, so that what goes moves nothing that is still to be tried."""
    if isinstance(value, dict):
        return list(value)
    return list(range(len(value)))[::-1] if isinstance(value, list) else []


def _without(document: Document, path: tuple[Any, ...]) -> Document:
    result = copied(document)
    del _at(result, path[:-1])[path[-1]]
    return result
