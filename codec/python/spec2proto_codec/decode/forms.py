"""Decode messages by their form; the reverse of `encode.forms`.

Each function takes the decoder, a message, its plan and its notes, and returns the JSON value. All raise `CodecError`
for a message that represents no JSON.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spec2proto_codec.decode.protocol import MessageDecoder
from spec2proto_codec.errors import CodecError
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan
from spec2proto_codec.values.spelling_notes import Kind, Notes

MISSING: Any = object()
"""Stands for the absence of a JSON value; null is a value."""
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
    if plan.key is not None:
        return str(getattr(message, plan.key.name))
    for item in plan.variants:
        if item.message is not None and item.label is Label.ONE and message.HasField(item.name):
            return read_key(getattr(message, item.name), item.message)
    return ""


def read_object(decoder: MessageDecoder, message: Any, plan: MessagePlan, notes: Notes) -> dict[str, Any]:
    """Return the object of a message."""
    result: dict[str, Any] = {}
    decoder.read_object(message, plan, notes, result)
    return result


def read_union(decoder: MessageDecoder, message: Any, plan: MessagePlan, notes: Notes) -> Any:
    """Return the value of the variant that is set; of several variants one object with the keys of all."""
    values = decoder.read_fields(message, plan, notes)
    if plan.key is not None:
        values.pop(plan.key.number, None)
    if len(values) <= 1:
        return next(iter(values.values()), None)
    result: dict[str, Any] = {}
    for number, value in values.items():
        if type(value) is not dict:
            raise CodecError(f"the field `{plan.fields[number].name}` is set with other variants, but holds no object")
        for name, inner in value.items():
            result.setdefault(name, inner)
    return result


def read_content(decoder: MessageDecoder, message: Any, plan: MessagePlan, notes: Notes) -> Any:
    """Return the list of an array message, or the object of a map message."""
    item = plan.content
    return decoder.read_fields(message, plan, notes).get(item.number, get_default(item))


def read_entry(decoder: MessageDecoder, message: Any, plan: MessagePlan, notes: Notes) -> dict[str, Any]:
    """Return the object of one key of an entry message."""
    value = read_content(decoder, message, plan, notes)
    return {read_key(message, plan): None if value is MISSING else value}


def read_tuple(decoder: MessageDecoder, message: Any, plan: MessagePlan, notes: Notes) -> list[Any]:
    """Return the list of a tuple message."""
    values = decoder.read_fields(message, plan, notes)
    items: list[Any] = []
    for item in plan.items:
        value = values.get(item.number, MISSING)
        is_absent = (Kind.ABSENT, item.number) in notes
        if value is MISSING and item in plan.needed and not is_absent:
            value = None if item.options.writes_null else get_default(item)
        items.append(value)
    further = values.get(plan.held.number, []) if plan.held is not None else []
    while not further and items and items[-1] is MISSING:
        items.pop()
    return [None if value is MISSING else value for value in items] + further


def read_group(decoder: MessageDecoder, message: Any, plan: MessagePlan, notes: Notes) -> list[Any]:
    """Return the lines of one group message."""
    return flatten_groups(plan, [decoder.read_fields(message, plan, notes)])


def flatten_groups(plan: MessagePlan, groups: list[dict[int, Any]]) -> list[Any]:
    """Return the lines of groups in order; each group has its lines by field number."""
    numbers = [item.number for item in plan.variants]
    return [group[number] for group in groups for number in numbers if number in group]


def find_document_sources(plan: MessagePlan, messages: Iterable[Any], groups: list[dict[int, Any]]) -> dict[int, bytes]:
    """Return the JSON text of each document that stands in one line, by the `id` of its value.

    Args:
        plan: plan of the group message.
        messages: the group messages.
        groups: the values of each group by field number, in the order of the messages.
    """
    sources: dict[int, bytes] = {}
    for item in (item for item in plan.variants if item.options.coding == "document"):
        for message, group in zip(messages, groups, strict=True):
            value, content = group.get(item.number), getattr(message, item.name)
            if type(value) in {dict, list} and content[0] in b"{[" and b"\n" not in content:
                sources[id(value)] = content
    return sources
