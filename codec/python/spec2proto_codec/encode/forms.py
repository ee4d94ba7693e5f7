"""How a JSON value stands in a message that is no object: unions, arrays, entries, tuples.

Each function puts a value into a message and returns what is to be noted of it there. All raise `CodecError`.
"""

from __future__ import annotations

from typing import Any

from spec2proto_codec.encode import lists
from spec2proto_codec.encode.protocol import ValueEncoder
from spec2proto_codec.errors import CodecError, shown
from spec2proto_codec.formats.json import check_string
from spec2proto_codec.plans.types import FieldPlan, MessagePlan
from spec2proto_codec.values import spelling_notes
from spec2proto_codec.values.spelling_notes import Kind, encode_record


def union(encoder: ValueEncoder, message: Any, plan: MessagePlan, value: Any, key: str | None) -> bytes:
    """Put a value into the variant that it is."""
    item = encoder.chooser.choose(plan.variants, value)
    if type(value) is not dict or item.oneof or item.message is None or item.plan.open:
        return encoder.put(message, item, value, key)
    return _several(encoder, message, plan, item, value, key)


def _several(
    encoder: ValueEncoder, message: Any, plan: MessagePlan, first: FieldPlan, value: dict[str, Any], key: str | None
) -> bytes:
    """An object whose keys several variants have that may stand together: each takes those that it knows."""
    left = {name: entry for name, entry in value.items() if name not in first.plan.known}
    others = []
    for item in plan.variants if left else ():
        part = {name: entry for name, entry in left.items() if item.message and name in item.message.known}
        if part and item is not first:
            others.append((item, part))
            left = {name: entry for name, entry in left.items() if name not in part}
    if not others:
        return encoder.put(message, first, value, key)
    parts = [
        (first, {name: entry for name, entry in value.items() if name in first.plan.known or name in left}),
        *others,
    ]
    for item, part in parts:
        encoder.chooser.keep_alive(part)
        inner = getattr(message, item.name)
        inner.SetInParent()
        found = encoder.fill_part(inner, item.plan, part, value)
        if found:
            spelling_notes.attach(inner, found)
    return b""


def array(encoder: ValueEncoder, message: Any, plan: MessagePlan, value: Any, _: str | None) -> bytes:
    """Put a list into its message, or its one item."""
    item = plan.content
    if type(value) is list and not value:
        return b""
    if type(value) is not list:
        return encode_record(Kind.SINGLE, item.number) + lists.put_list(encoder, message, item, [value])
    return lists.put_list(encoder, message, item, value)


def entry(encoder: ValueEncoder, message: Any, plan: MessagePlan, value: Any, _: str | None) -> bytes:
    """Put an object of one key into a message of key and value."""
    if type(value) is not dict or len(value) != 1:
        raise CodecError(f"expected an object of one key, found {shown(value)}")
    name, inner = next(iter(value.items()))
    if plan.key is not None:
        setattr(message, plan.key.name, check_string(name))
    return encoder.put_at(name, message, plan.content, inner)


def positions(encoder: ValueEncoder, message: Any, plan: MessagePlan, value: Any, _: str | None) -> bytes:
    """Put the items of a tuple into the fields of their positions."""
    if type(value) is not list:
        raise CodecError(f"expected a list, found {shown(value)}")
    records = b"".join(
        encoder.put_at(index, message, item, entry)
        for index, (item, entry) in enumerate(zip(plan.items, value, strict=False))
    )
    records += b"".join(encode_record(Kind.ABSENT, item.number) for item in plan.needed if int(item.key) >= len(value))
    further = value[len(plan.items) :]
    if further and plan.held is None:
        raise CodecError(f"{plan.short} has {len(plan.items)} items", len(plan.items))
    return records + encoder.put(message, plan.content, further) if further else records
