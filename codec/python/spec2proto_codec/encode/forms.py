"""Encode lists and objects as repeated and map fields, and values as messages by their form.

Each function returns the note records for the message that it is given, or that has the field. A value that the message
cannot carry raises `CodecError`. Protobuf has no null among the items of a list or map; a note names their places.
"""

from __future__ import annotations

from typing import Any

from spec2proto_codec.encode import line_groups
from spec2proto_codec.encode.protocol import ValueEncoder
from spec2proto_codec.errors import CodecError, describe
from spec2proto_codec.formats.json import check_string
from spec2proto_codec.plans.types import FieldPlan, MessagePlan
from spec2proto_codec.values import spelling_notes, vectors
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


def put_union(encoder: ValueEncoder, message: Any, plan: MessagePlan, value: Any, key: str | None) -> bytes:
    """Put a value into the variant that the chooser selects, or into several variants of an `anyOf`."""
    first = encoder.chooser.choose(plan.variants, value)
    is_closed = type(value) is dict and not first.oneof and first.message is not None and not first.plan.is_open
    others = _split_over_variants(plan, first, value) if is_closed else []
    if not others:
        return encoder.put(message, first, value, key)
    elsewhere = {name for _, subset in others for name in subset}
    # The first variant also gets the keys that no variant declares.
    for item, subset in [(first, {name: entry for name, entry in value.items() if name not in elsewhere}), *others]:
        encoder.chooser.keep_alive(subset)
        inner = getattr(message, item.name)
        inner.SetInParent()
        records = encoder.fill_subset(inner, item.plan, subset, value)
        if records:
            spelling_notes.attach(inner, records)
    return b""


def _split_over_variants(
    plan: MessagePlan, first: FieldPlan, value: dict[str, Any]
) -> list[tuple[FieldPlan, dict[str, Any]]]:
    """Split the keys that the first variant does not declare over the other variants that may be set with it."""
    others = {name: entry for name, entry in value.items() if name not in first.plan.known_keys}
    subsets = []
    for item in plan.variants if others else ():
        subset = {name: entry for name, entry in others.items() if item.message and name in item.message.known_keys}
        if subset and item is not first:
            subsets.append((item, subset))
            others = {name: entry for name, entry in others.items() if name not in subset}
    return subsets


def put_array(encoder: ValueEncoder, message: Any, plan: MessagePlan, value: Any, _: str | None) -> bytes:
    """Put a list, or one item that stands without its list, into the message of an array."""
    item = plan.content
    if type(value) is not list:
        return encode_record(Kind.SINGLE, item.number) + put_list(encoder, message, item, [value])
    return put_list(encoder, message, item, value) if value else b""


def put_entry(encoder: ValueEncoder, message: Any, plan: MessagePlan, value: Any, _: str | None) -> bytes:
    """Put an object of one key into a message that holds the key and the value."""
    if type(value) is not dict or len(value) != 1:
        raise CodecError(f"expected an object of one key, found {describe(value)}")
    name, inner = next(iter(value.items()))
    if plan.key_field is not None:
        setattr(message, plan.key_field.name, check_string(name))
    return encoder.put_at(name, message, plan.content, inner)


def put_tuple(encoder: ValueEncoder, message: Any, plan: MessagePlan, value: Any, _: str | None) -> bytes:
    """Put the items of a list into the fields of their positions, further items into a repeated field."""
    if type(value) is not list:
        raise CodecError(f"expected a list, found {describe(value)}")
    records = b"".join(
        encoder.put_at(index, message, item, entry)
        for index, (item, entry) in enumerate(zip(plan.items, value, strict=False))
    )
    absent = [item for item in plan.always_written if (item.options.position or 0) >= len(value)]
    records += b"".join(encode_record(Kind.ABSENT, item.number) for item in absent)
    further = value[len(plan.items) :]
    if further and plan.content_field is None:
        raise CodecError(f"{plan.short} has {len(plan.items)} items", len(plan.items))
    return records + encoder.put(message, plan.content, further) if further else records
