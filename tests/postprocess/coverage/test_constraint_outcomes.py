"""The outcome of each constraint: expressed, carried or not expressible, the reason, and the fields."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.model.keywords import KEYWORDS, Outcome, Use
from postprocess.coverage.constraint_outcomes import EXCLUDED, FREE_FORM, UNMARKED, ConstraintOutcome
from tests.postprocess.specs import convert_schemas

TEXT = {"type": "string"}
MAP = {"type": "object", "additionalProperties": TEXT}
OBJECT = {"type": "object", "properties": {"a": TEXT, "b": TEXT}}
CONSTRAINT = Use.CONSTRAINT
EXPRESSED, CARRIED, NOT = Outcome.EXPRESSED, Outcome.CARRIED, Outcome.NOT_EXPRESSIBLE


def list_outcomes(schema: dict[str, Any], **keywords: Any) -> list[ConstraintOutcome]:
    """Return the outcomes of the constraints of a property `field`, and of keywords of its object."""
    sample = {"type": "object", "properties": {"field": schema, "other": TEXT}} | keywords
    spec = convert_schemas({"Sample": sample})
    assert spec.diagnostics() == []
    return spec.coverage().constraint_outcomes


def map_outcomes(schema: dict[str, Any], **keywords: Any) -> dict[str, Outcome]:
    return {item.constraint.keyword: item.outcome for item in list_outcomes(schema, **keywords)}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (TEXT, {}),
        ({"type": "integer", "format": "int64"}, {"format": EXPRESSED}),
        ({"type": "number", "format": "double"}, {"format": EXPRESSED}),
        ({"type": "string", "format": "date-time"}, {"format": NOT}),
        ({"type": "string", "minLength": 1, "pattern": "a"}, {"minLength": NOT, "pattern": NOT}),
        ({"type": "integer", "format": "uint64", "minimum": 0}, {"format": EXPRESSED, "minimum": EXPRESSED}),
        ({"type": "integer", "minimum": 1}, {"minimum": NOT}),
        ({"type": "integer", "multipleOf": 2, "exclusiveMinimum": 0}, {"multipleOf": NOT, "exclusiveMinimum": NOT}),
        ({"type": "integer", "enum": [1, 2]}, {"enum": NOT}),
        ({"type": "boolean", "const": True}, {"const": NOT}),
        ({"enum": ["a", "b"]}, {"enum": EXPRESSED}),
        ({"type": "string", "default": "a"}, {"default": NOT}),
        ({"type": "string", "readOnly": True, "writeOnly": False}, {"readOnly": NOT}),
        ({"type": ["string", "null"]}, {"nullable": CARRIED}),
        ({"type": "string", "nullable": True}, {"nullable": CARRIED}),
        ({"oneOf": [TEXT, {"type": "null"}]}, {"nullable": CARRIED}),
        ({"type": "array", "items": {"type": ["string", "null"]}}, {"nullable": EXPRESSED}),
        ({"type": "array", "items": TEXT, "minItems": 1, "uniqueItems": True}, {"minItems": NOT, "uniqueItems": NOT}),
        (MAP | {"minProperties": 1, "maxProperties": 1}, {"minProperties": EXPRESSED, "maxProperties": EXPRESSED}),
        (MAP | {"minProperties": 1}, {"minProperties": NOT}),
        (OBJECT | {"maxProperties": 1}, {"maxProperties": EXPRESSED}),
        (OBJECT | {"additionalProperties": False}, {"additionalProperties": EXPRESSED}),
        (MAP | {"propertyNames": {"pattern": "a"}}, {"propertyNames": NOT}),
        (MAP | {"propertyNames": TEXT}, {}),
        (OBJECT | {"unevaluatedProperties": True}, {}),
        (OBJECT | {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"anyOf": NOT}),
        ({"type": "string", "not": {"const": "a"}}, {"not": NOT}),
        ({"type": "string", "if": {}, "then": {}, "else": {}}, dict.fromkeys(["if", "then", "else"], NOT)),
        ({"type": "string", "minimumLength": 3}, {"minimumLength": NOT}),
        ({"type": "string", "title": "a", "example": "b", "x-anything": 1}, {}),
    ],
)
def test_outcome_of_a_keyword(schema: dict[str, Any], expected: dict[str, Outcome]) -> None:
    assert map_outcomes(schema) == expected


def test_required_is_expressed_by_a_field_without_presence() -> None:
    assert [item.outcome for item in list_outcomes(TEXT, required=["field", "other"])] == [EXPRESSED, EXPRESSED]
    assert map_outcomes({"type": "array", "items": TEXT}, required=["field"]) == {"required": NOT}
    assert map_outcomes(TEXT, required=["missing"]) == {"required": NOT}


def test_a_constraint_of_a_base_is_expressed_only_if_it_is_in_every_message() -> None:
    base = {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}
    union = {"type": "object", "maxProperties": 1, "properties": {"a": TEXT}}
    subtype = {"allOf": [{"$ref": "#/components/schemas/Base"}, union]}
    alone = convert_schemas({"Base": base}).coverage().constraint_outcomes
    both = convert_schemas({"Base": base, "Subtype": subtype}).coverage().constraint_outcomes
    assert [item.outcome for item in alone if item.constraint.keyword == "required"] == [EXPRESSED]
    assert [item.outcome for item in both if item.constraint.keyword == "required"] == [NOT]


def test_outcome_names_the_fields() -> None:
    spec = convert_schemas(
        {
            "Name": {"type": "string", "maxLength": 9},
            "First": {"type": "object", "properties": {"name": {"$ref": "#/components/schemas/Name"}}},
            "Second": {
                "type": "object",
                "properties": {"names": {"type": "array", "items": {"$ref": "#/components/schemas/Name"}}},
            },
        }
    )
    outcome = next(item for item in spec.coverage().constraint_outcomes if item.constraint.keyword == "maxLength")
    places = {(carrier.full_name, carrier.path) for carrier in outcome.carriers}
    assert places == {("First.name", ()), ("Second.names", ("items",)), ("SampleResponseBody.p1", ())}
    assert outcome.constraint.value == 9


def test_reason_for_a_free_form_or_excluded_schema() -> None:
    named = {"x-protobuf-type": "ObjectMap", "properties": {"a": {"type": "string", "maxLength": 9}}}
    assert [item.reason for item in list_outcomes({"description": "x", "minLength": 3})] == [FREE_FORM]
    assert [item.reason for item in list_outcomes(named)] == [EXCLUDED]


def test_shorthand_inside_a_map_is_listed() -> None:
    string_or_list = {"oneOf": [TEXT, {"type": "array", "items": TEXT}]}
    assert list_outcomes(string_or_list) == []
    assert [item.reason for item in list_outcomes(MAP | {"additionalProperties": string_or_list})] == [UNMARKED]


def test_constraints_of_operations() -> None:
    content = {"application/json": {"schema": {"type": "object", "properties": {"a": TEXT}}}}
    parameter = {"name": "a", "in": "query", "schema": TEXT, "required": True, "allowEmptyValue": True}
    response = {"description": "OK", "content": content, "headers": {"Age": {}}, "links": {"next": {}}}
    coverage = convert_schemas(
        {},
        parameters=[parameter],
        requestBody={"required": True, "content": content},
        responses={"200": response},
    ).coverage()
    assert sorted((item.constraint.keyword, str(item.outcome)) for item in coverage.constraint_outcomes) == [
        ("allowEmptyValue", "not-expressible"),
        ("headers", "not-expressible"),
        ("links", "not-expressible"),
        ("required", "expressed"),
        ("required", "expressed"),
    ]


# Keywords of objects and operations, which the tests above cover.
ELSEWHERE = {"required", "oneOf", "anyOf", "patternProperties", "additionalProperties"}
ELSEWHERE |= {"headers", "links", "allowEmptyValue"}
VALUES: dict[str, Any] = {"format": "uuid", "enum": [1], "discriminator": {"propertyName": "a"}}
VALUES |= {"unevaluatedProperties": False, "dependentSchemas": {}}
VALUES |= {keyword: {"type": "string"} for keyword in ("not", "if", "then", "else", "contains", "contentSchema")}


@pytest.mark.parametrize("keyword", sorted({name for name, it in KEYWORDS.items() if it.use is CONSTRAINT} - ELSEWHERE))
def test_every_constraint_keyword_has_an_outcome(keyword: str) -> None:
    assert keyword in map_outcomes({"type": "integer", keyword: VALUES.get(keyword, 1)})


def test_pattern_properties_have_an_outcome() -> None:
    patterns = {"type": "object", "patternProperties": {"^a": TEXT}}
    assert map_outcomes(patterns) == {"patternProperties": NOT}
