"""JSON on many lines is what the standard library writes."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from pipeline.model.json_writer import format_json

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()


def test_what_is_deeper_stands_on_one_line() -> None:
    value = {"a": {"b": [1, {"ü": None}], "c": {}}, "d": []}
    assert format_json(value, 2) == '{\n "a": {\n  "b": [1, {"ü": null}],\n  "c": {}\n },\n "d": []\n}'
    assert json.loads(format_json(value, 0)) == value


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20))
def test_it_is_what_json_writes(value: object) -> None:
    assert format_json(value) == json.dumps(value, indent=1, ensure_ascii=False)
