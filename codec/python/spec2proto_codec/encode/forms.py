"""Encode JSON values as messages of the forms union, array, entry and tuple.

Each function puts a value into a message and returns the note records for it. All raise `CodecError` for a value that
the message cannot carry.
"""

from __future__ import annotations

from typing import Any

from spec2proto_codec.encode import lists
from spec2proto_codec.encode.protocol import ValueEncoder
from spec2proto_codec.errors import CodecError, describe
from spec2proto_codec.formats.json import check_string
from spec2proto_codec.plans.types import FieldPlan, MessagePlan
from spec2proto_codec.values import spelling_notes
from spec2proto_codec.values.spelling_notes import Kind, encode_record


def put_union(encoder: ValueEncoder, message: Any, plan: MessagePlan, value: Any, key: str | None) -> bytes:
    """Put a value into the variant that the chooser selects, or into several variants of an `anyOf`."""
    item = encoder.chooser.choose(plan.variants, value)
    if type(value) is not dict or item.oneof or item.message is None or item.plan.is_open:
        return encoder.put(message, item, value, key)
    others = _split_over_variants(plan, item, value)
    if not others:
        return encoder.put(message, item, value, key)
    _put_parts(encoder, message, item, others, value)
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


def _put_parts(
    encoder: ValueEncoder,
    message: Any,
    first: FieldPlan,
    others: list[tuple[FieldPlan, dict[str, Any]]],
    value: dict[str, Any],
) -> None:
    """Put subsets of an object into several variants; the first variant also gets the keys that no variant declares."""
    elsewhere = {name for _, subset in others for name in subset}
    for item, subset in [(first, {name: entry for name, entry in value.items() if name not in elsewhere}), *others]:
        encoder.chooser.keep_alive(subset)
        inner = getattr(message, item.name)
        inner.SetInParent()
        records = encoder.fill_subset(inner, item.plan, subset, value)
        if records:
            spelling_notes.attach(inner, records)


def put_array(encoder: ValueEncoder, message: Any, plan: MessagePlan, value: Any, _: str | None) -> bytes:
    """Put a list, or one item that stands without its list, into the message of an array."""
    item = plan.content
    if type(value) is not list:
        return encode_record(Kind.SINGLE, item.number) + lists.put_list(encoder, message, item, [value])
    return lists.put_list(encoder, message, item, value) if value else b""


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
