"""What servers answer is known of bundled profiles, and of nobody else's that has the same name."""

from __future__ import annotations

import shutil
from pathlib import Path

from pipeline.build.inputs import read_served
from pipeline.model.profile.load import PROFILES, load_profile

OPENSEARCH = PROFILES / "opensearch.yaml"


def test_a_bundled_profile_has_its_servers() -> None:
    assert read_served(load_profile("opensearch")).servers
    assert read_served(load_profile(str(OPENSEARCH))).servers
    assert not read_served(load_profile("example")).servers


def test_another_profile_of_the_same_name_has_none(tmp_path: Path) -> None:
    shutil.copy(OPENSEARCH, tmp_path)
    profile = load_profile(str(tmp_path / OPENSEARCH.name))
    assert profile.name == "opensearch"
    assert not read_served(profile).servers
