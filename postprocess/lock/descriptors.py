"""A lock as descriptors: the contract that clients hold, for comparison with a new one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)

from pipeline.model.contract import SCALARS, Label
from pipeline.model.json_name import derive_json_name
from pipeline.model.lock.model import Lock, LockedEnum, LockedExtension, LockedField, LockedMessage, State

DESCRIPTOR_FILE = "google/protobuf/descriptor.proto"
_GONE = {State.RESERVED, State.REPLACED}


def descriptors_of_lock(lock: Lock) -> FileDescriptorSet:
    """The descriptors of everything in a lock that is live or deprecated; a file stands after those that it imports."""
    files = _files(lock)
    enums = {name for name, enum in lock.enums.items() if enum.state not in _GONE}
    built = {
        name: _message(name, message, lock.package, enums)
        for name, message in sorted(lock.messages.items())
        if message.state not in _GONE
    }
    for name in sorted(built, key=lambda name: -name.count(".")):
        outer, _, _ = name.rpartition(".")
        owner = built[outer].nested_type if outer else files[lock.messages[name].file].message_type
        owner.append(built[name])
    for name in sorted(enums):
        files[lock.enums[name].file].enum_type.append(_enum(name, lock.enums[name]))
    _imports(lock, files)
    _services(lock, files)
    _extensions(lock, files)
    image = FileDescriptorSet()
    if any(DESCRIPTOR_FILE in file.dependency for file in files.values()):
        descriptor_pb2.DESCRIPTOR.CopyToProto(image.file.add())
    image.file.extend(_by_imports(files))
    return image


def _by_imports(files: dict[str, FileDescriptorProto]) -> Iterable[FileDescriptorProto]:
    """The files by name, each after those that it imports."""
    ordered: dict[str, FileDescriptorProto] = {}
    met: set[str] = set()

    def add(name: str) -> None:
        if name in files and name not in met:
            met.add(name)
            for other in files[name].dependency:
                add(other)
            ordered[name] = files[name]

    for name in sorted(files):
        add(name)
    return ordered.values()


def _files(lock: Lock) -> dict[str, FileDescriptorProto]:
    """The files, with their options, also those of which the lock has no more than that something stands in them."""
    elements: list[LockedMessage | LockedEnum | LockedExtension]
    elements = [*lock.messages.values(), *lock.enums.values(), *lock.extensions]
    packages = {entry.file: lock.package for entry in elements} | {rpc.file: rpc.package for rpc in lock.rpcs}
    packages |= {name: entry.package for name, entry in lock.files.items()}
    made = packages.items()
    found = {name: FileDescriptorProto(name=name, package=package, syntax="proto3") for name, package in made}
    for name, entry in lock.files.items():
        for option, value in entry.options.items():
            setattr(found[name].options, option, value)
    return found


def _imports(lock: Lock, files: dict[str, FileDescriptorProto]) -> None:
    """Let each file import those that its messages refer to."""
    elements: dict[str, LockedMessage | LockedEnum] = {**lock.messages, **lock.enums}
    found: dict[str, set[str]] = defaultdict(set)
    for entry in lock.messages.values():
        kinds = {item.type for item in entry.fields if item.state not in _GONE} - SCALARS
        found[entry.file] |= {elements[kind].file for kind in kinds} - {entry.file}
    for name, imported in found.items():
        files[name].dependency.extend(sorted(imported))


def _message(name: str, entry: LockedMessage, package: str, enums: set[str]) -> DescriptorProto:
    message = DescriptorProto(name=name.rpartition(".")[2])
    live = _by_oneof([item for item in entry.fields if item.state not in _GONE])
    oneofs = list(dict.fromkeys(item.oneof for item in live if item.oneof))
    for oneof in oneofs:
        message.oneof_decl.add(name=oneof)
    for item in live:
        made = message.field.add(
            name=item.name, number=item.number, json_name=item.json_name or derive_json_name(item.name)
        )
        if item.label is Label.MAP:
            _map_entry(message, made, item, f".{package}.{name}", package, enums)
            continue
        made.label = (
            FieldDescriptorProto.LABEL_REPEATED if item.label is Label.REPEATED else FieldDescriptorProto.LABEL_OPTIONAL
        )
        _type(made, item.type, package, enums)
        _deprecate(made, item)
        if item.oneof:
            made.oneof_index = oneofs.index(item.oneof)
    for made, item in zip(message.field, live, strict=True):
        if item.label is Label.OPTIONAL:
            made.proto3_optional = True
            made.oneof_index = len(message.oneof_decl)
            message.oneof_decl.add(name=f"_{item.name}")
    for item in entry.fields:
        if item.state is State.RESERVED:
            message.reserved_range.add(start=item.number, end=item.number + 1)
    return message


def _by_oneof(fields: list[LockedField]) -> list[LockedField]:
    """The fields with the members of each oneof together, as descriptors must have them."""
    first: dict[str, int] = {}
    for item in fields:
        first.setdefault(item.oneof or f"={item.number}", item.number)
    return sorted(fields, key=lambda item: first[item.oneof or f"={item.number}"])


def _map_entry(
    message: DescriptorProto,
    made: FieldDescriptorProto,
    item: LockedField,
    full_name: str,
    package: str,
    enums: set[str],
) -> None:
    name = "".join(word[:1].upper() + word[1:] for word in item.name.split("_")) + "Entry"
    nested = message.nested_type.add(name=name)
    nested.options.map_entry = True
    key = nested.field.add(name="key", number=1, json_name="key", label=FieldDescriptorProto.LABEL_OPTIONAL)
    _type(key, "string", package, enums)
    value = nested.field.add(name="value", number=2, json_name="value", label=FieldDescriptorProto.LABEL_OPTIONAL)
    _type(value, item.type, package, enums)
    made.label = FieldDescriptorProto.LABEL_REPEATED
    made.type = FieldDescriptorProto.TYPE_MESSAGE
    made.type_name = f"{full_name}.{name}"
    _deprecate(made, item)


def _deprecate(made: FieldDescriptorProto, item: LockedField) -> None:
    if item.state is State.DEPRECATED:
        made.options.deprecated = True


def _type(made: FieldDescriptorProto, type_name: str, package: str, enums: set[str]) -> None:
    if type_name in SCALARS:
        made.type = FieldDescriptorProto.Type.Value(f"TYPE_{type_name.upper()}")
        return
    made.type = FieldDescriptorProto.TYPE_ENUM if type_name in enums else FieldDescriptorProto.TYPE_MESSAGE
    made.type_name = f".{package}.{type_name}"


def _enum(name: str, entry: LockedEnum) -> EnumDescriptorProto:
    enum = EnumDescriptorProto(name=name.rpartition(".")[2])
    for value in entry.values:
        if value.state in _GONE:
            continue
        made = enum.value.add(name=value.name, number=value.number)
        if value.state is State.DEPRECATED:
            made.options.deprecated = True
    return enum


def _services(lock: Lock, files: dict[str, FileDescriptorProto]) -> None:
    imports: dict[str, set[str]] = defaultdict(set)
    for rpc in lock.rpcs:
        if rpc.state in _GONE:
            continue
        file = files[rpc.file]
        service = next((found for found in file.service if found.name == rpc.service), None) or file.service.add(
            name=rpc.service
        )
        service.method.add(
            name=rpc.name,
            input_type=f".{lock.package}.{rpc.request}",
            output_type=f".{lock.package}.{rpc.response}",
            server_streaming=rpc.server_streaming or None,
        )
        imports[rpc.file] |= {lock.messages[name].file for name in (rpc.request, rpc.response)} - {rpc.file}
    for name, found in imports.items():
        files[name].dependency.extend(sorted(found - set(files[name].dependency)))


def _extensions(lock: Lock, files: dict[str, FileDescriptorProto]) -> None:
    for extension in lock.extensions:
        file = files[extension.file]
        if extension.extends.startswith("google.protobuf.") and DESCRIPTOR_FILE not in file.dependency:
            file.dependency.append(DESCRIPTOR_FILE)
        made = file.extension.add(
            name=extension.name,
            number=extension.number,
            extendee=f".{extension.extends}",
            label=FieldDescriptorProto.LABEL_OPTIONAL,
            json_name=derive_json_name(extension.name),
            proto3_optional=True,
        )
        made.type = FieldDescriptorProto.Type.Value(f"TYPE_{extension.type.upper()}")
