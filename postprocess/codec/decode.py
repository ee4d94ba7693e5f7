"""Decoding: the content of a message becomes the JSON value that it stands for.

A message without notes has the canonical spelling: lists as lists, empty ones absent unless they must be there,
required properties present, the first text of each enum value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from postprocess.codec import bulk, free, lines, note, scalars
from postprocess.codec.errors import CodecError
from postprocess.codec.model import FieldPlan, Label, MessagePlan
from postprocess.codec.note import Kind, Notes
from postprocess.codec.texts import parse, write

_MISSING = object()


class Decoder:
    """Decodes one message.

    Attributes:
        noted: whether any message in it has a note; none is looked for otherwise.
    """

    def __init__(self, *, noted: bool) -> None:
        """Begin a message."""
        self.noted = noted

    def read(self, message: Any, plan: MessagePlan) -> Any:
        """The JSON value of a message.

        Raises:
            CodecError: what stands for no JSON, and where it would stand.
        """
        if plan.form in free.FORMS:
            return free.read(message, plan, self.noted)
        return _FORMS[plan.form](self, message, plan, self.notes(message))

    def notes(self, message: Any) -> Notes:
        """The notes of a message."""
        return note.notes_of(message) if self.noted else note.NONE

    def fields(self, message: Any, plan: MessagePlan, notes: Notes) -> dict[int, Any]:
        """What the fields of a message are in JSON, by number: those that are set, and what notes add or change."""
        found: dict[int, Any] = {}
        for descriptor, value in message.ListFields():
            item = plan.fields.get(descriptor.number)
            if item is None:
                raise CodecError(f"the field `{descriptor.name}` of {plan.short} stands for nothing in JSON")
            try:
                read = self.value(item, value, notes)
            except CodecError as error:
                raise error.at(item.key) from None
            if read is not _MISSING or item.role == "spread":
                found[item.number] = read
        if notes:
            self._noted(plan, notes, found)
        return found

    def _noted(self, plan: MessagePlan, notes: Notes, found: dict[int, Any]) -> None:
        """Add what notes say of fields as a whole."""
        for kind, number in notes:
            item = plan.fields.get(number)
            if item is None or None not in notes[kind, number]:
                continue
            if kind == Kind.NULL:
                found[number] = None
            elif kind == Kind.EMPTY:
                found.setdefault(number, nothing(item))
            elif kind == Kind.TEXT:
                found[number] = notes[kind, number][None].decode()
            elif kind in _WRITTEN and number not in found:
                found[number] = self._scalar(item, nothing(item), notes, None)

    def object(self, message: Any, plan: MessagePlan, notes: Notes, found: dict[str, Any]) -> None:
        """Add the properties of a message to an object, which may have some of its own."""
        values = self.fields(message, plan, notes)
        for number, value in values.items():
            item = plan.fields[number]
            if item.role == "property":
                found.setdefault(item.key, value)
        for item in plan.needed:
            if item.key not in found and (Kind.ABSENT, item.number) not in notes:
                value = None if item.writes_null else nothing(item)
                if value is not _MISSING:
                    found[item.key] = value
        self._further(message, plan, notes, values, found)

    def _further(
        self, message: Any, plan: MessagePlan, notes: Notes, values: dict[int, Any], found: dict[str, Any]
    ) -> None:
        """Add the keys that are no properties: of variants, of the rest, and what was kept."""
        for group in plan.spreads:
            for item in group:
                if item.number in values:
                    inner = getattr(message, item.name)
                    self._spread(inner, item, found)
        if plan.rest is not None and values.get(plan.rest.number):
            for name, value in values[plan.rest.number].items():
                found.setdefault(name, value)
        kept = notes.get((Kind.KEPT, 0))
        if kept:
            found |= parse(kept[None])

    def _spread(self, inner: Any, item: FieldPlan, found: dict[str, Any]) -> None:
        if item.plan.form == "object":
            self.object(inner, item.plan, self.notes(inner), found)
            return
        value = self.read(inner, item.plan)
        if value is None:
            return
        if type(value) is not dict:
            raise CodecError(f"the field `{item.name}` stands for no object")
        for name, entry in value.items():
            found.setdefault(name, entry)

    def value(self, item: FieldPlan, value: Any, notes: Notes) -> Any:
        """What the value of a field is in JSON."""
        if item.label is Label.LIST:
            return self._list(item, value, notes)
        if item.label is Label.MAP:
            return self._map(item, value, notes)
        if item.kind == "message":
            if item.role == "spread":
                return _MISSING
            return self.inner(item, value)
        return self._scalar(item, value, notes, None)

    def _scalar(self, item: FieldPlan, value: Any, notes: Notes, place: str | None) -> Any:
        if notes:
            written = notes.get((Kind.DIGITS, item.number))
            if written and place in written:
                return parse(written[place])
            written = notes.get((Kind.TEXT, item.number))
            if written and place in written:
                return written[place].decode()
            written = notes.get((Kind.QUOTED, item.number))
            if written and place in written:
                return written[place].decode() or write(scalars.from_scalar(item, value))
        if item.kind == "enum":
            texts = item.texts.texts.get(value)
            if texts is None and value == 0:
                return _MISSING if place is None else None
            if texts is None:
                raise CodecError(f"{value} is no value of {item.texts.name.rpartition('.')[2]}")
            return texts[0]
        return scalars.from_scalar(item, value)

    def inner(self, item: FieldPlan, message: Any) -> Any:
        """What the message of a field is in JSON: its value, under its key where it has one."""
        plan = item.plan
        if self.noted and item.shorthand and (Kind.ALONE, 0) in self.notes(message):
            found = self.read(message, plan)
            value = found.get(item.shorthand) if type(found) is dict else None
        else:
            value = self.read(message, plan)
        return {_key(message, plan): value} if item.entry else value

    def _list(self, item: FieldPlan, values: Any, notes: Notes) -> Any:
        nulls = notes.get((Kind.NULL, item.number), {}) if notes else {}
        if item.kind == "message" and item.plan.form == "lines":
            plan = item.plan
            return lines.flat(plan, [self.fields(entry, plan, self.notes(entry)) for entry in values])
        found: list[Any] = []
        written = notes.get((Kind.DOUBLES, item.number)) if notes else None
        if written:
            found = bulk.doubles(written[None], len(values))
        elif item.kind in _AT_ONCE and not item.coding and not _about(notes, item):
            found = self._at_once(item, list(values))
        else:
            for index, entry in enumerate(values):
                place = str(index)
                try:
                    found.append(None if place in nulls else self._item(item, entry, notes, place))
                except CodecError as error:
                    raise error.at(index) from None
        if notes and (Kind.SINGLE, item.number) in notes:
            if len(found) != 1:
                raise CodecError("a list without its brackets must have one item")
            return found[0]
        return found

    @staticmethod
    def _at_once(item: FieldPlan, values: list[Any]) -> list[Any]:
        if item.kind in {"float", "double"}:
            if not all(map(math.isfinite, values)):
                raise CodecError("a number that JSON does not have")
            return bulk.shortest(values) if item.kind == "float" else values
        return values

    def _item(self, item: FieldPlan, value: Any, notes: Notes, place: str) -> Any:
        return self.inner(item, value) if item.kind == "message" else self._scalar(item, value, notes, place)

    def _map(self, item: FieldPlan, values: Any, notes: Notes) -> Any:
        nulls = notes.get((Kind.NULL, item.number), {}) if notes else {}
        found = {}
        for name, entry in values.items():
            try:
                found[name] = None if name in nulls else self._item(item, entry, notes, name)
            except CodecError as error:
                raise error.at(name) from None
        return found

    def _object(self, message: Any, plan: MessagePlan, notes: Notes) -> Any:
        found: dict[str, Any] = {}
        self.object(message, plan, notes, found)
        return found

    def _union(self, message: Any, plan: MessagePlan, notes: Notes) -> Any:
        listed = list(self.fields(message, plan, notes).items())
        listed = [entry for entry in listed if plan.fields[entry[0]].role != "key"]
        if not listed:
            return None
        if len(listed) == 1:
            return listed[0][1]
        found: dict[str, Any] = {}
        for number, value in listed:
            if type(value) is not dict:
                raise CodecError(f"the field `{plan.fields[number].name}` stands beside others, and is no object")
            for name, entry in value.items():
                found.setdefault(name, entry)
        return found

    def _held(self, message: Any, plan: MessagePlan, notes: Notes) -> Any:
        item = plan.content
        found = self.fields(message, plan, notes)
        return found.get(item.number, nothing(item))

    def _entry(self, message: Any, plan: MessagePlan, notes: Notes) -> Any:
        item = plan.content
        values = self.fields(message, plan, notes)
        value = values.get(item.number, nothing(item))
        return {_key(message, plan): None if value is _MISSING else value}

    def _tuple(self, message: Any, plan: MessagePlan, notes: Notes) -> Any:
        values = self.fields(message, plan, notes)
        found: list[Any] = []
        for item in plan.items:
            value = values.get(item.number, _MISSING)
            absent = (Kind.ABSENT, item.number) in notes
            if value is _MISSING and item in plan.needed and not absent:
                value = None if item.writes_null else nothing(item)
            found.append(value)
        further = values.get(plan.held.number, []) if plan.held is not None else []
        while not further and found and found[-1] is _MISSING:
            found.pop()
        return [None if value is _MISSING else value for value in found] + further

    def _lines(self, message: Any, plan: MessagePlan, notes: Notes) -> Any:
        return lines.flat(plan, [self.fields(message, plan, notes)])


# How a number or boolean was written, which one that holds its default needs as well.
_WRITTEN = frozenset({Kind.DIGITS, Kind.QUOTED})
_AT_ONCE = frozenset({"int32", "int64", "uint32", "uint64", "bool", "string", "float", "double"})
_Form = Callable[[Decoder, Any, MessagePlan, Notes], Any]
_FORMS: dict[str, _Form] = {
    "object": Decoder._object,
    "union": Decoder._union,
    "array": Decoder._held,
    "map": Decoder._held,
    "entry": Decoder._entry,
    "tuple": Decoder._tuple,
    "lines": Decoder._lines,
}


def _about(notes: Notes, item: FieldPlan) -> bool:
    """Whether a note is about items of a list."""
    return any(number == item.number and kind != Kind.SINGLE for kind, number in notes)


def _key(message: Any, plan: MessagePlan) -> str:
    """The one key that a message holds, or the variant of it that is set."""
    if plan.key is not None:
        return str(getattr(message, plan.key.name))
    for item in plan.variants:
        if item.message is not None and item.label is Label.ONE and message.HasField(item.name):
            return _key(getattr(message, item.name), item.message)
    return ""


def nothing(item: FieldPlan) -> Any:
    """What a field that is not set is in JSON, where it is written in any case."""
    if item.label is Label.LIST:
        return []
    if item.label is Label.MAP:
        return {}
    if item.kind in {"message", "enum"}:
        return _MISSING
    if item.kind == "string":
        return 0 if item.coding == "number" else ""
    return {"bytes": "", "bool": False, "float": 0.0, "double": 0.0}.get(item.kind, 0)
