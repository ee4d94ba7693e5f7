"""Retain what only the lock has: fields, messages and enums that were published and left the specification."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

from pipeline.model.contract import Enum, EnumValue, Field, JsonForm, Message, Rule, extract_reason
from pipeline.model.lock.model import RETIRED, STATES, Lock, LockedEnum, LockedField, LockedMessage, LockedValue, State
from pipeline.model.source import FieldKind, FieldSource, SchemaKind, SchemaSource

RULE_RETAINED = Rule("kept-by-lock")
UNUSED = "nothing in the spec refers to it any more"
_DEPRECATED = "deprecated in the published contract"
Entry = TypeVar("Entry", LockedMessage, LockedEnum)


class RetainedElements(NamedTuple):
    """The messages and enums that only the lock has, and their new lock entries."""

    messages: dict[str, Message]
    enums: dict[str, Enum]
    locked_messages: dict[str, LockedMessage]
    locked_enums: dict[str, LockedEnum]


def retain_elements(
    lock: Lock, messages: dict[str, Message], enums: dict[str, Enum], *, partial: bool
) -> RetainedElements:
    """Return the published messages and enums that the contract lacks; they are deprecated unless `partial`."""
    locked_messages = _select_missing(lock.messages, messages.keys(), partial=partial)
    locked_enums = _select_missing(lock.enums, enums.keys(), partial=partial)
    return RetainedElements(
        {name: _retain_message(name, entry) for name, entry in locked_messages.items()},
        {name: _retain_enum(name, entry) for name, entry in locked_enums.items()},
        locked_messages,
        locked_enums,
    )


def _select_missing(entries: dict[str, Entry], present: Iterable[str], *, partial: bool) -> dict[str, Entry]:
    missing = sorted(entries.keys() - set(present))
    return {
        name: entries[name] if partial else _deprecate(entries[name])
        for name in missing
        if entries[name].state not in RETIRED
    }


def _deprecate(entry: Entry) -> Entry:
    return entry.model_copy(update={"state": State.DEPRECATED, "reason": entry.reason or UNUSED})


def retain_field(entry: LockedField, reason: str = "") -> Field:
    """Return the field of a lock entry; `reason` says why it becomes deprecated now, if it does."""
    is_deprecated = entry.state is State.DEPRECATED or bool(reason)
    return Field(
        source=FieldSource.parse(entry.source) if entry.source else FieldSource(FieldKind.GONE, entry.name),
        name=entry.name,
        type=entry.type,
        label=entry.label,
        oneof=entry.oneof,
        json_option=entry.json_name or "",
        rules=(RULE_RETAINED,),
        deprecated=(reason or entry.reason or _DEPRECATED) if is_deprecated else "",
        number=entry.number,
        is_retained=True,
    )


def describe_origin(source: str, deprecated: str) -> dict[str, Any]:
    """Return what the lock records of a field or value that the specification has, beside its name and number."""
    state = State.DEPRECATED if deprecated else State.LIVE
    return {"source": source, "state": state, "reason": extract_reason(deprecated) or None}


def rank_entry(entry: LockedField | LockedValue) -> tuple[int, int, str]:
    """Return the sort key of a lock entry: its number, live entries before others, its name."""
    return entry.number, STATES.index(entry.state), entry.name


def list_reserved(entries: Iterable[LockedField | LockedValue]) -> tuple[tuple[int, str], ...]:
    """Return the numbers and names that may never be used again, by number."""
    return tuple(sorted({(entry.number, entry.name) for entry in entries if entry.state is State.RESERVED}))


def _retain_message(name: str, entry: LockedMessage) -> Message:
    return Message(
        name,
        _parse_source(name, entry),
        JsonForm.OBJECT,
        tuple(retain_field(item) for item in entry.fields if item.state not in RETIRED),
        rules=(RULE_RETAINED,),
        reserved=list_reserved(entry.fields),
        deprecated=entry.reason or "",
        file=entry.file,
        is_retained=True,
    )


def _retain_enum(name: str, entry: LockedEnum) -> Enum:
    return Enum(
        name,
        _parse_source(name, entry),
        tuple(_retain_value(value) for value in entry.values if value.state not in RETIRED),
        rules=(RULE_RETAINED,),
        reserved=list_reserved(entry.values),
        deprecated=entry.reason or "",
        file=entry.file,
    )


def _retain_value(entry: LockedValue) -> EnumValue:
    is_deprecated = entry.state is State.DEPRECATED
    return EnumValue(entry.name, deprecated=(entry.reason or _DEPRECATED) if is_deprecated else "", number=entry.number)


def _parse_source(name: str, entry: LockedMessage | LockedEnum) -> SchemaSource:
    return SchemaSource.parse(entry.schema_) if entry.schema_ else SchemaSource(SchemaKind.GONE, name)
