"""Decode scalars and enum values; a value that represents no JSON raises `CodecError`."""

from __future__ import annotations

from typing import Any

from spec2proto_codec.decode.forms import MISSING
from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats import documents
from spec2proto_codec.formats.json import parse, write
from spec2proto_codec.plans.types import FieldPlan
from spec2proto_codec.values import scalars, spelling_notes
from spec2proto_codec.values.spelling_notes import Kind, Notes

_BODY_ROLES = frozenset({"body", "content"})  # Roles of fields that hold a whole body.


def read_scalar(item: FieldPlan, content: Any, notes: Notes, place: str | None) -> Any:
    """Return the JSON value of a scalar or enum value; `MISSING` for an enum that is not set.

    `place` is the index of a list item or the key of a map's value; None for a field of one value.
    """
    if notes:
        spelling = _find_spelling(item, content, notes, place)
        if spelling is not MISSING:
            return spelling
    if item.kind == "enum":
        return _read_enum(item, content, place)
    coding = item.options.coding
    if coding == "document":
        return documents.read_document(content) if content else None
    if coding == "raw" and item.role in _BODY_ROLES:
        try:
            return content.decode()
        except UnicodeDecodeError:
            return content
    return scalars.decode_scalar(item, content)


def _find_spelling(item: FieldPlan, content: Any, notes: Notes, place: str | None) -> Any:
    """Return the JSON value that a note gives for a scalar; `MISSING` if no note describes it."""
    for kind in (Kind.DIGITS, Kind.TEXT, Kind.QUOTED):
        arguments = notes.get((kind, item.number))
        if arguments and place in arguments:
            if kind == Kind.DIGITS:
                return parse(arguments[place])
            return spelling_notes.decode_string(arguments[place]) or write(scalars.decode_scalar(item, content))
    return MISSING


def _read_enum(item: FieldPlan, number: int, place: str | None) -> Any:
    """Return the first string of an enum value; 0 without a string is `MISSING`, or null among items."""
    texts = item.texts.texts.get(number)
    if texts is not None:
        return texts[0]
    if number == 0:
        return MISSING if place is None else None
    raise CodecError(f"{number} is no value of {item.texts.name.rpartition('.')[2]}")
