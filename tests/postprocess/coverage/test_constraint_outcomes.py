"""What becomes of each constraint: expressed, carried or not expressible, why, and which fields it is about."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.model.keywords import KEYWORDS, Outcome, Use
from postprocess.coverage.constraint_outcomes import EXCLUDED, FREE_FORM, UNMARKED, ConstraintOutcome
from tests.postprocess.specs import built

TEXT = {"type": "string"}
MAP = {"type": "object", "additionalProperties": TEXT}
OBJECT = {"type": "object", "properties": {"a": TEXT, "b": TEXT}}
CONSTRAINT = Use.CONSTRAINT
EXPRESSED, CARRIED, NOT = Outcome.EXPRESSED, Outcome.CARRIED, Outcome.NOT_EXPRESSIBLE


def accounts(schema: dict[str, Any], **beside: Any) -> list[ConstraintOutcome]:
    """What became of the constraints of a property `field`."""
    sample = {"type": "object", "properties": {"field": schema, "other": TEXT}} | beside
    found = built({"Sample": sample})
    assert found.diagnostics() == []
    return found.coverage().constraint_outcomes


def outcomes(schema: dict[str, Any], **beside: Any) -> dict[str, Outcome]:
    return {account.constraint.keyword: account.outcome for account in accounts(schema, **beside)}


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
def test_a_keyword_becomes_what_its_field_can_say(schema: dict[str, Any], expected: dict[str, Outcome]) -> None:
    assert outcomes(schema) == expected


def test_required_is_a_field_without_presence() -> None:
    assert [account.outcome for account in accounts(TEXT, required=["field", "other"])] == [EXPRESSED, EXPRESSED]
    assert outcomes({"type": "array", "items": TEXT}, required=["field"]) == {"required": NOT}
    assert outcomes(TEXT, required=["missing"]) == {"required": NOT}


def test_a_constraint_of_a_base_is_expressed_only_if_it_is_in_every_message() -> None:
    base = {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}
    union = {"type": "object", "maxProperties": 1, "properties": {"a": TEXT}}
    heir = {"allOf": [{"$ref": "#/components/schemas/Base"}, union]}
    alone = built({"Base": base}).coverage().constraint_outcomes
    both = built({"Base": base, "Heir": heir}).coverage().constraint_outcomes
    assert [item.outcome for item in alone if item.constraint.keyword == "required"] == [EXPRESSED]
    assert [item.outcome for item in both if item.constraint.keyword == "required"] == [NOT]


def test_an_account_names_the_fields() -> None:
    found = built(
        {
            "Name": {"type": "string", "maxLength": 9},
            "First": {"type": "object", "properties": {"name": {"$ref": "#/components/schemas/Name"}}},
            "Second": {
                "type": "object",
                "properties": {"names": {"type": "array", "items": {"$ref": "#/components/schemas/Name"}}},
            },
        }
    )
    account = next(item for item in found.coverage().constraint_outcomes if item.constraint.keyword == "maxLength")
    sites = {(carrier.full_name, carrier.path) for carrier in account.carriers}
    assert sites == {("First.name", ()), ("Second.names", ("items",)), ("SampleResponseBody.p1", ())}
    assert account.constraint.value == 9


def test_a_constraint_of_what_is_open_or_left_out_says_so() -> None:
    named = {"x-protobuf-type": "ObjectMap", "properties": {"a": {"type": "string", "maxLength": 9}}}
    assert [account.reason for account in accounts({"description": "x", "minLength": 3})] == [FREE_FORM]
    assert [account.reason for account in accounts(named)] == [EXCLUDED]


def test_a_short_form_inside_a_map_is_on_record() -> None:
    text_or_texts = {"oneOf": [TEXT, {"type": "array", "items": TEXT}]}
    assert accounts(text_or_texts) == []
    assert [account.reason for account in accounts(MAP | {"additionalProperties": text_or_texts})] == [UNMARKED]


def test_operations_have_constraints_too() -> None:
    content = {"application/json": {"schema": {"type": "object", "properties": {"a": TEXT}}}}
    parameter = {"name": "a", "in": "query", "schema": TEXT, "required": True, "allowEmptyValue": True}
    answer = {"description": "OK", "content": content, "headers": {"Age": {}}, "links": {"next": {}}}
    found = built(
        {},
        parameters=[parameter],
        requestBody={"required": True, "content": content},
        responses={"200": answer},
    ).coverage()
    assert sorted((item.constraint.keyword, str(item.outcome)) for item in found.constraint_outcomes) == [
        ("allowEmptyValue", "not-expressible"),
        ("headers", "not-expressible"),
        ("links", "not-expressible"),
        ("required", "expressed"),
        ("required", "expressed"),
    ]


# Those that stand in objects and operations, which the tests above are about.
ELSEWHERE = {"required", "oneOf", "anyOf", "patternProperties", "additionalProperties"}
ELSEWHERE |= {"headers", "links", "allowEmptyValue"}
VALUES: dict[str, Any] = {"format": "uuid", "enum": [1], "discriminator": {"propertyName": "a"}}
VALUES |= {"unevaluatedProperties": False, "dependentSchemas": {}}
VALUES |= {keyword: {"type": "string"} for keyword in ("not", "if", "then", "else", "contains", "contentSchema")}


@pytest.mark.parametrize("keyword", sorted({name for name, it in KEYWORDS.items() if it.use is CONSTRAINT} - ELSEWHERE))
def test_every_constraint_is_accounted_for_where_it_stands(keyword: str) -> None:
    assert keyword in outcomes({"type": "integer", keyword: VALUES.get(keyword, 1)})


def test_patterns_of_keys_are_accounted_for() -> None:
    patterns = {"type": "object", "patternProperties": {"^a": TEXT}}
    assert outcomes(patterns) == {"patternProperties": NOT}
