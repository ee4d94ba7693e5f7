"""Decoding: the content of a message becomes the JSON value that it stands for.

A message without notes has the canonical spelling: lists as lists, empty ones absent unless they must be there,
required properties present, the first text of each enum value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from spec2proto_codec.decode import forms
from spec2proto_codec.decode.forms import MISSING, get_default
from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats import documents
from spec2proto_codec.formats.json import parse, write
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan
from spec2proto_codec.values import dynamic, scalars, spelling_notes, vectors
from spec2proto_codec.values.spelling_notes import Kind, Notes


class Decoder:
    """Decodes one message.

    Attributes:
        noted: whether any message in it has a note; none is looked for otherwise.
        sources: the JSON texts of documents that are lines, by the `id` of their values.
    """

    def __init__(self, *, noted: bool) -> None:
        """Begin a message."""
        self.noted = noted
        self.sources: dict[int, bytes] = {}

    def read(self, message: Any, plan: MessagePlan) -> Any:
        """The JSON value of a message.

        Raises:
            CodecError: what stands for no JSON, and where it would stand.
        """
        if plan.form in dynamic.FORMS:
            return dynamic.read(message, plan, self.noted)
        return _FORMS[plan.form](self, message, plan, self.read_notes(message))

    def read_notes(self, message: Any) -> Notes:
        """The notes of a message."""
        return spelling_notes.read_notes(message) if self.noted else spelling_notes.NO_NOTES

    def read_fields(self, message: Any, plan: MessagePlan, notes: Notes) -> dict[int, Any]:
        """What the fields of a message are in JSON, by number: those that are set, and what notes add or change."""
        found: dict[int, Any] = {}
        for descriptor, value in message.ListFields():
            item = plan.fields.get(descriptor.number)
            if item is None:
                raise _foreign(descriptor, plan)
            if item.plain is not None and not notes:
                found[item.number] = value
                continue
            try:
                read = self.read_value(item, value, notes)
            except CodecError as error:
                raise error.at(item.key) from None
            if read is not MISSING or item.role == "spread":
                found[item.number] = read
        if notes:
            self._add_noted(plan, notes, found)
        return found

    def _add_noted(self, plan: MessagePlan, notes: Notes, found: dict[int, Any]) -> None:
        """Add what notes say of fields as a whole."""
        for kind, number in notes:
            item = plan.fields.get(number)
            if item is None or None not in notes[kind, number]:
                continue
            if kind == Kind.NULL:
                found[number] = None
            elif kind == Kind.EMPTY:
                found.setdefault(number, get_default(item))
            elif kind == Kind.TEXT:
                found[number] = spelling_notes.decode_string(notes[kind, number][None])
            elif kind in _WRITTEN and number not in found:
                found[number] = self._read_scalar(item, get_default(item), notes, None)

    def read_object(self, message: Any, plan: MessagePlan, notes: Notes, found: dict[str, Any]) -> None:
        """Add the properties of a message to an object, which may have some of its own."""
        if plan.direct and not notes:
            self._add_properties(message, plan, found)
            return
        values = self.read_fields(message, plan, notes)
        for number, value in values.items():
            item = plan.fields[number]
            if item.role == "property":
                found.setdefault(item.key, value)
        for item in plan.needed:
            if item.key not in found and (Kind.ABSENT, item.number) not in notes:
                value = None if item.options.writes_null else get_default(item)
                if value is not MISSING:
                    found[item.key] = value
        if plan.spreads or plan.rest is not None or notes:
            self._add_other_keys(message, plan, notes, values, found)

    def _add_properties(self, message: Any, plan: MessagePlan, found: dict[str, Any]) -> None:
        """The same for a message without notes whose fields are all properties, which most are."""
        for descriptor, value in message.ListFields():
            item = plan.fields.get(descriptor.number)
            if item is None:
                raise _foreign(descriptor, plan)
            if item.plain is not None:
                found.setdefault(item.key, value)
                continue
            try:
                read = self.read_value(item, value, spelling_notes.NO_NOTES)
            except CodecError as error:
                raise error.at(item.key) from None
            if read is not MISSING:
                found.setdefault(item.key, read)
        for item in plan.needed:
            if item.key not in found:
                value = None if item.options.writes_null else get_default(item)
                if value is not MISSING:
                    found[item.key] = value

    def _add_other_keys(
        self, message: Any, plan: MessagePlan, notes: Notes, values: dict[int, Any], found: dict[str, Any]
    ) -> None:
        """Add the keys that are no properties: of variants, of the rest, and what was kept."""
        for group in plan.spreads:
            for item in group:
                if item.number in values:
                    inner = getattr(message, item.name)
                    self._add_spread(inner, item, found)
        if plan.rest is not None and values.get(plan.rest.number):
            for name, value in values[plan.rest.number].items():
                found.setdefault(name, value)
        kept = spelling_notes.find_argument(notes, Kind.KEPT)
        if kept:
            found |= spelling_notes.parse_object(kept)

    def _add_spread(self, inner: Any, item: FieldPlan, found: dict[str, Any]) -> None:
        if item.plan.form == "object":
            self.read_object(inner, item.plan, self.read_notes(inner), found)
            return
        value = self.read(inner, item.plan)
        if value is None:
            return
        if type(value) is not dict:
            raise CodecError(f"the field `{item.name}` stands for no object")
        for name, entry in value.items():
            found.setdefault(name, entry)

    def read_value(self, item: FieldPlan, value: Any, notes: Notes) -> Any:
        """What the value of a field is in JSON."""
        if item.label is Label.ONE:
            if item.kind != "message":
                return self._read_scalar(item, value, notes, None)
            return MISSING if item.role == "spread" else self.read_inner(item, value)
        return self._read_list(item, value, notes) if item.label is Label.LIST else self._read_map(item, value, notes)

    def _read_scalar(self, item: FieldPlan, value: Any, notes: Notes, place: str | None) -> Any:
        if notes:
            spelled = _spelled(item, value, notes, place)
            if spelled is not MISSING:
                return spelled
        if item.kind == "enum":
            return _enum(item, value, place)
        if item.options.coding == "document":
            return documents.read_document(value) if value else None
        if item.options.coding == "raw" and item.role in _BODIES:
            return _as_it_is(value)
        return scalars.decode_scalar(item, value)

    def read_inner(self, item: FieldPlan, message: Any) -> Any:
        """What the message of a field is in JSON: its value, under its key where it has one."""
        plan = item.plan
        if not self.noted and not item.options.entry:
            return self.read(message, plan)
        if self.noted and item.options.shorthand and (Kind.ALONE, 0) in self.read_notes(message):
            found = self.read(message, plan)
            value = found.get(item.options.shorthand) if type(found) is dict else None
        else:
            value = self.read(message, plan)
        return {forms.read_key(message, plan): value} if item.options.entry else value

    def _read_list(self, item: FieldPlan, values: Any, notes: Notes) -> Any:
        nulls = notes.get((Kind.NULL, item.number), {}) if notes else {}
        if item.kind == "message" and item.plan.form == "lines":
            plan = item.plan
            groups = [self.read_fields(entry, plan, self.read_notes(entry)) for entry in values]
            self.sources |= forms.document_sources(plan, values, groups)
            return forms.flatten_groups(plan, groups)
        found: list[Any] = []
        written = spelling_notes.find_argument(notes, Kind.DOUBLES, item.number) if notes else None
        if written:
            found = vectors.read_doubles(written, len(values))
        elif item.kind in _AT_ONCE and not item.options.coding and not _about(notes, item):
            found = self._read_scalars(item, list(values))
        else:
            for index, entry in enumerate(values):
                place = str(index)
                try:
                    found.append(None if place in nulls else self._read_item(item, entry, notes, place))
                except CodecError as error:
                    raise error.at(index) from None
        if notes and (Kind.SINGLE, item.number) in notes:
            if len(found) != 1:
                raise CodecError("a list without its brackets must have one item")
            return found[0]
        return found

    @staticmethod
    def _read_scalars(item: FieldPlan, values: list[Any]) -> list[Any]:
        if item.kind in {"float", "double"}:
            if not all(map(math.isfinite, values)):
                raise CodecError("a number that JSON does not have")
            return vectors.find_shortest_decimals(values) if item.kind == "float" else values
        return values

    def _read_item(self, item: FieldPlan, value: Any, notes: Notes, place: str) -> Any:
        return self.read_inner(item, value) if item.kind == "message" else self._read_scalar(item, value, notes, place)

    def _read_map(self, item: FieldPlan, values: Any, notes: Notes) -> Any:
        nulls = notes.get((Kind.NULL, item.number), {}) if notes else {}
        found = {}
        for name, entry in values.items():
            try:
                found[name] = None if name in nulls else self._read_item(item, entry, notes, name)
            except CodecError as error:
                raise error.at(name) from None
        return found


# The roles of fields that hold a whole body.
_BODIES = frozenset({"body", "content"})
# How a number or boolean was written, which one that holds its default needs as well.
_WRITTEN = frozenset({Kind.DIGITS, Kind.QUOTED})
_AT_ONCE = frozenset({"int32", "int64", "uint32", "uint64", "bool", "string", "float", "double"})
_Form = Callable[[Decoder, Any, MessagePlan, Notes], Any]
_FORMS: dict[str, _Form] = {
    "object": forms.object_of,
    "union": forms.union,
    "array": forms.held,
    "map": forms.held,
    "entry": forms.entry,
    "tuple": forms.positions,
    "lines": forms.group,
}


def _foreign(descriptor: Any, plan: MessagePlan) -> CodecError:
    return CodecError(f"the field `{descriptor.name}` of {plan.short} stands for nothing in JSON")


def _spelled(item: FieldPlan, value: Any, notes: Notes, place: str | None) -> Any:
    """How a note says that a value was written."""
    for kind in (Kind.DIGITS, Kind.TEXT, Kind.QUOTED):
        written = notes.get((kind, item.number))
        if written and place in written:
            if kind == Kind.DIGITS:
                return parse(written[place])
            return spelling_notes.decode_string(written[place]) or write(scalars.decode_scalar(item, value))
    return MISSING


def _enum(item: FieldPlan, value: int, place: str | None) -> Any:
    texts = item.texts.texts.get(value)
    if texts is not None:
        return texts[0]
    if value == 0:
        return MISSING if place is None else None
    raise CodecError(f"{value} is no value of {item.texts.name.rpartition('.')[2]}")


def _as_it_is(value: bytes) -> str | bytes:
    """A body that JSON does not hold: a text, where it is one."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def _about(notes: Notes, item: FieldPlan) -> bool:
    """Whether a note is about items of a list."""
    return any(number == item.number and kind != Kind.SINGLE for kind, number in notes)
