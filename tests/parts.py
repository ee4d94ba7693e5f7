"""Parts that some tests need and that a machine may lack.

A test that misses a part is skipped and says why. `REQUIRED_PARTS` in the environment lists the parts, separated by
spaces, without which a test fails instead: continuous integration names all that it installs.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn

import pytest

from tests.support import SHARED, SPEC


class Part(StrEnum):
    """What may be missing."""

    SPECIFICATION = "specification"
    HISTORY = "history"
    TRAFFIC = "traffic"
    RELEASES = "releases"
    OLD_GENERATOR = "old-generator"
    PYTHON = "python"
    JAVA = "java"
    GO = "go"
    NODE = "node"
    SERVER = "server"
    BROWSER = "browser"


def absent(part: Part, reason: str) -> NoReturn:
    """Skip the running test because a part is missing, or fail it where the part is required."""
    if part in os.environ.get("REQUIRED_PARTS", "").split():
        pytest.fail(f"{reason} (`{part}` is among REQUIRED_PARTS)", pytrace=False)
    pytest.skip(reason)


@dataclass(frozen=True)
class _Check:
    is_present: Callable[[], bool]
    reason: str


_TRAFFIC = SHARED / "corpus" / "exchanges.jsonl"
_CHECKS = {
    Part.SPECIFICATION: _Check(SPEC.is_file, f"no OpenSearch specification at {SPEC}; `make spec` downloads it"),
    Part.HISTORY: _Check(lambda: any(SPEC.parent.glob("*.yaml.gz")), f"no earlier specifications in {SPEC.parent}"),
    Part.TRAFFIC: _Check(_TRAFFIC.is_file, f"no recorded traffic at {_TRAFFIC}"),
}


def check_marked(item: pytest.Item) -> None:
    """Skip or fail a test marked `needs(part)` whose part is missing."""
    for mark in item.iter_markers("needs"):
        check = _CHECKS[Part(mark.args[0])]
        if not check.is_present():
            absent(Part(mark.args[0]), check.reason)
