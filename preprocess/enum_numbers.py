"""Numbers of enum values: from the lock, like those of fields. Zero is `…_UNSPECIFIED`, which no JSON stands for.

Sources: protobuf style guide, enums; AIP-126; AIP-180.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from pipeline.model.contract import Enum, EnumValue, own_words
from pipeline.model.events import Change, Event
from pipeline.model.lock import STATES, LockedEnum, LockedValue, State
from preprocess.distinct import first_free
from preprocess.leftovers import reserved
from preprocess.texts import snake


@dataclass(frozen=True, slots=True)
class NumberedEnum:
    """An enum with its numbers, what the lock remembers of it now, and what changed."""

    enum: Enum
    locked: LockedEnum
    events: tuple[Event, ...]


def number_enum(enum: Enum, known: LockedEnum | None, taken: set[str] | None = None) -> NumberedEnum:
    """Number the values of one enum.

    Args:
        enum: as converted, without numbers and without its zero.
        known: its entry in the lock, or None.
        taken: names of values that other enums have, as the values of all enums share a scope; new ones are added.
    """
    taken = set() if taken is None else taken
    entries = list(known.values) if known else []
    cursor = known.next if known else 1
    zero = next((entry for entry in entries if entry.number == 0), None)
    zero_name = zero.name if zero else zero_of(enum.name)
    taken |= {zero_name, *(entry.name for entry in entries)}
    values = [EnumValue(zero_name)]
    others = [entry for entry in entries if entry is not zero]
    entries = [LockedValue(number=0, name=zero_name, since=zero.since if zero else None), *others]
    events = []
    for wanted in enum.values:
        index = _find(entries, wanted)
        if index is None:
            made = _named(wanted, cursor, taken, values)
            cursor += 1
            entries.append(LockedValue(number=made.number, name=made.name, **_tie(made)))
            events.append(Event(Change.ADDED, f"{enum.name}.{made.name}", f"{made.name} = {made.number}", made.place))
        else:
            entry = entries[index]
            made = replace(wanted, name=entry.name, number=entry.number)
            if entry.state is not State.LIVE and not wanted.deprecated:
                detail = f"number {entry.number}, as before"
                events.append(Event(Change.RESTORED, f"{enum.name}.{made.name}", detail, made.place))
            entries[index] = entry.model_copy(update=_tie(made))
        values.append(made)
    given = {value.number for value in values}
    for index, entry in enumerate(entries):
        if entry.number in given or entry.state in {State.RESERVED, State.REPLACED}:
            continue
        reason = entry.reason or "gone from the spec"
        if entry.state is State.LIVE:
            events.append(Event(Change.DEPRECATED, f"{enum.name}.{entry.name}", reason, enum.place))
            entries[index] = entry.model_copy(update={"state": State.DEPRECATED, "reason": reason})
        values.append(EnumValue(entry.name, deprecated=reason, number=entry.number))
    entries.sort(key=lambda entry: (entry.number, STATES.index(entry.state), entry.name))
    kept = reserved((entry.number, entry.name, entry.state) for entry in entries)
    file = known.file if known else enum.file
    listed = tuple(sorted(values, key=lambda value: value.number))
    made_enum = replace(enum, values=listed, reserved=kept, file=file)
    return NumberedEnum(
        made_enum, LockedEnum(file=file, schema=enum.schema, next=cursor, values=tuple(entries)), tuple(events)
    )


def zero_of(enum: str) -> str:
    """The name of the value that stands for nothing (AIP-126; buf ENUM_ZERO_VALUE_SUFFIX)."""
    return f"{snake(enum).upper()}_UNSPECIFIED"


def _named(value: EnumValue, number: int, taken: set[str], before: list[EnumValue]) -> EnumValue:
    """A new value under a name of its own: texts that differ in case only say which case they are in."""
    text = value.json[0]
    name = value.name
    if name in taken and text is not None and any(str(other.json[0]).lower() == text.lower() for other in before[1:]):
        name += "_UPPER" if text == text.upper() else "_LOWER" if text == text.lower() else ""
    name = first_free(name, lambda proposed: proposed not in taken)
    taken.add(name)
    return replace(value, name=name, number=number)


def _tie(value: EnumValue) -> dict[str, Any]:
    """What the lock keeps of a value that the spec has."""
    state = State.DEPRECATED if value.deprecated else State.LIVE
    return {"source": value.source, "state": state, "reason": own_words(value.deprecated) or None}


def _find(entries: list[LockedValue], wanted: EnumValue) -> int | None:
    """The entry that a value is tied to: by its text, else by its name."""
    sources = {"null" if text is None else f"={text}" for text in wanted.json}
    by_text = (index for index, entry in enumerate(entries) if entry.source in sources)
    by_name = (index for index, entry in enumerate(entries) if entry.source is None and entry.name == wanted.name)
    for index in chain(by_text, by_name):
        if entries[index].state is not State.REPLACED and entries[index].number != 0:
            return index
    return None
