"""The smallest value that still fails: keys and items are taken away from a JSON value for as long as it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

TRIALS = 400
"""After how many trials the smallest value so far is taken."""


def smallest(value: Any, fails: Callable[[Any], bool]) -> Any:
    """The smallest value that is found to fail.

    Args:
        value: that fails.
        fails: whether another one does.
    """
    trials = TRIALS
    found = True
    while found and trials > 0:
        found = False
        for smaller in _smaller(value):
            trials -= 1
            if fails(smaller):
                value, found = smaller, True
                break
            if trials <= 0:
                break
    return value


def _smaller(value: Any) -> Iterator[Any]:
    """The values with one key or item less, the largest steps first."""
    if type(value) is dict:
        yield from ({name: value[name]} for name in value if len(value) > 1)
        yield from ({name: kept for name, kept in value.items() if name != left} for left in value)
        for name, entry in value.items():
            yield from (value | {name: smaller} for smaller in _smaller(entry))
    elif type(value) is list:
        yield from (value[:at] + value[at + 1 :] for at in range(len(value)))
        for at, entry in enumerate(value):
            yield from ([*value[:at], smaller, *value[at + 1 :]] for smaller in _smaller(entry))
