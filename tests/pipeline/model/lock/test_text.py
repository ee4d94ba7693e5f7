"""Reading a lock line by line and as YAML gives the same result."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.model.contract import Label
from pipeline.model.lock.model import Lock, LockedField, LockedFile, LockedMessage
from pipeline.model.lock.text import format_lock, parse_lock, read_lines
from tests.support import ROOT

LOCKS = [ROOT / "protos" / "opensearch" / "lock.yaml", *sorted(ROOT.glob("rules/baselines/*.yaml"))]
TEXTS = st.text(max_size=12) | st.sampled_from(["null", "No", "1", "1e3", "- {", "a: b", "{}", "fields", "values"])


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_published_locks_equal_their_yaml(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert read_lines(text) == yaml.load(text, yaml.CSafeLoader)
    assert format_lock(parse_lock(text, path.name)) == text


# A name with a dot is a nested message.
NAMES = TEXTS.filter(lambda text: "." not in text)


@example(names=["A\n"], texts=[""] * 4)
@given(names=st.lists(NAMES, min_size=1, max_size=4, unique=True), texts=st.lists(TEXTS, min_size=4, max_size=4))
def test_names_survive_the_round_trip(names: list[str], texts: list[str]) -> None:
    field = LockedField(number=1, name=texts[0], type="bool", label=Label.MAP, source=texts[1], reason=texts[2])
    message = LockedMessage(file=texts[3], schema=texts[0], next=2, fields=(field,))
    files = dict.fromkeys(names, LockedFile(package=texts[0], options={"a": texts[1], "b": True}))
    lock = Lock(version=1, package="a.v1", files=files, messages=dict.fromkeys(names, message))
    assert Lock.model_validate(read_lines(format_lock(lock)), strict=False) == lock
    assert parse_lock(format_lock(lock), "lock.yaml") == lock


@pytest.mark.parametrize("change", [("  ", "   "), ("# The", "\n# The"), ("- {number", "- { number"), (": ", ":   ")])
def test_a_reformatted_lock_is_read_as_yaml(change: tuple[str, str]) -> None:
    text = (ROOT / "protos" / "example" / "lock.yaml").read_text(encoding="utf-8")
    assert change[0] in text
    assert parse_lock(text.replace(*change), "lock.yaml") == parse_lock(text, "lock.yaml")
