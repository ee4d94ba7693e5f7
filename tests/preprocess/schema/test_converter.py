"""Schemas become shapes; each of these schemas is the smallest that its handler takes."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.model.contract import JsonForm
from pipeline.model.diagnostics import Failure
from preprocess.schema.shapes import Kind, name_after_type
from tests.preprocess.schema.support import HINT, locate, make_converter

STRING, OBJECT = {"type": "string"}, {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (True, "object_map"),
        ({"type": "integer", "format": "int32"}, "int32"),
        ({"type": ["string", "null"]}, "string"),
        ({"type": "array", "items": STRING}, "string_array"),
        ({"items": STRING}, "string_array"),
        ({"type": "object", "additionalProperties": STRING}, "string_map"),
        ({"additionalProperties": STRING, "minProperties": 1, "maxProperties": 1}, "string_single_map"),
        ({"enum": ["a", "b"]}, "thing"),
        ({"enum": [None]}, "null_value"),
        ({"oneOf": [STRING]}, "string"),
        ({"oneOf": [STRING, {"type": "array", "items": STRING}]}, "string_array"),
        ({"allOf": [{"type": "string"}, {"maxLength": 3}]}, "string"),
        ({"x-protobuf-type": "bytes"}, "bytes"),
        (OBJECT, "thing"),
    ],
)
def test_the_shape_of_a_schema(schema: Any, words: str) -> None:
    assert name_after_type(make_converter().convert_schema(locate(schema), HINT)) == words


@pytest.mark.parametrize(
    ("schema", "nullable"),
    [
        (STRING, False),
        (STRING | {"nullable": True}, True),
        ({"type": ["string", "null"]}, True),
        ({"type": ["string", "integer", "null"]}, True),
        ({"type": "string", "nullable": True, "enum": ["a", None]}, False),
    ],
)
def test_null_may_replace_a_value(schema: dict[str, Any], nullable: bool) -> None:
    assert make_converter().convert_schema(locate(schema), HINT).nullable is nullable


def test_a_message_gets_its_fields_last() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}}}
    converter = make_converter({"Node": node})
    shape = converter.convert_schema(locate({"$ref": "#/components/schemas/Node"}), HINT)
    assert (shape.kind, shape.name, converter.messages["Node"].fields) == (Kind.MESSAGE, "Node", ())
    converter.fill_declared_messages()
    assert [(field.name, field.type) for field in converter.messages["Node"].fields] == [("next", "Node")]


def test_an_array_of_itself_is_a_message() -> None:
    reference = {"$ref": "#/components/schemas/Tree"}
    converter = make_converter({"Tree": {"type": "array", "items": reference}})
    converter.convert_schema(locate(reference), HINT)
    converter.fill_declared_messages()
    assert converter.messages["Tree"].form is JsonForm.ARRAY


def test_a_component_that_is_only_itself_is_refused() -> None:
    reference = {"$ref": "#/components/schemas/A"}
    converter = make_converter({"A": {"$ref": "#/components/schemas/B"}, "B": reference})
    with pytest.raises(Failure, match="spec/reference-cycle"):
        converter.convert_schema(locate(reference), HINT)


def test_a_union_has_a_field_for_each_variant() -> None:
    converter = make_converter()
    converter.convert_schema(locate({"oneOf": [STRING, OBJECT | {"title": "full"}, {"type": "boolean"}]}), HINT)
    converter.fill_declared_messages()
    message = converter.messages["Thing"]
    assert message.form is JsonForm.UNION
    assert [(field.name, field.oneof) for field in message.fields] == [
        ("string", "thing"),
        ("full", "thing"),
        ("bool", "thing"),
    ]
