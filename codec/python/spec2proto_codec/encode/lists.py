"""Lists and maps: many JSON values in one repeated or map field.

Nulls have no place among their items; a note says where they stand.
"""

from __future__ import annotations

from typing import Any

from spec2proto_codec.encode import line_groups
from spec2proto_codec.encode.protocol import ValueEncoder
from spec2proto_codec.errors import CodecError, shown
from spec2proto_codec.formats.json import check_string
from spec2proto_codec.plans.types import FieldPlan
from spec2proto_codec.values import vectors
from spec2proto_codec.values.spelling_notes import Kind, encode_record


def put_list(encoder: ValueEncoder, message: Any, item: FieldPlan, value: Any) -> bytes:
    """Put a list into a repeated field; returns what is to be noted.

    Raises:
        CodecError: what cannot be carried, and where it stands.
    """
    records = b""
    if type(value) is not list:
        if not item.options.single:
            raise CodecError(f"expected a list, found {shown(value)}")
        value = [value]
        records = encode_record(Kind.SINGLE, item.number)
    elif not value:
        return b"" if item.options.required else encode_record(Kind.EMPTY, item.number)
    target = getattr(message, item.name)
    if item.kind != "message":
        return records + _scalars(encoder, target, item, value)
    if item.plan.form == "lines":
        line_groups.fill(encoder, target, item.plan, value)
        return records
    for index, entry in enumerate(value):
        inner = target.add()
        if entry is None and not _null_inside(item):
            records += encode_record(Kind.NULL, item.number, place=index)
            continue
        try:
            encoder.fill_inner(inner, item, entry)
        except CodecError as error:
            raise error.at(index) from None
    return records


def _scalars(encoder: ValueEncoder, target: Any, item: FieldPlan, value: list[Any]) -> bytes:
    records = vectors.put(target, item, value)
    if records is not None:
        return records
    records = b""
    made = []
    for index, entry in enumerate(value):
        if entry is None and not (item.enum is not None and None in item.enum.numbers):
            records += encode_record(Kind.NULL, item.number, place=index)
            made.append(_default(item))
            continue
        try:
            found, told = encoder.convert_scalar(item, entry)
        except CodecError as error:
            raise error.at(index) from None
        made.append(found)
        if told:
            records += encode_record(told[0], item.number, told[1], index)
    target.extend(made)
    return records


def put_map(encoder: ValueEncoder, message: Any, item: FieldPlan, value: Any) -> bytes:
    """Put an object into a map; returns what is to be noted.

    Raises:
        CodecError: as above.
    """
    if type(value) is not dict:
        raise CodecError(f"expected an object, found {shown(value)}")
    if not value and item.role != "entries":
        return b"" if item.options.required else encode_record(Kind.EMPTY, item.number)
    target = getattr(message, item.name)
    records = b""
    for name, entry in value.items():
        try:
            records += _value(encoder, target, item, check_string(name), entry)
        except CodecError as error:
            raise error.at(name) from None
    return records


def _value(encoder: ValueEncoder, target: Any, item: FieldPlan, name: str, value: Any) -> bytes:
    if item.kind == "message":
        inner = target[name]
        if value is None and not _null_inside(item):
            return encode_record(Kind.NULL, item.number, place=name)
        encoder.fill_inner(inner, item, value)
        return b""
    if value is None and not (item.enum is not None and None in item.enum.numbers):
        target[name] = _default(item)
        return encode_record(Kind.NULL, item.number, place=name)
    target[name], told = encoder.convert_scalar(item, value)
    return encode_record(told[0], item.number, told[1], name) if told else b""


def _null_inside(item: FieldPlan) -> bool:
    """Whether the message of an item can say null."""
    return any(variant.takes_null for variant in item.plan.variants)


def _default(item: FieldPlan) -> Any:
    return {"string": "", "bytes": b"", "bool": False}.get(item.kind, 0)
