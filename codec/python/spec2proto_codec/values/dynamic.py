"""Convert values that a schema leaves open: messages such as `ObjectMap` and `GeneralNumber` hold any JSON.

An integer uses the smallest type that holds it. A decimal uses a float if that has exactly its value, otherwise a
double.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from spec2proto_codec.errors import CodecError, describe
from spec2proto_codec.formats import numbers
from spec2proto_codec.formats.json import check_string, parse, write_bytes
from spec2proto_codec.plans.types import MessagePlan
from spec2proto_codec.values import scalars, spelling_notes
from spec2proto_codec.values.spelling_notes import Kind, encode_record

FORMS = frozenset({"any", "number"})  # Forms of messages that this module converts.
_INTEGERS = (("int32", -(2**31), 2**31 - 1), ("int64", -(2**63), 2**63 - 1), ("uint64", 0, 2**64 - 1))
_KINDS = {str: "string", bool: "bool", type(None): "enum", dict: "message", list: "message"}


def fill(message: Any, plan: MessagePlan, value: Any) -> None:
    """Put a JSON value into an empty message of the form `any` or `number`; raise `CodecError` if it does not fit."""
    if not plan.variants:
        _fill_container(message, plan, value)
        return
    json_type = type(value)
    if json_type is int or json_type is float or json_type is Decimal:
        _put_number(message, plan, value)
        return
    if plan.form == "number":
        raise CodecError(f"expected a number, found {describe(value)}")
    kind = _KINDS.get(json_type)
    for item in plan.variants:
        if item.kind != kind:
            continue
        if kind == "string":
            check_string(value)
        if kind != "message":
            setattr(message, item.name, item.texts.numbers[None] if value is None else value)
            return
        content = item.plan.content_field
        if content is not None and content.role == ("entries" if json_type is dict else "items"):
            inner = getattr(message, item.name)
            inner.SetInParent()
            _fill_container(inner, item.plan, value)
            return
    raise CodecError(f"{describe(value)} cannot stand in {plan.short}")


def _fill_container(message: Any, plan: MessagePlan, value: Any) -> None:
    item = plan.content
    target = getattr(message, item.name)
    is_object = item.role == "entries"
    json_type: type = type(value)
    if json_type is not (dict if is_object else list):
        raise CodecError(f"expected {'an object' if is_object else 'a list'}, found {describe(value)}")
    for step, entry in value.items() if is_object else enumerate(value):
        try:
            fill(target[check_string(step)] if is_object else target.add(), item.plan, entry)
        except CodecError as error:
            raise error.add_step(step) from None


def _put_number(message: Any, plan: MessagePlan, value: float | Decimal) -> None:
    """Put a number into the smallest variant; a note keeps digits that a double loses."""
    variants = {item.kind: item for item in plan.variants if item.kind not in {"message", "enum"}}
    if type(value) is int:
        for kind, low, high in _INTEGERS:
            if kind in variants and low <= value <= high:
                setattr(message, variants[kind].name, value)
                return
    elif type(value) is float and not math.isfinite(value):
        raise CodecError("a number is beyond what a double can hold")
    elif type(value) is float and "float" in variants and numbers.is_float32(value):
        setattr(message, variants["float"].name, value)
        return
    item = variants["double"]
    near = numbers.convert_to_double(value)
    setattr(message, item.name, near)
    if not numbers.is_exact(near, value):
        spelling_notes.attach(message, encode_record(Kind.DIGITS, item.number, write_bytes(value)))


def read(message: Any, plan: MessagePlan, noted: bool) -> Any:
    """Return the JSON value of a message of the form `any` or `number`; null if the message is empty.

    `noted` tells whether the message, or a message inside it, may have spelling notes. A number or a note that
    represents no JSON raises `CodecError`.
    """
    if plan.variants:
        return _read_variant(message, plan, noted)
    item = plan.content
    if noted and spelling_notes.read_notes(message):
        raise CodecError(f"a note that means nothing in {plan.short}")
    content = getattr(message, item.name)
    if item.role == "entries":
        return {name: read(entry, item.plan, noted) for name, entry in content.items()}
    return [read(entry, item.plan, noted) for entry in content]


def _read_variant(message: Any, plan: MessagePlan, noted: bool) -> Any:
    notes = spelling_notes.read_notes(message) if noted else spelling_notes.NO_NOTES
    fields = message.ListFields()
    if not fields:
        return None
    descriptor, value = fields[0]
    item = plan.fields.get(descriptor.number)
    if item is None:
        raise CodecError(f"field {descriptor.number} of {plan.short} is not of this contract")
    if item.kind == "message":
        return read(value, item.plan, noted)
    if item.kind == "enum":
        if value not in item.texts.texts:
            raise CodecError(f"{value} is no value of {item.texts.name.rpartition('.')[2]}")
        return item.texts.texts[value][0]
    digits = spelling_notes.find_argument(notes, Kind.DIGITS, item.number)
    return parse(digits) if digits else scalars.decode_scalar(item, value)
