"""What a message stands for in JSON, by its form: the other way round from `forms`.

Each function takes the decoder, a message, its plan and its notes, and returns the JSON value. All raise `CodecError`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spec2proto_codec.decode.protocol import MessageDecoder
from spec2proto_codec.errors import CodecError
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan
from spec2proto_codec.values.spelling_notes import Kind, Notes

MISSING: Any = object()
"""What stands for no value, not even null."""


def get_default(item: FieldPlan) -> Any:
    """What a field that is not set is in JSON, where it is written in any case."""
    if item.label is Label.LIST:
        return []
    if item.label is Label.MAP:
        return {}
    if item.kind in {"message", "enum"}:
        return MISSING
    if item.kind == "string":
        return 0 if item.options.coding == "number" else ""
    return {"bytes": "", "bool": False, "float": 0.0, "double": 0.0}.get(item.kind, 0)


def read_key(message: Any, plan: MessagePlan) -> str:
    """The one key that a message holds, or the variant of it that is set."""
    if plan.key is not None:
        return str(getattr(message, plan.key.name))
    for item in plan.variants:
        if item.message is not None and item.label is Label.ONE and message.HasField(item.name):
            return read_key(getattr(message, item.name), item.message)
    return ""


def object_of(decoder: MessageDecoder, message: Any, plan: MessagePlan, notes: Notes) -> Any:
    """An object."""
    found: dict[str, Any] = {}
    decoder.read_object(message, plan, notes, found)
    return found


def union(decoder: MessageDecoder, message: Any, plan: MessagePlan, notes: Notes) -> Any:
    """The value of the variant that is set; the keys of all of them together where several may be."""
    values = decoder.read_fields(message, plan, notes)
    listed = (
        list(values.items()) if plan.key is None else [each for each in values.items() if each[0] != plan.key.number]
    )
    if len(listed) <= 1:
        return listed[0][1] if listed else None
    found: dict[str, Any] = {}
    for number, value in listed:
        if type(value) is not dict:
            raise CodecError(f"the field `{plan.fields[number].name}` stands beside others, and is no object")
        for name, inner in value.items():
            found.setdefault(name, inner)
    return found


def held(decoder: MessageDecoder, message: Any, plan: MessagePlan, notes: Notes) -> Any:
    """A list or an object of any keys."""
    item = plan.content
    found = decoder.read_fields(message, plan, notes)
    return found.get(item.number, get_default(item))


def entry(decoder: MessageDecoder, message: Any, plan: MessagePlan, notes: Notes) -> Any:
    """An object of one key."""
    item = plan.content
    values = decoder.read_fields(message, plan, notes)
    value = values.get(item.number, get_default(item))
    return {read_key(message, plan): None if value is MISSING else value}


def positions(decoder: MessageDecoder, message: Any, plan: MessagePlan, notes: Notes) -> Any:
    """A tuple."""
    values = decoder.read_fields(message, plan, notes)
    found: list[Any] = []
    for item in plan.items:
        value = values.get(item.number, MISSING)
        absent = (Kind.ABSENT, item.number) in notes
        if value is MISSING and item in plan.needed and not absent:
            value = None if item.options.writes_null else get_default(item)
        found.append(value)
    further = values.get(plan.held.number, []) if plan.held is not None else []
    while not further and found and found[-1] is MISSING:
        found.pop()
    return [None if value is MISSING else value for value in found] + further


def group(decoder: MessageDecoder, message: Any, plan: MessagePlan, notes: Notes) -> Any:
    """The lines of one group."""
    return flatten_groups(plan, [decoder.read_fields(message, plan, notes)])


def document_sources(plan: MessagePlan, messages: Iterable[Any], groups: list[dict[int, Any]]) -> dict[int, bytes]:
    """The JSON texts of the documents of groups that are one line each, by the `id` of their values."""
    found: dict[int, bytes] = {}
    for item in (item for item in plan.variants if item.options.coding == "document"):
        for message, group in zip(messages, groups, strict=True):
            value, content = group.get(item.number), getattr(message, item.name)
            if type(value) in {dict, list} and content[0] in b"{[" and b"\n" not in content:
                found[id(value)] = content
    return found


def flatten_groups(plan: MessagePlan, groups: list[dict[int, Any]]) -> list[Any]:
    """The lines of groups, one after the other; each group has its lines by the numbers of their fields."""
    numbers = [item.number for item in plan.variants]
    return [group[number] for group in groups for number in numbers if number in group]
