"""Shrink a failing JSON value: remove keys and items as long as it still fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

TRIALS = 400
"""The number of attempts; after them the smallest value so far is returned."""


def shrink(value: Any, fails: Callable[[Any], bool]) -> Any:
    """Return the smallest value found that still fails."""
    trials = TRIALS
    shrunk = True
    while shrunk and trials > 0:
        shrunk = False
        for smaller in _shrink_once(value):
            trials -= 1
            if fails(smaller):
                value, shrunk = smaller, True
                break
            if trials <= 0:
                break
    return value


def _shrink_once(value: Any) -> Iterator[Any]:
    """Yield the values with one key or item less, the largest steps first."""
    if type(value) is dict:
        yield from ({name: value[name]} for name in value if len(value) > 1)
        yield from ({name: item for name, item in value.items() if name != removed} for removed in value)
        for name, entry in value.items():
            yield from (value | {name: smaller} for smaller in _shrink_once(entry))
    elif type(value) is list:
        yield from (value[:at] + value[at + 1 :] for at in range(len(value)))
        for at, entry in enumerate(value):
            yield from ([*value[:at], smaller, *value[at + 1 :]] for smaller in _shrink_once(entry))
