"""Decode messages by their form; the reverse of `encode.forms`.

Each function `read_…` takes the JSON values of the fields by number, the message, its plan and its notes. It returns
the JSON value of the message, and raises `CodecError` if the message represents no JSON.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spec2proto_codec.errors import CodecError
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan
from spec2proto_codec.values.spelling_notes import Kind, Notes

Values = dict[int, Any]  # JSON values of the fields of a message, by field number.
MISSING: Any = object()  # Stands for the absence of a JSON value; null is a value.
_DEFAULTS = {"string": "", "bytes": "", "bool": False, "float": 0.0, "double": 0.0}


def get_default(item: FieldPlan) -> Any:
    """Return the JSON value of a field that is not set; `MISSING` for a message or an enum."""
    if item.label is Label.LIST:
        return []
    if item.label is Label.MAP:
        return {}
    if item.kind in {"message", "enum"}:
        return MISSING
    return 0 if item.options.coding == "number" else _DEFAULTS.get(item.kind, 0)


def read_key(message: Any, plan: MessagePlan) -> str:
    """Return the key that a message holds, or that the message of its variant holds; empty without a key."""
    if plan.key_field is not None:
        return str(getattr(message, plan.key_field.name))
    for item in plan.variants:
        if item.message is not None and item.label is Label.ONE and message.HasField(item.name):
            return read_key(getattr(message, item.name), item.message)
    return ""


def read_union(values: Values, _message: Any, plan: MessagePlan, _notes: Notes) -> Any:
    """Return the value of the variant that is set; of several variants one object with the keys of all."""
    if plan.key_field is not None:
        values.pop(plan.key_field.number, None)
    if len(values) <= 1:
        return next(iter(values.values()), None)
    result: dict[str, Any] = {}
    for number, value in values.items():
        if type(value) is not dict:
            raise CodecError(f"the field `{plan.fields[number].name}` is set with other variants, but holds no object")
        for name, inner in value.items():
            result.setdefault(name, inner)
    return result


def read_content(values: Values, _message: Any, plan: MessagePlan, _notes: Notes) -> Any:
    """Return the list of an array message, or the object of a map message."""
    item = plan.content
    return values.get(item.number, get_default(item))


def read_entry(values: Values, message: Any, plan: MessagePlan, notes: Notes) -> dict[str, Any]:
    """Return the object of one key of an entry message."""
    value = read_content(values, message, plan, notes)
    return {read_key(message, plan): None if value is MISSING else value}


def read_tuple(values: Values, _message: Any, plan: MessagePlan, notes: Notes) -> list[Any]:
    """Return the list of a tuple message."""
    items: list[Any] = []
    for item in plan.items:
        value = values.get(item.number, MISSING)
        if value is MISSING and item in plan.always_written and (Kind.ABSENT, item.number) not in notes:
            value = None if item.options.writes_null else get_default(item)
        items.append(value)
    further = values.get(plan.content_field.number, []) if plan.content_field is not None else []
    while not further and items and items[-1] is MISSING:
        items.pop()
    return [None if value is MISSING else value for value in items] + further


def read_group(values: Values, _message: Any, plan: MessagePlan, _notes: Notes) -> list[Any]:
    """Return the lines of one group message."""
    return [values[item.number] for item in plan.variants if item.number in values]


def find_document_sources(plan: MessagePlan, messages: Iterable[Any], groups: list[Values]) -> dict[int, bytes]:
    """Return the JSON text of each document that stands in one line of group messages, by the `id` of its value."""
    sources: dict[int, bytes] = {}
    for item in (item for item in plan.variants if item.options.coding == "document"):
        for message, group in zip(messages, groups, strict=True):
            value, content = group.get(item.number), getattr(message, item.name)
            if type(value) in {dict, list} and content[0] in b"{[" and b"\n" not in content:
                sources[id(value)] = content
    return sources
