"""What only the lock still knows of: fields, messages and enums that were published and are not in the spec."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from pipeline.model.contract import Enum, EnumValue, Field, JsonForm, Message
from pipeline.model.lock.model import Lock, LockedEnum, LockedField, LockedMessage, State
from pipeline.model.rule import Rule
from pipeline.model.source import FieldKind, FieldSource, SchemaKind, SchemaSource

RULE_RETAINED = Rule("kept-by-lock")
UNUSED = "nothing in the spec refers to it any more"
Entry = TypeVar("Entry", LockedMessage, LockedEnum)
_GONE = {State.RESERVED, State.REPLACED}


def kept_field(entry: LockedField, deprecated: str) -> Field:
    """A field that only the lock still knows of.

    Args:
        entry: what the lock remembers.
        deprecated: why it is deprecated, if more is known than that it is.
    """
    known = deprecated or entry.reason or "deprecated in the published contract"
    return Field(
        source=FieldSource.parse(entry.source) if entry.source else FieldSource(FieldKind.GONE, entry.name),
        name=entry.name,
        type=entry.type,
        label=entry.label,
        oneof=entry.oneof,
        json_option=entry.json_name or "",
        rules=(RULE_RETAINED,),
        is_retained=True,
        deprecated=known if entry.state is State.DEPRECATED or deprecated else "",
        number=entry.number,
    )


def reserved(entries: Iterable[tuple[int, str, State]]) -> tuple[tuple[int, str], ...]:
    """The numbers and names that may never be used again, by number."""
    return tuple(sorted({(number, name) for number, name, state in entries if state is State.RESERVED}))


def kept_as_published(
    lock: Lock, messages: dict[str, Message], enums: dict[str, Enum], *, partial: bool
) -> tuple[dict[str, Message], dict[str, Enum], Lock]:
    """What was published and is not in the contract: as it was under `partial`, else deprecated as a whole.

    Returns:
        The messages and enums to keep, and a lock with their entries alone.
    """
    found = Lock(version=lock.version, package=lock.package)
    kept_messages: dict[str, Message] = {}
    kept_enums: dict[str, Enum] = {}
    for name, entry in sorted(lock.messages.items()):
        if name not in messages and entry.state not in _GONE:
            now = entry if partial else _deprecated(entry)
            found.messages[name] = now
            kept_messages[name] = locked_message(name, now, now.reason or "")
    for name, enum in sorted(lock.enums.items()):
        if name not in enums and enum.state not in _GONE:
            new = enum if partial else _deprecated(enum)
            found.enums[name] = new
            kept_enums[name] = locked_enum(name, new, new.reason or "")
    return kept_messages, kept_enums, found


def _deprecated(entry: Entry) -> Entry:
    return entry.model_copy(update={"state": State.DEPRECATED, "reason": entry.reason or UNUSED})


def locked_message(name: str, entry: LockedMessage, deprecated: str) -> Message:
    """A message as the lock remembers it."""
    fields = tuple(kept_field(item, "") for item in entry.fields if item.state not in _GONE)
    kept = reserved((item.number, item.name, item.state) for item in entry.fields)
    return Message(
        name,
        _schema_source(name, entry),
        JsonForm.OBJECT,
        fields,
        rules=(RULE_RETAINED,),
        reserved=kept,
        deprecated=deprecated,
        file=entry.file,
        is_retained=True,
    )


def locked_enum(name: str, entry: LockedEnum, deprecated: str) -> Enum:
    """An enum as the lock remembers it."""
    values = tuple(
        EnumValue(
            item.name,
            deprecated=(item.reason or "deprecated in the published contract")
            if item.state is State.DEPRECATED
            else "",
            number=item.number,
        )
        for item in entry.values
        if item.state not in _GONE
    )
    kept = reserved((item.number, item.name, item.state) for item in entry.values)
    return Enum(
        name,
        _schema_source(name, entry),
        values,
        rules=(RULE_RETAINED,),
        reserved=kept,
        deprecated=deprecated,
        file=entry.file,
    )


def _schema_source(name: str, entry: LockedMessage | LockedEnum) -> SchemaSource:
    return SchemaSource.parse(entry.schema_) if entry.schema_ else SchemaSource(SchemaKind.GONE, name)
