"""Convert the strings of path, query and header parameters to request fields, and back.

Sources: OpenAPI 3.1.0, section 4.8.12 (`style` and `explode`); RFC 6570 (URI templates), section 3.2.
"""

from __future__ import annotations

import json
from typing import Any

from spec2proto_codec.decode.decoder import Decoder
from spec2proto_codec.encode.encoder import Encoder
from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats import numbers
from spec2proto_codec.formats.json import parse, write
from spec2proto_codec.plans.types import FieldPlan, Label
from spec2proto_codec.values import spelling_notes
from spec2proto_codec.values.spelling_notes import Kind, Notes, encode_record

# A double holds every integer up to here.
_EXACT = 2.0**53
_SEPARATORS = {"pipeDelimited": "|", "spaceDelimited": " "}


def put(encoder: Encoder, message: Any, item: FieldPlan, strings: list[str], *, in_path: bool) -> bytes:
    """Put the strings of a parameter into its field; return the note records.

    There is a string for each time that the parameter stands in the query, and one from a path or header. The message
    is the request, or that of its global parameters. Strings that no value of the field means raise `CodecError`.
    """
    best: tuple[int, int, Any] | None = None
    for at, value in enumerate(list_readings(item, strings)):
        encoder.chooser.keep_alive(value)
        cost = encoder.chooser.compute_cost(item, value)
        if cost is not None and (best is None or (cost, at) < best[:2]):
            best = cost, at, value
    if best is None:
        text = ", ".join(strings)
        raise CodecError(f'"{text[:60]}" is no value of the parameter `{item.key}`')
    records = encoder.put(message, item, best[2])
    if format_value(item, best[2], in_path=in_path) != strings:
        records += encode_record(Kind.RAW, item.number, json.dumps(strings).encode())
    return records


def list_readings(item: FieldPlan, strings: list[str]) -> list[Any]:
    """Return the JSON values that the strings of a parameter may mean, the likeliest first."""
    if item.options.holds_json:
        return [parse(strings[0])]
    if item.label is Label.LIST:
        return _list_list_readings(item, strings)
    if item.kind != "message":
        return [_read_string(item, strings[0])] if len(strings) == 1 else []
    readings: list[Any] = []
    if len(strings) == 1:
        readings = [*_parse_literal(strings[0]), strings[0]]
        if "," in strings[0]:
            readings.insert(0, strings[0].split(","))
    return [*readings, list(strings)]


def _list_list_readings(item: FieldPlan, strings: list[str]) -> list[Any]:
    """Return the lists that strings may mean: one item for each string, or a single string split at separators."""
    whole = [[_read_string(item, string) for string in strings]]
    if len(strings) > 1:
        return whole
    pieces = strings[0].split(_SEPARATORS.get(item.options.style, ","))
    split = [[_read_string(item, piece) for piece in pieces]]
    return [*split, *whole] if item.options.single or not item.options.explode else [*whole, *split]


def _parse_literal(string: str) -> list[Any]:
    """Return the boolean or number that a string spells, if any; an empty string is true, as in `?pretty`."""
    if string in {"true", "false", ""}:
        return [string != "false"]
    try:
        return [parse(string)] if numbers.DECIMAL.fullmatch(string) else []
    except CodecError:
        return []


def _read_string(item: FieldPlan, string: str) -> Any:
    """Return the JSON value that one string means for the type of a field."""
    is_plain = item.kind in {"string", "bytes", "enum"} and item.options.coding != "number"
    if is_plain or (item.kind == "message" and item.plan.form == "object"):
        return string
    return next(iter(_parse_literal(string)), string)


def format_value(item: FieldPlan, value: Any, *, in_path: bool) -> list[str]:
    """Return the strings of a parameter; several if each item of a list stands in the query on its own."""
    if item.options.holds_json:
        return [write(value)]
    if type(value) is not list:
        return [_format_scalar(value)]
    strings = [_format_scalar(entry) for entry in value]
    if item.options.explode and not in_path and strings:
        return strings
    return [_SEPARATORS.get(item.options.style, ",").join(strings)]


def _format_scalar(value: Any) -> str:
    if type(value) is float and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    return value if type(value) is str else write(value)


def format_parameter(item: FieldPlan, value: Any, notes: Notes, *, in_path: bool) -> list[str]:
    """Return the strings of a parameter: those of its note, if it has one, else those of its value."""
    raw = spelling_notes.find_argument(notes, Kind.RAW, item.number)
    if raw is None:
        return format_value(item, value, in_path=in_path)
    strings = parse(raw)
    if type(strings) is not list or not strings or not all(type(string) is str for string in strings):
        raise CodecError("a broken spelling note")
    return strings


def read_parameters(decoder: Decoder, message: Any, items: dict[int, FieldPlan], notes: Notes) -> dict[int, Any]:
    """Return the JSON values of the parameters that a message holds, by field number."""
    values = {}
    for descriptor, value in message.ListFields():
        item = items.get(descriptor.number)
        if item is not None and item.role == "parameter":
            values[item.number] = decoder.read_value(item, value, notes)
    for kind, number in notes:
        item = items.get(number)
        if item is not None and item.role == "parameter" and None in notes[kind, number]:
            if kind == Kind.EMPTY:
                values.setdefault(number, get_noted_default(item))
            elif kind == Kind.RAW:
                values.setdefault(number, "")
    return values


def get_noted_default(item: FieldPlan) -> Any:
    """Return the default of a field without presence, for a note that says that the parameter was there."""
    return {"string": "", "bool": False}.get(item.kind, 0) if item.label is Label.ONE else []
