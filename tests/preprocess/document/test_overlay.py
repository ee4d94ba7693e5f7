"""Overlays: the document that they are applied to stays as it is."""

from __future__ import annotations

import copy
import json

from pipeline.model.document.located import read_document
from preprocess.document.overlay import apply_overlay

DOCUMENT = """
openapi: 3.1.0
shared: &shared {type: string}
first: {a: *shared, b: {type: integer}}
second: {a: *shared}
list: [{name: x}, {name: y}, {name: z}]
"""
ACTIONS = [
    {"target": "$.first.a", "update": {"maxLength": 3}},
    {"target": "$.first.b", "remove": True},
    {"target": "$.list[?@.name != 'y']", "remove": True},
    {"target": "$.list", "update": {"name": "w"}},
]


def test_only_the_result_has_the_changes() -> None:
    document = read_document(DOCUMENT, "spec.yaml")
    before = copy.deepcopy(dict(document))
    overlay = read_document(json.dumps({"overlay": "1.0.0", "actions": ACTIONS}), "overlay.json")
    result, warnings = apply_overlay(document, overlay)
    assert warnings == []
    assert document == before
    assert result["first"] == {"a": {"type": "string", "maxLength": 3}}
    assert result["list"] == [{"name": "y"}, {"name": "w"}]


def test_a_value_that_an_alias_shares_changes_in_the_target_only() -> None:
    document = read_document(DOCUMENT, "spec.yaml")
    overlay = read_document(json.dumps({"overlay": "1.0.0", "actions": ACTIONS[:1]}), "overlay.json")
    result, _ = apply_overlay(document, overlay)
    assert result["second"]["a"] == {"type": "string"}


def test_a_copy_keeps_the_places() -> None:
    document = read_document(DOCUMENT, "spec.yaml")
    overlay = read_document(json.dumps({"overlay": "1.0.0", "actions": ACTIONS}), "overlay.json")
    result, _ = apply_overlay(document, overlay)
    assert result["first"].place == document["first"].place
    assert result["first"]["a"].place == document["first"]["a"].place
