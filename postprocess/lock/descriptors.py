"""Turn a lock into descriptors: the published contract, for comparison with a new one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet

from pipeline.model.contract import SCALARS, Label
from pipeline.model.json_name import derive_json_name
from pipeline.model.lock.model import RETIRED, Lock, LockedEnum, LockedExtension, LockedField, LockedMessage, State

DESCRIPTOR_FILE = "google/protobuf/descriptor.proto"
_Files = dict[str, FileDescriptorProto]


def descriptors_of_lock(lock: Lock) -> FileDescriptorSet:
    """Return the descriptors of all live and deprecated elements of a lock; imported files come first."""
    files = _create_files(lock)
    enums = {name for name, enum in lock.enums.items() if enum.state not in RETIRED}
    types = _Types(lock.package, enums)
    live_messages = {name: entry for name, entry in sorted(lock.messages.items()) if entry.state not in RETIRED}
    messages = {name: _create_message(name, entry, types) for name, entry in live_messages.items()}
    # Innermost first: appending a message copies it.
    for name in sorted(messages, key=lambda name: -name.count(".")):
        outer, _, _ = name.rpartition(".")
        owner = messages[outer].nested_type if outer else files[lock.messages[name].file].message_type
        owner.append(messages[name])
    for name in sorted(enums):
        files[lock.enums[name].file].enum_type.append(_create_enum(name, lock.enums[name]))
    _add_imports(lock, files)
    _add_services(lock, files)
    _add_extensions(lock, files)
    descriptors = FileDescriptorSet()
    if any(DESCRIPTOR_FILE in file.dependency for file in files.values()):
        descriptor_pb2.DESCRIPTOR.CopyToProto(descriptors.file.add())
    descriptors.file.extend(_sort_by_imports(files))
    return descriptors


def _sort_by_imports(files: _Files) -> Iterable[FileDescriptorProto]:
    """Return the files by name, each after those that it imports."""
    ordered: _Files = {}
    visited: set[str] = set()

    def visit(name: str) -> None:
        if name in files and name not in visited:
            visited.add(name)
            for other in files[name].dependency:
                visit(other)
            ordered[name] = files[name]

    for name in sorted(files):
        visit(name)
    return ordered.values()


def _create_files(lock: Lock) -> _Files:
    """Return the empty files with their options, also files that the lock names only as the file of an element."""
    elements: list[LockedMessage | LockedEnum | LockedExtension]
    elements = [*lock.messages.values(), *lock.enums.values(), *lock.extensions]
    packages = {entry.file: lock.package for entry in elements} | {rpc.file: rpc.package for rpc in lock.rpcs}
    packages |= {name: entry.package for name, entry in lock.files.items()}
    files = {
        name: FileDescriptorProto(name=name, package=package, syntax="proto3") for name, package in packages.items()
    }
    for name, entry in lock.files.items():
        for option, value in entry.options.items():
            setattr(files[name].options, option, value)
    return files


def _add_imports(lock: Lock, files: _Files) -> None:
    """Import into each file the files of its field types."""
    elements: dict[str, LockedMessage | LockedEnum] = {**lock.messages, **lock.enums}
    imports: dict[str, set[str]] = defaultdict(set)
    for entry in lock.messages.values():
        types = {item.type for item in entry.fields if item.state not in RETIRED} - SCALARS
        imports[entry.file] |= {elements[name].file for name in types} - {entry.file}
    for name, imported in imports.items():
        files[name].dependency.extend(sorted(imported))


@dataclass(frozen=True, slots=True)
class _Types:
    """The package of the field types, and which of them are enums."""

    package: str
    enums: set[str]

    def set_type(self, field: FieldDescriptorProto, type_name: str) -> None:
        if type_name in SCALARS:
            field.type = FieldDescriptorProto.Type.Value(f"TYPE_{type_name.upper()}")
            return
        field.type = FieldDescriptorProto.TYPE_ENUM if type_name in self.enums else FieldDescriptorProto.TYPE_MESSAGE
        field.type_name = f".{self.package}.{type_name}"


def _create_message(name: str, entry: LockedMessage, types: _Types) -> DescriptorProto:
    message = DescriptorProto(name=name.rpartition(".")[2])
    items = _sort_by_oneof([item for item in entry.fields if item.state not in RETIRED])
    oneofs = list(dict.fromkeys(item.oneof for item in items if item.oneof))
    for oneof in oneofs:
        message.oneof_decl.add(name=oneof)
    for item in items:
        json_name = item.json_name or derive_json_name(item.name)
        field = message.field.add(name=item.name, number=item.number, json_name=json_name)
        if item.state is State.DEPRECATED:
            field.options.deprecated = True
        if item.label is Label.MAP:
            _set_map_type(message, field, item, f".{types.package}.{name}", types)
            continue
        repeated = item.label is Label.REPEATED
        field.label = FieldDescriptorProto.LABEL_REPEATED if repeated else FieldDescriptorProto.LABEL_OPTIONAL
        types.set_type(field, item.type)
        if item.oneof:
            field.oneof_index = oneofs.index(item.oneof)
    # Synthetic oneofs of optional fields come after the declared ones (protobuf docs, implementing_proto3_presence.md).
    for field, item in zip(message.field, items, strict=True):
        if item.label is Label.OPTIONAL:
            field.proto3_optional = True
            field.oneof_index = len(message.oneof_decl)
            message.oneof_decl.add(name=f"_{item.name}")
    for item in entry.fields:
        if item.state is State.RESERVED:
            message.reserved_range.add(start=item.number, end=item.number + 1)
    return message


def _sort_by_oneof(fields: list[LockedField]) -> list[LockedField]:
    """Return the fields with the members of each oneof side by side, as descriptors require."""
    first: dict[str, int] = {}
    for item in fields:
        first.setdefault(item.oneof or f"={item.number}", item.number)
    return sorted(fields, key=lambda item: first[item.oneof or f"={item.number}"])


def _set_map_type(
    message: DescriptorProto, field: FieldDescriptorProto, item: LockedField, full_name: str, types: _Types
) -> None:
    """Make a field a map: add its nested entry message and refer to it."""
    name = "".join(word[:1].upper() + word[1:] for word in item.name.split("_")) + "Entry"
    entry = message.nested_type.add(name=name)
    entry.options.map_entry = True
    key = entry.field.add(name="key", number=1, json_name="key", label=FieldDescriptorProto.LABEL_OPTIONAL)
    types.set_type(key, "string")
    value = entry.field.add(name="value", number=2, json_name="value", label=FieldDescriptorProto.LABEL_OPTIONAL)
    types.set_type(value, item.type)
    field.label = FieldDescriptorProto.LABEL_REPEATED
    field.type = FieldDescriptorProto.TYPE_MESSAGE
    field.type_name = f"{full_name}.{name}"


def _create_enum(name: str, entry: LockedEnum) -> descriptor_pb2.EnumDescriptorProto:
    enum = descriptor_pb2.EnumDescriptorProto(name=name.rpartition(".")[2])
    for item in entry.values:
        if item.state not in RETIRED:
            value = enum.value.add(name=item.name, number=item.number)
            if item.state is State.DEPRECATED:
                value.options.deprecated = True
    return enum


def _add_services(lock: Lock, files: _Files) -> None:
    """Add the services with their rpcs, and import the files of the request and response messages."""
    imports: dict[str, set[str]] = defaultdict(set)
    for rpc in lock.rpcs:
        if rpc.state in RETIRED:
            continue
        services = files[rpc.file].service
        service = next((item for item in services if item.name == rpc.service), None) or services.add(name=rpc.service)
        service.method.add(
            name=rpc.name,
            input_type=f".{lock.package}.{rpc.request}",
            output_type=f".{lock.package}.{rpc.response}",
            server_streaming=rpc.server_streaming or None,
        )
        imports[rpc.file] |= {lock.messages[name].file for name in (rpc.request, rpc.response)} - {rpc.file}
    for name, imported in imports.items():
        files[name].dependency.extend(sorted(imported - set(files[name].dependency)))


def _add_extensions(lock: Lock, files: _Files) -> None:
    for item in lock.extensions:
        file = files[item.file]
        if item.extends.startswith("google.protobuf.") and DESCRIPTOR_FILE not in file.dependency:
            file.dependency.append(DESCRIPTOR_FILE)
        extension = file.extension.add(
            name=item.name,
            number=item.number,
            extendee=f".{item.extends}",
            label=FieldDescriptorProto.LABEL_OPTIONAL,
            json_name=derive_json_name(item.name),
            proto3_optional=True,
        )
        extension.type = FieldDescriptorProto.Type.Value(f"TYPE_{item.type.upper()}")
