"""Leaves are counted by how they travel: in fields of their type, or in fields for anything, with or without reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from spec2proto_codec import HttpCodec

from postprocess.round_trip.leaves import Leaves

CARD = {"notes": {"a": [1, {"b": None}], "c": "d", "e": {}}, "anything": True, "scores": {"x": 1, "y": 2}}
HIT = {"_source": {"a": [1, 2], "b": {}}, "settings": {"c": 1}}


@pytest.mark.parametrize(
    ("stem", "message", "value", "typed", "dynamic"),
    [
        ("free-form", "Card", CARD, 2, {"Card.anything": 1, "Card.notes": 3}),
        ("document-bytes", "Hit", HIT, 0, {"Hit.settings": 1, "Hit.x_source": 2}),
        ("number-without-format", "Fee", {"amount": 1.5, "steps": [1, 2]}, 3, {}),
    ],
)
def test_leaves_are_counted_by_their_fields(
    codec: Callable[..., HttpCodec], stem: str, message: str, value: Any, typed: int, dynamic: dict[str, int]
) -> None:
    built = codec(stem)
    name = next(name for name in built.plans.messages if name.endswith(f".{message}"))
    found = Leaves()
    found.count(built.encode_message(name, value), built.plans.messages[name])
    assert (found.typed, dict(found.dynamic)) == (typed, dynamic)
    assert found.total == typed + sum(dynamic.values())
    assert found.count_typed_dynamic([]) == dynamic
    assert found.count_typed_dynamic(dynamic) == {}
    assert [item.code for item in found.report_diagnostics([])] == ["coverage/dynamic"] * len(dynamic)
