"""A place for each test's commands, and nothing left of it afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .case import Place


@pytest.fixture
def make_place(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Callable[..., Place]]:
    """Makes the place of a test, whose profile is called after the test, or after what the test says."""
    made: list[Place] = []

    def make(name: str = "", lock: Path | None = None) -> Place:
        words = re.sub(r"[^a-z0-9]+", "-", (name or request.node.name).lower()).strip("-")
        made.append(Place(tmp_path / words, f"case-{words}", lock))
        return made[-1]

    yield make
    for place in made:
        place.clean()


@pytest.fixture
def place(make_place: Callable[..., Place]) -> Place:
    """The place of a test that needs nothing special."""
    return make_place()
