"""Two schemas for one value become one: the narrower, or both together."""

from __future__ import annotations

from typing import Any

import pytest

from preprocess.schema.all_of import JSON_TYPES, find_json_types, is_subtype, merge_schemas, resolve_refs
from tests.preprocess.schema.support import locate, make_converter

REF = {"$ref": "#/components/schemas/A"}
STRING, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
LISTED = {"type": "string", "enum": ["a"]}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (STRING, {"description": "x"}, STRING),
        ({"description": "x"}, STRING, STRING),
        (STRING, {"maxLength": 3}, STRING | {"maxLength": 3}),
        (INTEGER, {"oneOf": [STRING, INTEGER]}, INTEGER),
        (LISTED, {"oneOf": [STRING]}, LISTED),
        (STRING | {"minLength": 1}, STRING | {"maxLength": 3}, STRING | {"minLength": 1, "maxLength": 3}),
        (REF, {"allOf": [REF], "title": "x"}, {"allOf": [REF], "title": "x"}),
        (STRING, INTEGER | {"nullable": True}, INTEGER | {"nullable": True}),
        (STRING | {"deprecated": True}, {"oneOf": [STRING]}, {"oneOf": [STRING], "deprecated": True}),
    ],
)
def test_the_narrower_schema_wins(old: dict[str, Any], new: dict[str, Any], expected: dict[str, Any]) -> None:
    assert merge_schemas(make_converter({"A": STRING}), locate(old), locate(new)) == expected


def test_schemas_that_contradict_each_other_are_recorded() -> None:
    converter = make_converter()
    assert merge_schemas(converter, locate(STRING), locate({"oneOf": [INTEGER]})) == {"oneOf": [INTEGER]}
    assert [entry.reason for entry in converter.exclusions] == ["string, but integer in a later member"]


def test_unions_are_merged_by_title() -> None:
    one, two = NUMBER | {"title": "n"}, INTEGER | {"title": "n"}
    properties = {"type": "object", "properties": {"a": {}}}
    old, new = {"oneOf": [one, properties]}, {"oneOf": [two, properties]}
    merged = merge_schemas(make_converter(), locate(old), locate(new))
    assert merged["oneOf"][0]["type"] == "integer"


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, JSON_TYPES),
        (STRING, {"string"}),
        (NUMBER | {"nullable": True}, {"number", "integer", "null"}),
        ({"enum": ["a", None]}, {"string", "null"}),
        ({"oneOf": [STRING, {"type": ["integer", "null"]}]}, {"string", "integer", "null"}),
        ({"allOf": [{"type": ["string", "integer"]}, INTEGER]}, {"integer"}),
        ({"properties": {"a": {}}}, {"object"}),
        ({"$ref": "#/components/schemas/Cycle"}, JSON_TYPES),
    ],
)
def test_json_types_of_a_schema(schema: dict[str, Any], expected: set[str]) -> None:
    cycle = {"Cycle": {"oneOf": [{"$ref": "#/components/schemas/Cycle"}, STRING]}}
    assert find_json_types(make_converter(cycle), locate(schema)) == expected


def test_references_are_resolved_until_they_form_a_cycle() -> None:
    schemas = {"A": STRING, "B": REF, "C": {"$ref": "#/components/schemas/C"}}
    converter = make_converter(schemas)
    assert resolve_refs(converter, locate({"$ref": "#/components/schemas/B"})) == STRING
    assert resolve_refs(converter, locate({"$ref": "#/components/schemas/C"})) == {}
    assert resolve_refs(converter, locate({"$ref": "#/components/schemas/None"})) == {}


def test_a_subtype_extends_through_references_and_all_of() -> None:
    converter = make_converter(
        {"A": STRING, "B": {"allOf": [REF]}, "C": {"allOf": [{"$ref": "#/components/schemas/B"}]}}
    )
    base = locate(REF)
    assert is_subtype(converter, locate({"$ref": "#/components/schemas/C"}), base)
    assert not is_subtype(converter, base, locate({"$ref": "#/components/schemas/C"}))
    assert not is_subtype(converter, base, locate(STRING))
