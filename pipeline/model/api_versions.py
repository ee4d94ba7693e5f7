"""API versions, and the range of versions that has an element."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# Major, minor and so on without trailing zeros, so that 2.0 equals 2.
Version = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """The versions that have an element; None means unbounded."""

    added: Version | None = None
    deprecated: Version | None = None
    removed: Version | None = None

    def has(self, version: Version) -> bool:
        """Return whether a version has the element."""
        return (self.added is None or self.added <= version) and (self.removed is None or version < self.removed)


ALWAYS = Span()
Marks = Mapping[str, Span]


def format_version(version: Version) -> str:
    """Return a version with at least two numbers: `3.0`."""
    return ".".join(str(number) for number in (*version, *[0] * (2 - len(version))))
