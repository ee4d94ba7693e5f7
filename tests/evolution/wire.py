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
            for name in _list_names(f"{file.package}.{message.name}", message)
            if not file.package.startswith("google")
        ]

    def type_of(self, name: str) -> type[Message]:
        """Return the class of a message."""
        return message_factory.GetMessageClass(self.pool.FindMessageTypeByName(name))

    def read(self, name: str, content: bytes) -> Message:
        """Parse a message."""
        message = self.type_of(name)()
        message.ParseFromString(content)
        return message

    def samples(self, name: str) -> Iterator[Message]:
        """Yield messages that together set every field and every enum value, each as many as possible."""
        kind = self.type_of(name)
        oneofs = [oneof.fields for oneof in kind.DESCRIPTOR.oneofs]
        plain = [item for item in kind.DESCRIPTOR.fields if item.containing_oneof is None]
        rounds = max([1, *map(len, oneofs), *(_count_values(item) for item in kind.DESCRIPTOR.fields)])
        for at in range(rounds):
            message = kind()
            for item in [*plain, *(members[at % len(members)] for members in oneofs)]:
                _fill(message, item, at)
            yield message


def _list_names(name: str, message: Any) -> Iterator[str]:
    yield name
    for nested in message.nested_type:
        if not nested.options.map_entry:
            yield from _list_names(f"{name}.{nested.name}", nested)


def _count_values(item: FieldDescriptor) -> int:
    return len(item.enum_type.values) if item.enum_type is not None and not item.is_repeated else 1


def _fill(message: Message, item: FieldDescriptor, at: int) -> None:
    """Set a field; a nested message gets its first scalar field, so that it is not empty."""
    if item.message_type is not None and item.message_type.GetOptions().map_entry:
        held = item.message_type.fields_by_name["value"]
        if held.message_type is not None:
            _fill_message(getattr(message, item.name)["k"])
        else:
            getattr(message, item.name)["k"] = _choose_value(held, at)
    elif item.message_type is not None:
        child = getattr(message, item.name)
        _fill_message(child.add() if item.is_repeated else child)
    elif item.is_repeated:
        getattr(message, item.name).append(_choose_value(item, at))
    else:
        setattr(message, item.name, _choose_value(item, at))


def _fill_message(message: Message) -> None:
    message.SetInParent()
    first = next((item for item in message.DESCRIPTOR.fields if item.message_type is None), None)
    if first is not None:
        _fill(message, first, 0)


def _choose_value(item: FieldDescriptor, at: int) -> Any:
    if item.enum_type is not None:
        values = item.enum_type.values
        return values[(at + 1) % len(values)].number
    if item.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return b"\x00\xff" if item.type == FieldDescriptor.TYPE_BYTES else "é"
    return _SCALARS[item.cpp_type]


def read_values(message: Message) -> Tree:
    """Return the fields of a message by number, with name and value; an enum value is its number and name."""
    return {item.number: (item.name, _read_field(item, value)) for item, value in message.ListFields()}


def _read_field(item: FieldDescriptor, value: Any) -> Any:
    if item.message_type is not None and item.message_type.GetOptions().map_entry:
        held = item.message_type.fields_by_name["value"]
        return {key: _read_value(held, value[key]) for key in value}
    return [_read_value(item, entry) for entry in value] if item.is_repeated else _read_value(item, value)


def _read_value(item: FieldDescriptor, value: Any) -> Any:
    if item.message_type is not None:
        return read_values(value)
    if item.enum_type is not None:
        enum_value = item.enum_type.values_by_number.get(value)
        return value, enum_value.name if enum_value is not None else None
    return value


def has_unknown_fields(message: Message, depth: int = 3) -> bool:
    """Return whether a message, or a nested one, has unknown fields."""
    if len(UnknownFieldSet(message)):
        return True
    children = [value for item, value in message.ListFields() if item.message_type is not None and not item.is_repeated]
    return depth > 0 and any(has_unknown_fields(child, depth - 1) for child in children)


def find_lost_messages(before: Contract, after: Contract, written: dict[str, list[bytes]]) -> list[str]:
    """Return the messages that the later contract does not read completely."""
    wrong = []
    for name, contents in written.items():
        for content in contents:
            old, new = before.read(name, content), after.read(name, content)
            # The codec's notes about spelling are unknown to every contract.
            if read_values(old) != read_values(new) or (has_unknown_fields(new) and not has_unknown_fields(old)):
                wrong.append(f"{name}: {read_values(old)} is read as {read_values(new)}")
                break
    return wrong


def find_changed_messages(
    after: Contract, before: Contract, written: dict[str, list[bytes]], enum_value: set[str]
) -> list[str]:
    """Return the messages that an earlier contract reads with other values, or does not write back completely."""
    wrong = []
    for name in sorted(enum_value & written.keys()):
        for content in written[name]:
            new, old = after.read(name, content), before.read(name, content)
            if not _is_part_of(read_values(old), read_values(new)) or read_values(
                after.read(name, old.SerializeToString())
            ) != read_values(new):
                wrong.append(f"{name}: {read_values(new)} is read as {read_values(old)}")
                break
    return wrong


def _is_part_of(old: Any, new: Any) -> bool:
    """Return whether the values that an older reader sees are among the written ones."""
    if isinstance(old, dict) and isinstance(new, dict):
        return all(key in new and _is_part_of(value, new[key]) for key, value in old.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_is_part_of, old, new))
    if isinstance(old, tuple) and isinstance(new, tuple):
        # A field's name with its value, or the number of an enum value with its name, if it has one.
        return old[0] == new[0] and (old[1] is None or _is_part_of(old[1], new[1]))
    return bool(old == new)


def write(contract: Contract) -> dict[str, list[bytes]]:
    """Serialize the samples of all messages."""
    return {name: [message.SerializeToString() for message in contract.samples(name)] for name in contract.names}
