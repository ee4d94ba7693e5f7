"""Number enum values from the lock, like fields. Zero is `…_UNSPECIFIED`, which no JSON string stands for.

Sources: protobuf style guide, enums; AIP-126; AIP-180.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.model.changes import Change, Event
from pipeline.model.contract import Enum, EnumValue
from pipeline.model.identifiers import find_free_name, format_snake
from pipeline.model.lock.model import RETIRED, LockedEnum, LockedValue, State
from pipeline.model.source import format_value_source
from preprocess.naming.renames import rename_entries
from preprocess.numbering.retained import describe_origin, list_reserved, rank_entry


@dataclass(frozen=True, slots=True)
class NumberedEnum:
    """A numbered enum, its new lock entry, and the changes."""

    enum: Enum
    locked: LockedEnum
    events: tuple[Event, ...]


def number_enum(
    enum: Enum, published: LockedEnum | None, used: set[str] | None = None, renames: dict[str, str] | None = None
) -> NumberedEnum:
    """Number the values of an enum; `used` are the value names of other enums, as all values share a scope."""
    return _EnumNumbers(enum, published, set() if used is None else used, renames or {}).run()


class _EnumNumbers:
    """Numbers the values of one enum."""

    def __init__(self, enum: Enum, published: LockedEnum | None, used: set[str], renames: dict[str, str]) -> None:
        self.enum = enum
        self.file = published.file if published else enum.file
        self.cursor = published.next if published else 1
        self.used = used
        self.events: list[Event] = []
        old = published.values if published else ()
        entries = rename_entries(old, {value.source for value in enum.values}, renames)
        self.renamed = {new.number for before, new in zip(old, entries, strict=True) if before != new}
        zero = next((entry for entry in entries if entry.number == 0), None)
        self.zero = EnumValue(zero.name if zero else derive_zero_name(enum.name))
        others = [entry for entry in entries if entry is not zero]
        self.entries = [LockedValue(number=0, name=self.zero.name, since=zero.since if zero else None), *others]
        self.used |= {entry.name for entry in self.entries}

    def run(self) -> NumberedEnum:
        """Number all values."""
        values = [self.zero]
        for value in self.enum.values:
            values.append(self._number_value(value, values))
        values += self._deprecate_missing({value.number for value in values})
        self.entries.sort(key=rank_entry)
        values.sort(key=lambda value: value.number)
        enum = self.enum._replace(values=tuple(values), reserved=list_reserved(self.entries), file=self.file)
        locked = LockedEnum(file=self.file, schema=enum.schema.text, next=self.cursor, values=tuple(self.entries))
        return NumberedEnum(enum, locked, tuple(self.events))

    def _number_value(self, value: EnumValue, earlier: list[EnumValue]) -> EnumValue:
        index = self._find_entry(value)
        if index is None:
            numbered = value._replace(name=self._choose_name(value, earlier), number=self.cursor)
            self.cursor += 1
            origin = describe_origin(numbered.source, numbered.deprecated)
            self.entries.append(LockedValue(number=numbered.number, name=numbered.name, **origin))
            self._record(Change.ADDED, numbered, f"{numbered.name} = {numbered.number}")
            return numbered
        entry = self.entries[index]
        numbered = value._replace(name=entry.name, number=entry.number)
        if entry.number in self.renamed:
            self._record(Change.RENAMED, numbered, f"`{value.json[0]}` now, number {entry.number} as before")
        elif entry.state is not State.LIVE and not value.deprecated:
            self._record(Change.RESTORED, numbered, f"number {entry.number}, as before")
        self.entries[index] = entry.model_copy(update=describe_origin(numbered.source, numbered.deprecated))
        return numbered

    def _find_entry(self, value: EnumValue) -> int | None:
        """Return the index of the entry with the JSON string of a value, or else with its name."""
        sources = {format_value_source(text) for text in value.json}
        same_name = None
        for index, entry in enumerate(self.entries):
            if entry.state is State.REPLACED or entry.number == 0:
                continue
            if entry.source in sources:
                return index
            if same_name is None and entry.source is None and entry.name == value.name:
                same_name = index
        return same_name

    def _choose_name(self, value: EnumValue, earlier: list[EnumValue]) -> str:
        """Return a free name; strings that differ only in case get the suffix `_UPPER` or `_LOWER`."""
        text, name = value.json[0], value.name
        if name in self.used and text is not None and _has_text(earlier[1:], text):
            name += "_UPPER" if text == text.upper() else "_LOWER" if text == text.lower() else ""
        name = find_free_name(name, lambda proposed: proposed not in self.used)
        self.used.add(name)
        return name

    def _deprecate_missing(self, numbers: set[int]) -> Iterator[EnumValue]:
        for index, entry in enumerate(self.entries):
            if entry.number in numbers or entry.state in RETIRED:
                continue
            reason = entry.reason or "gone from the spec"
            value = EnumValue(entry.name, deprecated=reason, number=entry.number)
            if entry.state is State.LIVE:
                self._record(Change.DEPRECATED, value._replace(place=self.enum.place), reason)
                self.entries[index] = entry.model_copy(update={"state": State.DEPRECATED, "reason": reason})
            yield value

    def _record(self, change: Change, value: EnumValue, detail: str) -> None:
        self.events.append(Event(change, f"{self.enum.name}.{value.name}", detail, value.place))


def derive_zero_name(enum: str) -> str:
    """Return the name of the value zero (AIP-126; buf ENUM_ZERO_VALUE_SUFFIX)."""
    return f"{format_snake(enum).upper()}_UNSPECIFIED"


def _has_text(values: list[EnumValue], text: str) -> bool:
    return any(str(value.json[0]).lower() == text.lower() for value in values)
