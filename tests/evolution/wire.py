"""Bytes of one contract, read with another: messages with every field, made from descriptors alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

_SCALARS: dict[int, Any] = {
    FieldDescriptor.CPPTYPE_INT32: -7,
    FieldDescriptor.CPPTYPE_INT64: 2**53 + 1,
    FieldDescriptor.CPPTYPE_UINT32: 7,
    FieldDescriptor.CPPTYPE_UINT64: 2**63 + 1,
    FieldDescriptor.CPPTYPE_DOUBLE: 0.1,
    FieldDescriptor.CPPTYPE_FLOAT: 0.5,
    FieldDescriptor.CPPTYPE_BOOL: True,
}
Tree = dict[int, tuple[str, Any]]


class Contract:
    """The messages of one set of descriptors."""

    def __init__(self, image: FileDescriptorSet) -> None:
        """Load them, in whatever order their files are."""
        self.pool = descriptor_pool.DescriptorPool()
        waiting = {file.name: file for file in image.file}
        while waiting:
            ready = [file for file in waiting.values() if not waiting.keys() & set(file.dependency)]
            assert ready, "files import each other"
            for file in ready:
                self.pool.Add(waiting.pop(file.name))
        self.names = [
            name
            for file in image.file
            for message in file.message_type
            for name in _names(f"{file.package}.{message.name}", message)
            if not file.package.startswith("google")
        ]

    def type_of(self, name: str) -> type[Message]:
        """The class of a message."""
        return message_factory.GetMessageClass(self.pool.FindMessageTypeByName(name))

    def read(self, name: str, content: bytes) -> Message:
        """A message from its bytes."""
        made = self.type_of(name)()
        made.ParseFromString(content)
        return made

    def samples(self, name: str) -> Iterator[Message]:
        """Messages that together have every field and every value of every enum: as many at once as may stand."""
        kind = self.type_of(name)
        listed = [oneof.fields for oneof in kind.DESCRIPTOR.oneofs]
        plain = [item for item in kind.DESCRIPTOR.fields if item.containing_oneof is None]
        rounds = max([1, *map(len, listed), *(_values(item) for item in kind.DESCRIPTOR.fields)])
        for at in range(rounds):
            made = kind()
            for item in [*plain, *(members[at % len(members)] for members in listed)]:
                _fill(made, item, at)
            yield made


def _names(name: str, message: Any) -> Iterator[str]:
    yield name
    for nested in message.nested_type:
        if not nested.options.map_entry:
            yield from _names(f"{name}.{nested.name}", nested)


def _values(item: FieldDescriptor) -> int:
    return len(item.enum_type.values) if item.enum_type is not None and not item.is_repeated else 1


def _fill(message: Message, item: FieldDescriptor, at: int) -> None:
    """Set a field; a message in it has its first field that holds no message, so that it is not empty."""
    if item.message_type is not None and item.message_type.GetOptions().map_entry:
        held = item.message_type.fields_by_name["value"]
        if held.message_type is not None:
            _touch(getattr(message, item.name)["k"])
        else:
            getattr(message, item.name)["k"] = _value(held, at)
    elif item.message_type is not None:
        child = getattr(message, item.name)
        _touch(child.add() if item.is_repeated else child)
    elif item.is_repeated:
        getattr(message, item.name).append(_value(item, at))
    else:
        setattr(message, item.name, _value(item, at))


def _touch(message: Message) -> None:
    message.SetInParent()
    first = next((item for item in message.DESCRIPTOR.fields if item.message_type is None), None)
    if first is not None:
        _fill(message, first, 0)


def _value(item: FieldDescriptor, at: int) -> Any:
    if item.enum_type is not None:
        values = item.enum_type.values
        return values[(at + 1) % len(values)].number
    if item.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return b"\x00\xff" if item.type == FieldDescriptor.TYPE_BYTES else "é"
    return _SCALARS[item.cpp_type]


def tree(message: Message) -> Tree:
    """What is in a message, by number and name, all the way down; of an enum value number and name."""
    return {item.number: (item.name, _plain(item, value)) for item, value in message.ListFields()}


def _plain(item: FieldDescriptor, value: Any) -> Any:
    if item.message_type is not None and item.message_type.GetOptions().map_entry:
        held = item.message_type.fields_by_name["value"]
        return {key: _one(held, value[key]) for key in value}
    return [_one(item, entry) for entry in value] if item.is_repeated else _one(item, value)


def _one(item: FieldDescriptor, value: Any) -> Any:
    if item.message_type is not None:
        return tree(value)
    if item.enum_type is not None:
        known = item.enum_type.values_by_number.get(value)
        return value, known.name if known is not None else None
    return value


def unknown(message: Message, depth: int = 3) -> bool:
    """Whether a message, or one inside it, holds fields that its contract does not know."""
    if len(UnknownFieldSet(message)):
        return True
    children = [value for item, value in message.ListFields() if item.message_type is not None and not item.is_repeated]
    return depth > 0 and any(unknown(child, depth - 1) for child in children)


def lost(before: Contract, after: Contract, written: dict[str, list[bytes]]) -> list[str]:
    """The messages of which the later contract does not read all that was written with the earlier one."""
    wrong = []
    for name, contents in written.items():
        for content in contents:
            old, new = before.read(name, content), after.read(name, content)
            # The codec's notes about spelling are unknown to every contract.
            if tree(old) != tree(new) or (unknown(new) and not unknown(old)):
                wrong.append(f"{name}: {tree(old)} is read as {tree(new)}")
                break
    return wrong


def spoilt(after: Contract, before: Contract, written: dict[str, list[bytes]], known: set[str]) -> list[str]:
    """The messages that an earlier contract reads otherwise than they were written, or does not pass on whole."""
    wrong = []
    for name in sorted(known & written.keys()):
        for content in written[name]:
            new, old = after.read(name, content), before.read(name, content)
            if not _within(tree(old), tree(new)) or tree(after.read(name, old.SerializeToString())) != tree(new):
                wrong.append(f"{name}: {tree(new)} is read as {tree(old)}")
                break
    return wrong


def _within(old: Any, new: Any) -> bool:
    """Whether one tree is part of another: what an older reader sees is what was written."""
    if isinstance(old, dict) and isinstance(new, dict):
        return all(key in new and _within(value, new[key]) for key, value in old.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_within, old, new))
    if isinstance(old, tuple) and isinstance(new, tuple):
        # A field's name with its value, or the number of an enum value with its name, if it has one.
        return old[0] == new[0] and (old[1] is None or _within(old[1], new[1]))
    return bool(old == new)


def write(contract: Contract) -> dict[str, list[bytes]]:
    """The bytes of all samples, by message."""
    return {name: [made.SerializeToString() for made in contract.samples(name)] for name in contract.names}
