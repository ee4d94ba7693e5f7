"""The limits that the README lists are those of a profile, with their defaults."""

from __future__ import annotations

import re

from pipeline.model.profile.profile import Limits
from tests.support import ROOT


def test_the_table_of_limits_is_what_a_profile_has() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| .* \| ([\d,]+) \| `[a-z/-]+` \|$", text, re.MULTILINE)
    assert {name: int(default.replace(",", "")) for name, default in rows} == Limits().model_dump()
