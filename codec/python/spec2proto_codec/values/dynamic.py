"""What a schema leaves open: any JSON value, any object, any number, as `ObjectMap` and `GeneralNumber` hold them.

An integer takes the smallest type that holds it; a decimal a float where that has exactly its value, else a double.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from spec2proto_codec.errors import CodecError, shown
from spec2proto_codec.formats import numbers
from spec2proto_codec.formats.json import check_string, parse, write_bytes
from spec2proto_codec.plans.types import FieldPlan, MessagePlan
from spec2proto_codec.values import scalars, spelling_notes
from spec2proto_codec.values.spelling_notes import Kind, Notes, encode_record

FORMS = frozenset({"any", "number"})
_INTEGERS = (("int32", -(2**31), 2**31 - 1), ("int64", -(2**63), 2**63 - 1), ("uint64", 0, 2**64 - 1))


def fill(message: Any, plan: MessagePlan, value: Any) -> None:
    """Put a value into one of these messages.

    Raises:
        CodecError: when it is none that the message holds, and where it stands.
    """
    if not plan.variants:
        _container(message, plan, value)
        return
    kind = type(value)
    if kind is int or kind is float or kind is Decimal:
        _number(message, plan, value)
        return
    if plan.form == "number":
        raise CodecError(f"expected a number, found {shown(value)}")
    wanted = {str: "string", bool: "bool", type(None): "enum", dict: "message", list: "message"}.get(kind)
    for item in plan.variants:
        if item.kind != wanted:
            continue
        if wanted != "message":
            setattr(message, item.name, _plain(item, value))
            return
        held = item.plan.held
        if held is not None and held.role == ("entries" if kind is dict else "items"):
            inner = getattr(message, item.name)
            inner.SetInParent()
            _container(inner, item.plan, value)
            return
    raise CodecError(f"{shown(value)} cannot stand in {plan.short}")


def _plain(item: FieldPlan, value: Any) -> Any:
    if value is None:
        return item.texts.numbers[None]
    return check_string(value) if item.kind == "string" else value


def _container(message: Any, plan: MessagePlan, value: Any) -> None:
    item = plan.content
    target = getattr(message, item.name)
    if item.role == "entries":
        if type(value) is not dict:
            raise CodecError(f"expected an object, found {shown(value)}")
        for name, entry in value.items():
            try:
                fill(target[check_string(name)], item.plan, entry)
            except CodecError as error:
                raise error.at(name) from None
        return
    if type(value) is not list:
        raise CodecError(f"expected a list, found {shown(value)}")
    for index, entry in enumerate(value):
        try:
            fill(target.add(), item.plan, entry)
        except CodecError as error:
            raise error.at(index) from None


def _number(message: Any, plan: MessagePlan, value: float | Decimal) -> None:
    members = {item.kind: item for item in plan.variants if item.kind not in {"message", "enum"}}
    if type(value) is int:
        for kind, low, high in _INTEGERS:
            if kind in members and low <= value <= high:
                setattr(message, members[kind].name, value)
                return
    elif type(value) is float and not math.isfinite(value):
        raise CodecError("a number is beyond what a double can hold")
    elif type(value) is float and "float" in members and numbers.is_float32(value):
        setattr(message, members["float"].name, value)
        return
    item = members["double"]
    near = numbers.convert_to_double(value)
    setattr(message, item.name, near)
    if not numbers.is_exact(near, value):
        spelling_notes.attach(message, encode_record(Kind.DIGITS, item.number, write_bytes(value)))


def read(message: Any, plan: MessagePlan, noted: bool) -> Any:
    """The value that one of these messages holds; null where it holds nothing.

    Raises:
        CodecError: when a number or a note stands for nothing.
    """
    if not plan.variants:
        item = plan.content
        notes = spelling_notes.read_notes(message) if noted else spelling_notes.NO_NOTES
        if notes:
            raise CodecError(f"a note that means nothing in {plan.short}")
        held = getattr(message, item.name)
        if item.role == "entries":
            return {name: read(entry, item.plan, noted) for name, entry in held.items()}
        return [read(entry, item.plan, noted) for entry in held]
    return _value(message, plan, noted)


def _value(message: Any, plan: MessagePlan, noted: bool) -> Any:
    notes: Notes = spelling_notes.read_notes(message) if noted else spelling_notes.NO_NOTES
    listed = message.ListFields()
    if not listed:
        return None
    descriptor, value = listed[0]
    item = plan.fields.get(descriptor.number)
    if item is None:
        raise CodecError(f"field {descriptor.number} of {plan.short} is not of this contract")
    if item.kind == "message":
        return read(value, item.plan, noted)
    if item.kind == "enum":
        if value not in item.texts.texts:
            raise CodecError(f"{value} is no value of {item.texts.name.rpartition('.')[2]}")
        return item.texts.texts[value][0]
    written = spelling_notes.find_argument(notes, Kind.DIGITS, item.number)
    if written:
        return parse(written)
    return scalars.decode_scalar(item, value)
