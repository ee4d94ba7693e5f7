"""Decode protobuf messages to JSON values.

A message without notes has the canonical spelling. Lists are lists, empty ones are absent unless they are required,
required properties are present, and each enum value is its first string. The methods raise `CodecError` with the place
if a message or field represents no JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spec2proto_codec.decode import forms
from spec2proto_codec.decode.forms import MISSING, Values, get_default
from spec2proto_codec.decode.scalars import read_scalar
from spec2proto_codec.errors import CodecError
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan
from spec2proto_codec.values import dynamic, spelling_notes, vectors
from spec2proto_codec.values.spelling_notes import NO_NOTES, Kind, Notes

_WRITTEN_KINDS = frozenset({Kind.DIGITS, Kind.QUOTED})
"""Kinds of records that say how a number or boolean was written; they matter even if the field has its default."""
_VECTOR_KINDS = frozenset({"int32", "int64", "uint32", "uint64", "bool", "string", "float", "double"})


class Decoder:
    """Decodes one message.

    Attributes:
        noted: whether the message, or a message inside it, has a note; if not, the decoder looks for none.
        sources: JSON text of each document that is an NDJSON line, by the `id` of its value.
    """

    def __init__(self, *, noted: bool) -> None:
        self.noted = noted
        self.sources: dict[int, bytes] = {}

    def read(self, message: Any, plan: MessagePlan) -> Any:
        """Return the JSON value of a message."""
        if plan.form in dynamic.FORMS:
            return dynamic.read(message, plan, self.noted)
        notes = self.read_notes(message)
        if plan.form == "object":
            result: dict[str, Any] = {}
            self.read_object(message, plan, notes, result)
            return result
        return _FORMS[plan.form](self.read_fields(message, plan, notes), message, plan, notes)

    def read_notes(self, message: Any) -> Notes:
        """Return the notes of a message; raise `CodecError` if a note is broken."""
        return spelling_notes.read_notes(message) if self.noted else NO_NOTES

    def read_fields(self, message: Any, plan: MessagePlan, notes: Notes) -> Values:
        """Return the JSON values of the fields that are set or that notes mention; `MISSING` for spreads."""
        values: Values = {}
        for descriptor, content in message.ListFields():
            item = plan.fields.get(descriptor.number)
            if item is None:
                raise _create_foreign_field_error(descriptor, plan)
            if item.plain is not None and not notes:
                values[item.number] = content
                continue
            try:
                value = self.read_value(item, content, notes)
            except CodecError as error:
                raise error.add_step(item.key) from None
            if value is not MISSING or item.role == "spread":
                values[item.number] = value
        if notes:
            self._add_noted(plan, notes, values)
        return values

    def _add_noted(self, plan: MessagePlan, notes: Notes, values: Values) -> None:
        for kind, number in notes:
            item = plan.fields.get(number)
            if item is None or None not in notes[kind, number]:
                continue
            if kind == Kind.NULL:
                values[number] = None
            elif kind == Kind.EMPTY:
                values.setdefault(number, get_default(item))
            elif kind == Kind.TEXT:
                values[number] = spelling_notes.decode_string(notes[kind, number][None])
            elif kind in _WRITTEN_KINDS and number not in values:
                values[number] = read_scalar(item, get_default(item), notes, None)

    def read_object(self, message: Any, plan: MessagePlan, notes: Notes, result: dict[str, Any]) -> None:
        """Add the properties of a message to the object `result`, except keys that it has."""
        if plan.has_only_properties and not notes:
            self._add_properties(message, plan, result)
            return
        values = self.read_fields(message, plan, notes)
        for number, value in values.items():
            item = plan.fields[number]
            if item.role == "property":
                result.setdefault(item.key, value)
        _add_needed(plan, notes, result)
        if plan.spreads or plan.rest_field is not None or notes:
            self._add_other_keys(message, plan, notes, values, result)

    def _add_properties(self, message: Any, plan: MessagePlan, result: dict[str, Any]) -> None:
        """Add the properties of a message without notes whose fields are all properties, the usual case."""
        for descriptor, content in message.ListFields():
            item = plan.fields.get(descriptor.number)
            if item is None:
                raise _create_foreign_field_error(descriptor, plan)
            if item.plain is not None:
                result.setdefault(item.key, content)
                continue
            try:
                value = self.read_value(item, content, NO_NOTES)
            except CodecError as error:
                raise error.add_step(item.key) from None
            if value is not MISSING:
                result.setdefault(item.key, value)
        _add_needed(plan, NO_NOTES, result)

    def _add_other_keys(
        self, message: Any, plan: MessagePlan, notes: Notes, values: Values, result: dict[str, Any]
    ) -> None:
        for group in plan.spreads:
            for item in group:
                if item.number in values:
                    self._add_spread(getattr(message, item.name), item, result)
        if plan.rest_field is not None and values.get(plan.rest_field.number):
            for name, value in values[plan.rest_field.number].items():
                result.setdefault(name, value)
        kept_keys = spelling_notes.find_argument(notes, Kind.KEPT)
        if kept_keys:
            result |= spelling_notes.parse_object(kept_keys)

    def _add_spread(self, inner: Any, item: FieldPlan, result: dict[str, Any]) -> None:
        if item.plan.form == "object":
            self.read_object(inner, item.plan, self.read_notes(inner), result)
            return
        value = self.read(inner, item.plan)
        if value is None:
            return
        if type(value) is not dict:
            raise CodecError(f"expected an object in the field `{item.name}`, found another value")
        for name, entry in value.items():
            result.setdefault(name, entry)

    def read_value(self, item: FieldPlan, content: Any, notes: Notes) -> Any:
        """Return the JSON value of a field's content; `MISSING` for a spread, and for an enum that is not set."""
        if item.label is Label.ONE:
            if item.kind != "message":
                return read_scalar(item, content, notes, None)
            return MISSING if item.role == "spread" else self._read_inner(item, content)
        read_all = self._read_list if item.label is Label.LIST else self._read_map
        return read_all(item, content, notes)

    def _read_inner(self, item: FieldPlan, message: Any) -> Any:
        plan = item.plan
        value = self.read(message, plan)
        if not item.wrapped:
            return value
        if self.noted and item.options.shorthand and (Kind.ALONE, 0) in self.read_notes(message):
            value = value.get(item.options.shorthand) if type(value) is dict else None
        return {forms.read_key(message, plan): value} if item.options.entry else value

    def _read_list(self, item: FieldPlan, contents: Any, notes: Notes) -> Any:
        if item.kind == "message" and item.plan.form == "lines":
            return self._read_line_groups(item.plan, contents)
        values: list[Any] = []
        doubles = spelling_notes.find_argument(notes, Kind.DOUBLES, item.number) if notes else None
        if doubles:
            values = vectors.read_doubles(doubles, len(contents))
        elif _is_vector(item, notes):
            values = vectors.read(item, list(contents))
        else:
            nulls = notes.get((Kind.NULL, item.number), {}) if notes else {}
            for index, content in enumerate(contents):
                place = str(index)
                try:
                    values.append(None if place in nulls else self._read_item(item, content, notes, place))
                except CodecError as error:
                    raise error.add_step(index) from None
        if notes and (Kind.SINGLE, item.number) in notes:
            if len(values) != 1:
                raise CodecError("a list without its brackets must have one item")
            return values[0]
        return values

    def _read_line_groups(self, plan: MessagePlan, messages: Any) -> list[Any]:
        """Return the lines of group messages in order, and remember the sources of documents."""
        groups = [self.read_fields(message, plan, self.read_notes(message)) for message in messages]
        self.sources |= forms.find_document_sources(plan, messages, groups)
        return [line for group in groups for line in forms.read_group(group, None, plan, NO_NOTES)]

    def _read_item(self, item: FieldPlan, content: Any, notes: Notes, place: str) -> Any:
        if item.kind == "message":
            return self._read_inner(item, content)
        return read_scalar(item, content, notes, place)

    def _read_map(self, item: FieldPlan, contents: Any, notes: Notes) -> dict[str, Any]:
        nulls = notes.get((Kind.NULL, item.number), {}) if notes else {}
        result = {}
        for name, content in contents.items():
            try:
                result[name] = None if name in nulls else self._read_item(item, content, notes, name)
            except CodecError as error:
                raise error.add_step(name) from None
        return result


_FORMS: dict[str, Callable[[Values, Any, MessagePlan, Notes], Any]] = {
    "union": forms.read_union,
    "array": forms.read_content,
    "map": forms.read_content,
    "entry": forms.read_entry,
    "tuple": forms.read_tuple,
    "lines": forms.read_group,
}


def _is_vector(item: FieldPlan, notes: Notes) -> bool:
    """Return whether a list can be decoded as a whole, because no note describes an item."""
    is_scalar = item.kind in _VECTOR_KINDS and not item.options.coding
    return is_scalar and not any(number == item.number and kind != Kind.SINGLE for kind, number in notes)


def _create_foreign_field_error(descriptor: Any, plan: MessagePlan) -> CodecError:
    return CodecError(f"the field `{descriptor.name}` of {plan.short} represents nothing in JSON")


def _add_needed(plan: MessagePlan, notes: Notes, result: dict[str, Any]) -> None:
    """Add the properties that the canonical spelling writes although their fields are not set."""
    for item in plan.always_written:
        if item.key not in result and (Kind.ABSENT, item.number) not in notes:
            value = None if item.options.writes_null else get_default(item)
            if value is not MISSING:
                result[item.key] = value
