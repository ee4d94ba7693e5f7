"""Numbers of enum values: from the lock, like those of fields. Zero is `…_UNSPECIFIED`, which no JSON stands for.

Sources: protobuf style guide, enums; AIP-126; AIP-180.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pipeline.model.changes import Change, Event
from pipeline.model.contract import Enum, EnumValue, own_words
from pipeline.model.identifiers import find_free_name, format_snake
from pipeline.model.lock.model import RETIRED, STATES, LockedEnum, LockedValue, State
from pipeline.model.source import format_value_source
from preprocess.naming.renames import rename_entries
from preprocess.numbering.retained import reserved


@dataclass(frozen=True, slots=True)
class NumberedEnum:
    """An enum with its numbers, what the lock remembers of it now, and what changed."""

    enum: Enum
    locked: LockedEnum
    events: tuple[Event, ...]


def number_enum(
    enum: Enum, known: LockedEnum | None, taken: set[str] | None = None, renames: dict[str, str] | None = None
) -> NumberedEnum:
    """Number the values of one enum.

    Args:
        enum: as converted, without numbers and without its zero.
        known: its entry in the lock, or None.
        taken: names of values that other enums have, as the values of all enums share a scope; new ones are added.
        renames: old → new text of values that were renamed.
    """
    taken = set() if taken is None else taken
    published = known.values if known else ()
    entries = rename_entries(published, {value.source for value in enum.values}, renames or {})
    renamed = {now.number for was, now in zip(published, entries, strict=True) if was != now}
    cursor = known.next if known else 1
    zero = next((entry for entry in entries if entry.number == 0), None)
    zero_name = zero.name if zero else zero_of(enum.name)
    taken |= {zero_name, *(entry.name for entry in entries)}
    values = [EnumValue(zero_name)]
    others = [entry for entry in entries if entry is not zero]
    entries = [LockedValue(number=0, name=zero_name, since=zero.since if zero else None), *others]
    events: list[Event] = []
    for wanted in enum.values:
        index = _find(entries, wanted)
        if index is None:
            made = _named(wanted, cursor, taken, values)
            cursor += 1
            entries.append(LockedValue(number=made.number, name=made.name, **_tie(made)))
            events.append(Event(Change.ADDED, f"{enum.name}.{made.name}", f"{made.name} = {made.number}", made.place))
        else:
            entry = entries[index]
            made = wanted._replace(name=entry.name, number=entry.number)
            events += _back(enum, entry, made, is_renamed=entry.number in renamed)
            entries[index] = entry.model_copy(update=_tie(made))
        values.append(made)
    values += _leftovers(enum, entries, {value.number for value in values}, events)
    entries.sort(key=lambda entry: (entry.number, STATES.index(entry.state), entry.name))
    kept = reserved((entry.number, entry.name, entry.state) for entry in entries)
    file = known.file if known else enum.file
    listed = tuple(sorted(values, key=lambda value: value.number))
    made_enum = enum._replace(values=listed, reserved=kept, file=file)
    return NumberedEnum(
        made_enum, LockedEnum(file=file, schema=enum.schema.text, next=cursor, values=tuple(entries)), tuple(events)
    )


def _back(enum: Enum, entry: LockedValue, made: EnumValue, *, is_renamed: bool) -> Iterator[Event]:
    """What is to be told of a value that keeps its number: that it was renamed, or is back again."""
    element = f"{enum.name}.{made.name}"
    if is_renamed:
        yield Event(Change.RENAMED, element, f"`{made.json[0]}` now, number {entry.number} as before", made.place)
    elif entry.state is not State.LIVE and not made.deprecated:
        yield Event(Change.RESTORED, element, f"number {entry.number}, as before", made.place)


def _leftovers(enum: Enum, entries: list[LockedValue], given: set[int], events: list[Event]) -> list[EnumValue]:
    """The values that the spec no longer has, deprecated; entries and events are brought up to date."""
    values = []
    for index, entry in enumerate(entries):
        if entry.number in given or entry.state in RETIRED:
            continue
        reason = entry.reason or "gone from the spec"
        if entry.state is State.LIVE:
            events.append(Event(Change.DEPRECATED, f"{enum.name}.{entry.name}", reason, enum.place))
            entries[index] = entry.model_copy(update={"state": State.DEPRECATED, "reason": reason})
        values.append(EnumValue(entry.name, deprecated=reason, number=entry.number))
    return values


def zero_of(enum: str) -> str:
    """The name of the value that stands for nothing (AIP-126; buf ENUM_ZERO_VALUE_SUFFIX)."""
    return f"{format_snake(enum).upper()}_UNSPECIFIED"


def _named(value: EnumValue, number: int, taken: set[str], before: list[EnumValue]) -> EnumValue:
    """A new value under a name of its own: texts that differ in case only say which case they are in."""
    text = value.json[0]
    name = value.name
    if name in taken and text is not None and any(str(other.json[0]).lower() == text.lower() for other in before[1:]):
        name += "_UPPER" if text == text.upper() else "_LOWER" if text == text.lower() else ""
    name = find_free_name(name, lambda proposed: proposed not in taken)
    taken.add(name)
    return value._replace(name=name, number=number)


def _tie(value: EnumValue) -> dict[str, Any]:
    """What the lock keeps of a value that the spec has."""
    state = State.DEPRECATED if value.deprecated else State.LIVE
    return {"source": value.source, "state": state, "reason": own_words(value.deprecated) or None}


def _find(entries: list[LockedValue], wanted: EnumValue) -> int | None:
    """The entry that a value is tied to: by its text, else by its name."""
    sources = {format_value_source(text) for text in wanted.json}
    named = None
    for index, entry in enumerate(entries):
        if entry.state is State.REPLACED or entry.number == 0:
            continue
        if entry.source in sources:
            return index
        if named is None and entry.source is None and entry.name == wanted.name:
            named = index
    return named
