"""One build of the real specification from the imported baseline, for all tests here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.parts import Part, absent
from tests.support import BASELINE, ROOT, SPEC, spec2proto


@dataclass(frozen=True)
class Build:
    """A result and its report."""

    folder: Path
    report: dict[str, Any]

    def elements(self, change: str) -> set[str]:
        """What changed in one way."""
        return {entry["element"] for entry in self.report["changes"] if entry["change"] == change}


@pytest.fixture(scope="session")
def spec() -> Path:
    """The real specification, where it is at hand."""
    if not SPEC.is_file():
        absent(Part.SPECIFICATION, f"the OpenSearch specification is not at {SPEC}")
    return SPEC


@pytest.fixture(scope="session")
def build(spec: Path, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The default profile, built from the baseline lock."""
    folder = tmp_path_factory.mktemp("opensearch") / "protos"
    done = spec2proto("build", "--profile", "opensearch", "--spec", spec, "--lock", BASELINE, "--out", folder)
    assert done.returncode == 0, done.stderr
    report = json.loads((ROOT / "generated" / "opensearch" / "report.json").read_text())
    return Build(folder, report)


def built(spec: Path, folder: Path) -> Build:
    """The profile of the whole API, built from an empty lock."""
    done = spec2proto("build", "--profile", "opensearch-full", "--spec", spec, "--out", folder)
    assert done.returncode == 0, done.stderr
    return Build(folder, json.loads((ROOT / "generated" / "opensearch-full" / "report.json").read_text()))


@pytest.fixture(scope="session")
def full(spec: Path, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The whole API."""
    return built(spec, tmp_path_factory.mktemp("full") / "protos")
