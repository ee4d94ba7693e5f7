"""The messages that stand for what a schema leaves open: any JSON, any number, null.

Their JSON is the value itself, so they are unions by form. A build emits those that its fields use.
"""

from __future__ import annotations

from pipeline.model.contract import Enum, EnumValue, Field, JsonForm, JsonRole, Label, Message
from pipeline.model.source import FieldKind, FieldSource, SchemaKind, SchemaSource

OBJECT_MAP = "ObjectMap"
VALUE = "ObjectMap.Value"
LIST_VALUE = "ObjectMap.ListValue"
NUMBER = "GeneralNumber"
NULL_VALUE = "NullValue"


def _member(number: int, name: str, type_name: str) -> Field:
    return Field(
        FieldSource.for_variant(name), name, type_name, Label.SINGULAR, JsonRole.VARIANT, oneof="value", number=number
    )


def _support(name: str, form: JsonForm, *fields: Field) -> Message:
    return Message(name, SchemaSource(SchemaKind.SUPPORT, name), form, fields, rules=("free-form",))


_VALUE_MEMBERS = (
    ("null_value", NULL_VALUE),
    ("int32", "int32"),
    ("int64", "int64"),
    ("float", "float"),
    ("double", "double"),
    ("string", "string"),
    ("bool", "bool"),
    ("object_map", OBJECT_MAP),
    ("list_value", LIST_VALUE),
)
_NUMBER_MEMBERS = ("int32", "int64", "float", "double", "uint64")

MESSAGES = (
    _support(
        OBJECT_MAP,
        JsonForm.ANY,
        Field(FieldSource(FieldKind.ENTRIES), "fields", VALUE, Label.MAP, JsonRole.ENTRIES, number=1),
    ),
    _support(
        VALUE,
        JsonForm.ANY,
        *(_member(number, name, kind) for number, (name, kind) in enumerate(_VALUE_MEMBERS, start=1)),
    ),
    _support(
        LIST_VALUE,
        JsonForm.ANY,
        Field(FieldSource(FieldKind.ITEMS), "value", VALUE, Label.REPEATED, JsonRole.ITEMS, number=1),
    ),
    _support(
        NUMBER,
        JsonForm.NUMBER,
        *(_member(number, f"{kind}_value", kind) for number, kind in enumerate(_NUMBER_MEMBERS, start=1)),
    ),
)
_NULL = EnumValue("NULL_VALUE_NULL", (None,))
ENUMS = (Enum(NULL_VALUE, SchemaSource(SchemaKind.SUPPORT, NULL_VALUE), (_NULL,), rules=("null-value",)),)
NAMES = frozenset({message.name for message in MESSAGES} | {enum.name for enum in ENUMS})
