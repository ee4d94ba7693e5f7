"""The example JSON of messages and fields, each by its form, role and type."""

from __future__ import annotations

import pytest

from pipeline.explain.example_json import format_field_example, format_message_example
from pipeline.model.contract import Contract, Enum, EnumValue, Field, JsonForm, JsonRole, Label, Message
from pipeline.model.source import FieldSource, SchemaKind, SchemaSource

SCHEMA = SchemaSource.for_component("Shelf")
WRAPPER = SchemaSource(SchemaKind.WRAPPER, "Names")


def field(name: str, kind: str, label: Label = Label.OPTIONAL, role: JsonRole = JsonRole.PROPERTY) -> Field:
    return Field(FieldSource.for_property(name), name, kind, label, role, json_name=name)


NAMES = Message("Names", WRAPPER, JsonForm.ARRAY, (field("names", "string", Label.REPEATED, JsonRole.ITEMS),))
SIZE = Message("Size", SCHEMA, JsonForm.UNION, (field("a", "int32"), field("b", "Names")))
SHELF = Message("Shelf", SCHEMA, JsonForm.OBJECT, tuple(field(name, "bool") for name in "abcde"))
COLOR = Enum("Color", SCHEMA, (EnumValue("COLOR_UNSPECIFIED"), EnumValue("COLOR_RED", ("red",))))
CONTRACT = Contract({message.name: message for message in (NAMES, SIZE, SHELF)}, {"Color": COLOR}, ())


@pytest.mark.parametrize(
    ("message", "example"),
    [
        (NAMES, '["text", …]'),
        (SIZE, '1 or ["text", …]'),
        (SHELF, '{"a": true, "b": true, "c": true, "d": true, …}'),
        (Message("ObjectMap", SCHEMA, JsonForm.ANY), '{"any": "JSON"}'),
    ],
)
def test_a_message_is_shown_by_its_form(message: Message, example: str) -> None:
    assert format_message_example(message, CONTRACT) == example


@pytest.mark.parametrize(
    ("item", "example"),
    [
        (field("color", "Color"), '{"color": "red"}'),
        (field("shelf", "Shelf"), '{"shelf": {…}}'),
        (field("sizes", "double", Label.MAP), '{"sizes": {"key": 1.5, …}}'),
        (field("sort", "string", Label.REPEATED, JsonRole.PARAMETER), "sort=text,text in the path or the query"),
        (field("rest", "ObjectMap", role=JsonRole.REST), '{"any other key": "any JSON"}'),
        (field("id", "string", role=JsonRole.KEY), '{"the key": …}'),
        (field("names", "Names", role=JsonRole.BODY), '["text", …]'),
    ],
)
def test_a_field_is_shown_where_it_stands(item: Field, example: str) -> None:
    assert format_field_example(item, CONTRACT) == example
