"""Encode lists and objects as repeated and map fields; a value that a field cannot carry raises `CodecError`.

Protobuf has no null among the items; a note names the places of nulls.
"""

from __future__ import annotations

from typing import Any

from spec2proto_codec.encode import line_groups
from spec2proto_codec.encode.protocol import ValueEncoder
from spec2proto_codec.errors import CodecError, describe
from spec2proto_codec.formats.json import check_string
from spec2proto_codec.plans.types import FieldPlan
from spec2proto_codec.values import vectors
from spec2proto_codec.values.spelling_notes import Kind, encode_record

_DEFAULTS = {"string": "", "bytes": b"", "bool": False}


def put_list(encoder: ValueEncoder, message: Any, item: FieldPlan, value: Any) -> bytes:
    """Put a list into a repeated field; return the note records for the message that has the field."""
    records = b""
    if type(value) is not list:
        if not item.options.single:
            raise CodecError(f"expected a list, found {describe(value)}")
        value = [value]
        records = encode_record(Kind.SINGLE, item.number)
    elif not value:
        return b"" if item.options.required else encode_record(Kind.EMPTY, item.number)
    target = getattr(message, item.name)
    if item.kind != "message":
        return records + _put_scalars(encoder, target, item, value)
    if item.plan.form == "lines":
        line_groups.fill_groups(encoder, target, item.plan, value)
        return records
    for index, entry in enumerate(value):
        inner = target.add()
        if entry is None and not _can_hold_null(item):
            records += encode_record(Kind.NULL, item.number, place=index)
            continue
        try:
            encoder.fill_inner(inner, item, entry)
        except CodecError as error:
            raise error.add_step(index) from None
    return records


def _put_scalars(encoder: ValueEncoder, target: Any, item: FieldPlan, values: list[Any]) -> bytes:
    """Put scalars into a repeated field, all at once if possible; return the note records."""
    records = vectors.put(target, item, values)
    if records is not None:
        return records
    records = b""
    converted = []
    for index, value in enumerate(values):
        if value is None and not _can_hold_null(item):
            records += encode_record(Kind.NULL, item.number, place=index)
            converted.append(_DEFAULTS.get(item.kind, 0))
            continue
        try:
            scalar, spelling = encoder.convert_scalar(item, value)
        except CodecError as error:
            raise error.add_step(index) from None
        converted.append(scalar)
        if spelling:
            records += encode_record(spelling[0], item.number, spelling[1], index)
    target.extend(converted)
    return records


def put_map(encoder: ValueEncoder, message: Any, item: FieldPlan, value: Any) -> bytes:
    """Put an object into a map field; return the note records for the message that has the field."""
    if type(value) is not dict:
        raise CodecError(f"expected an object, found {describe(value)}")
    if not value and item.role != "entries":
        return b"" if item.options.required else encode_record(Kind.EMPTY, item.number)
    target = getattr(message, item.name)
    records = b""
    for name, entry in value.items():
        try:
            records += _put_entry(encoder, target, item, check_string(name), entry)
        except CodecError as error:
            raise error.add_step(name) from None
    return records


def _put_entry(encoder: ValueEncoder, target: Any, item: FieldPlan, name: str, value: Any) -> bytes:
    is_null = value is None and not _can_hold_null(item)
    if item.kind == "message":
        inner = target[name]
        if not is_null:
            encoder.fill_inner(inner, item, value)
    elif is_null:
        target[name] = _DEFAULTS.get(item.kind, 0)
    else:
        target[name], spelling = encoder.convert_scalar(item, value)
        return encode_record(spelling[0], item.number, spelling[1], name) if spelling else b""
    return encode_record(Kind.NULL, item.number, place=name) if is_null else b""


def _can_hold_null(item: FieldPlan) -> bool:
    """Return whether the type of the items has a value for null."""
    if item.message is not None:
        return any(variant.takes_null for variant in item.message.variants)
    return item.enum is not None and None in item.enum.numbers
