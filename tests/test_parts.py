"""Missing parts: skipped where they are optional, a failure where they are required."""

from __future__ import annotations

import hashlib

import pytest

from tests import specification
from tests.parts import Part, absent
from tests.support import SPEC


def test_a_missing_part_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUIRED_PARTS", "java")
    with pytest.raises(pytest.skip.Exception, match="no browser here"):
        absent(Part.BROWSER, "no browser here")


def test_a_missing_part_that_is_required_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUIRED_PARTS", "java browser")
    with pytest.raises(pytest.fail.Exception, match=r"no browser here \(`browser` is among REQUIRED_PARTS\)"):
        absent(Part.BROWSER, "no browser here")


@pytest.mark.needs("specification")
def test_the_pinned_specification_is_the_one_at_hand() -> None:
    assert hashlib.sha256(SPEC.read_bytes()).hexdigest() == specification.SHA256
