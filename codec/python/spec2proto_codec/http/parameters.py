"""Parameters: the texts of a path or a query as the fields of a request, and back.

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

# Integers up to here are exact as a double.
_EXACT = 2.0**53
_SEPARATORS = {"pipeDelimited": "|", "spaceDelimited": " "}


def put(encoder: Encoder, message: Any, item: FieldPlan, texts: list[str], *, in_path: bool) -> bytes:
    """Put the texts of a parameter into its field; returns what is to be noted.

    Args:
        encoder: of the request.
        message: the request, or its global parameters.
        item: the parameter's field.
        texts: one for each time that it stands in the query; one from a path.
        in_path: whether it stands in the path.

    Raises:
        CodecError: when the field cannot hold it.
    """
    best: tuple[int, int, Any] | None = None
    for at, value in enumerate(list_readings(item, texts)):
        encoder.chooser.keep_alive(value)
        cost = encoder.chooser.compute_cost(item, value)
        if cost is not None and (best is None or (cost, at) < best[:2]):
            best = cost, at, value
    if best is None:
        shown = ", ".join(texts)
        raise CodecError(f'"{shown[:60]}" is no value of the parameter `{item.key}`')
    records = encoder.put(message, item, best[2])
    if format_value(item, best[2], in_path=in_path) != texts:
        records += encode_record(Kind.RAW, item.number, json.dumps(texts).encode())
    return records


def list_readings(item: FieldPlan, texts: list[str]) -> list[Any]:
    """The JSON values that the texts of a parameter may mean, the likeliest first."""
    if item.options.holds_json:
        return [parse(texts[0])]
    if item.label is Label.LIST:
        whole = [[_reading(item, text) for text in texts]]
        split = (
            [[_reading(item, part) for part in texts[0].split(_SEPARATORS.get(item.options.style, ","))]]
            if len(texts) == 1
            else []
        )
        return [*split, *whole] if item.options.single or not item.options.explode else [*whole, *split]
    found = []
    if item.kind != "message":
        return [_reading(item, texts[0])] if len(texts) == 1 else []
    if len(texts) == 1:
        found = [*_plain(texts[0]), texts[0]]
        if "," in texts[0]:
            found.insert(0, texts[0].split(","))
    return [*found, list(texts)]


def _plain(text: str) -> list[Any]:
    if text in {"true", "false", ""}:
        return [text != "false"]
    return [parse(text)] if numbers.DECIMAL.fullmatch(text) and _is_json(text) else []


def _is_json(text: str) -> bool:
    try:
        return numbers.is_number(parse(text))
    except CodecError:
        return False


def _reading(item: FieldPlan, text: str) -> Any:
    """The JSON value of one text in a field of one type."""
    if item.kind in {"string", "bytes", "enum"} and item.options.coding != "number":
        return text
    if item.kind == "message":
        return next(iter(_plain(text)), text) if item.plan.form != "object" else text
    found = _plain(text)
    return found[0] if found else text


def format_value(item: FieldPlan, value: Any, *, in_path: bool) -> list[str]:
    """The texts of a parameter: several where a list in a query is written in one piece for each item."""
    if item.options.holds_json:
        return [write(value)]
    if type(value) is not list:
        return [_text(value)]
    texts = [_text(entry) for entry in value]
    return (
        texts
        if item.options.explode and not in_path and texts
        else [_SEPARATORS.get(item.options.style, ",").join(texts)]
    )


def _text(value: Any) -> str:
    if type(value) is float and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    return value if type(value) is str else write(value)


def format_parameter(item: FieldPlan, value: Any, notes: Notes, *, in_path: bool) -> list[str]:
    """The texts of a parameter whose field was read.

    Raises:
        CodecError: when a note about it is broken.
    """
    raw = spelling_notes.find_argument(notes, Kind.RAW, item.number)
    if raw is None:
        return format_value(item, value, in_path=in_path)
    texts = parse(raw)
    if type(texts) is not list or not texts or not all(type(text) is str for text in texts):
        raise CodecError("a broken spelling note")
    return texts


def read_parameters(decoder: Decoder, message: Any, items: dict[int, FieldPlan], notes: Notes) -> dict[int, Any]:
    """The JSON values of those fields of a message that are parameters and set."""
    found = {}
    for descriptor, value in message.ListFields():
        item = items.get(descriptor.number)
        if item is not None and item.role == "parameter":
            found[item.number] = decoder.read_value(item, value, notes)
    for kind, number in notes:
        item = items.get(number)
        if item is not None and item.role == "parameter" and None in notes[kind, number]:
            if kind == Kind.EMPTY:
                found.setdefault(number, get_noted_default(item))
            elif kind == Kind.RAW:
                found.setdefault(number, "")
    return found


def get_noted_default(item: FieldPlan) -> Any:
    """What a field without presence holds where a note says that it was given."""
    return {"string": "", "bool": False}.get(item.kind, 0) if item.label is Label.ONE else []
