"""Versions of an API: since when, and until when, it has what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# Major and minor and so on, without trailing zeros, so that 2.0 and 2 are one.
Version = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """The versions that have something; None is unknown, and taken for always."""

    added: Version | None = None
    deprecated: Version | None = None
    removed: Version | None = None

    def has(self, version: Version) -> bool:
        """Whether a version has it."""
        return (self.added is None or self.added <= version) and (self.removed is None or version < self.removed)


ALWAYS = Span()
Marks = Mapping[str, Span]


def format_version(version: Version) -> str:
    """A version as people write it: with a minor, `3.0`."""
    return ".".join(str(part) for part in (*version, *[0] * (2 - len(version))))
