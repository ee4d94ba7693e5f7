"""Test vectors: a few messages that have, together, a field of every kind that a contract has."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

_DEPTH = 3
_FLOAT = struct.unpack("<f", struct.pack("<f", 0.1))[0]
_VALUES: dict[int, list[Any]] = {
    FieldDescriptor.TYPE_INT32: [-(2**31), 2**31 - 1],
    FieldDescriptor.TYPE_INT64: [-(2**63), 2**53 + 1],
    FieldDescriptor.TYPE_UINT32: [2**32 - 1, 1],
    FieldDescriptor.TYPE_UINT64: [2**64 - 1, 1],
    FieldDescriptor.TYPE_FLOAT: [_FLOAT, -1.5],
    FieldDescriptor.TYPE_DOUBLE: [0.1, -5e-324],
    FieldDescriptor.TYPE_BOOL: [True, False],
    FieldDescriptor.TYPE_STRING: ["é\u2028\U0001f600", ""],
    FieldDescriptor.TYPE_BYTES: [b"\x00\xff", b""],
}


def kind(field: FieldDescriptor) -> tuple[Any, ...]:
    """What makes a field another one to encode and decode: type, label, presence, oneof; key and value of a map."""
    if is_map(field):
        return ("map", *(field.message_type.fields_by_name[name].type for name in ("key", "value")))
    if field.is_repeated:
        return ("repeated", field.type, field.is_packed)
    oneof = field.containing_oneof
    return ("one", field.type, field.has_presence, oneof is not None and len(oneof.fields) > 1)


def is_map(field: FieldDescriptor) -> bool:
    """Whether a field is a map."""
    return bool(
        field.type == FieldDescriptor.TYPE_MESSAGE
        and field.message_type.has_options
        and field.message_type.GetOptions().map_entry
    )


def pool_of(descriptors: FileDescriptorSet) -> DescriptorPool:
    """A pool of the files, each after what it imports."""
    pool = DescriptorPool()
    for file in descriptors.file:
        pool.Add(file)
    return pool


def covering(descriptors: FileDescriptorSet, package: str) -> list[Message]:
    """Messages that together have every kind of field of a package: the one that adds most comes first."""
    pool = pool_of(descriptors)
    own = [file for file in descriptors.file if file.package == package]
    messages = [pool.FindMessageTypeByName(f"{package}.{one.name}") for file in own for one in file.message_type]
    kinds = {one.full_name: {kind(field) for field in one.fields} for one in messages}
    missing, found = set[tuple[Any, ...]]().union(*kinds.values()), []
    while missing:
        best = min(messages, key=lambda one: (-len(kinds[one.full_name] & missing), one.full_name))
        missing -= kinds[best.full_name]
        found += list(_filled(best))
    return found


def _filled(descriptor: Descriptor) -> Iterator[Message]:
    """The message with everything set, once with each variant of its first oneof, and the empty one."""
    widest = max((len(oneof.fields) for oneof in descriptor.oneofs), default=1)
    for turn in range(max(2, min(widest, 6))):
        message = GetMessageClass(descriptor)()
        fill(message, turn, 0)
        yield message
    yield GetMessageClass(descriptor)()


def fill(message: Message, turn: int, depth: int) -> None:
    """Set the fields of a message; the `turn` says which value, and which field of a oneof."""
    for field in message.DESCRIPTOR.fields:
        oneof = field.containing_oneof
        if oneof is not None and oneof.fields[turn % len(oneof.fields)] is not field:
            continue
        if field.type == FieldDescriptor.TYPE_MESSAGE and not is_map(field) and depth >= _DEPTH:
            continue
        _set(message, field, turn, depth)


def _set(message: Message, field: FieldDescriptor, turn: int, depth: int) -> None:
    held = getattr(message, field.name)
    if is_map(field):
        key, value = (field.message_type.fields_by_name[name] for name in ("key", "value"))
        if value.type == FieldDescriptor.TYPE_MESSAGE:
            fill(held[_one(key, turn)], turn, depth + 1)
        else:
            held[_one(key, turn)] = _one(value, turn)
    elif field.type == FieldDescriptor.TYPE_MESSAGE:
        inside = held.add() if field.is_repeated else held
        inside.SetInParent()
        fill(inside, turn, depth + 1)
    elif field.is_repeated:
        held.extend([_one(field, turn), _one(field, turn + 1)])
    else:
        setattr(message, field.name, _one(field, turn))


def _one(field: FieldDescriptor, turn: int) -> Any:
    if field.type == FieldDescriptor.TYPE_ENUM:
        values = field.enum_type.values
        return values[(turn + 1) % len(values)].number
    values = _VALUES[field.type]
    return values[turn % len(values)]


def as_json(message: Message) -> dict[str, Any]:
    """ProtoJSON of a message."""
    found: dict[str, Any] = json_format.MessageToDict(message)
    return found
