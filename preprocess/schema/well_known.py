"""Define the messages for what a schema leaves open: any JSON value, any number, null.

Each is a union by form: its JSON is the value itself. A build emits those that its fields use.
"""

from __future__ import annotations

from pipeline.model.contract import Enum, EnumValue, Field, JsonForm, JsonRole, Label, Message, Rule
from pipeline.model.source import FieldKind, FieldSource, SchemaKind, SchemaSource

RULE_FREE_FORM = Rule("free-form")
RULE_NULL_VALUE = Rule("null-value")
OBJECT_MAP = "ObjectMap"
VALUE = "ObjectMap.Value"
LIST_VALUE = "ObjectMap.ListValue"
NUMBER = "GeneralNumber"
NULL_VALUE = "NullValue"
_VALUE_TYPES = {
    "null_value": NULL_VALUE,
    **{scalar: scalar for scalar in ("int32", "int64", "float", "double", "string", "bool")},
    "object_map": OBJECT_MAP,
    "list_value": LIST_VALUE,
}
_NUMBER_TYPES = {f"{scalar}_value": scalar for scalar in ("int32", "int64", "float", "double", "uint64")}


def _make_message(name: str, form: JsonForm, *fields: Field) -> Message:
    return Message(name, SchemaSource(SchemaKind.SUPPORT, name), form, fields, rules=(RULE_FREE_FORM,))


def _make_union(name: str, form: JsonForm, types: dict[str, str]) -> Message:
    fields = (
        Field(FieldSource.for_variant(field), field, kind, Label.SINGULAR, JsonRole.VARIANT, "value", number=number)
        for number, (field, kind) in enumerate(types.items(), start=1)
    )
    return _make_message(name, form, *fields)


_ENTRIES = Field(FieldSource(FieldKind.ENTRIES), "fields", VALUE, Label.MAP, JsonRole.ENTRIES, number=1)
_ITEMS = Field(FieldSource(FieldKind.ITEMS), "value", VALUE, Label.REPEATED, JsonRole.ITEMS, number=1)
MESSAGES = (
    _make_message(OBJECT_MAP, JsonForm.ANY, _ENTRIES),
    _make_union(VALUE, JsonForm.ANY, _VALUE_TYPES),
    _make_message(LIST_VALUE, JsonForm.ANY, _ITEMS),
    _make_union(NUMBER, JsonForm.NUMBER, _NUMBER_TYPES),
)
_NULL = EnumValue("NULL_VALUE_NULL", (None,))
ENUMS = (Enum(NULL_VALUE, SchemaSource(SchemaKind.SUPPORT, NULL_VALUE), (_NULL,), rules=(RULE_NULL_VALUE,)),)
NAMES = frozenset({message.name for message in MESSAGES} | {enum.name for enum in ENUMS})
