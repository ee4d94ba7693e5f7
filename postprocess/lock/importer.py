"""Import a published contract into a lock: every release in order, every number it ever gave.

What is free today is `reserved`; a number that means something else today has its old meaning on record as
`replaced`. Nothing is read out of names: what a field stands for is tied when a build first meets the spec.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)

from pipeline.model.contract import Label
from pipeline.model.json_name import derive_json_name
from pipeline.model.lock.model import (
    Lock,
    LockedEnum,
    LockedExtension,
    LockedField,
    LockedFile,
    LockedMessage,
    LockedRpc,
    LockedValue,
    State,
    create_empty_lock,
)

PUBLISHED = "deprecated in the published contract"
Entry = TypeVar("Entry", LockedField, LockedValue)


def import_releases(releases: Sequence[tuple[str, Iterable[FileDescriptorProto]]], package: str, baseline: str) -> Lock:
    """The lock of a published contract.

    Args:
        releases: label and descriptors of each release, oldest first; the last is what clients speak today.
        package: the protobuf package of the messages.
        baseline: what the lock calls the contract, `name version`.
    """
    lock = create_empty_lock(package).model_copy(update={"baseline": baseline})
    messages: dict[str, LockedMessage] = {}
    enums: dict[str, LockedEnum] = {}
    rpcs: dict[tuple[str, str], LockedRpc] = {}
    previous = ""
    for label, files in releases:
        found_messages: dict[str, LockedMessage] = {}
        found_enums: dict[str, LockedEnum] = {}
        found_rpcs: dict[tuple[str, str], LockedRpc] = {}
        for file in files:
            _read(file, package, label, found_messages, found_enums, found_rpcs)
        messages = _merge_messages(messages, found_messages, previous)
        enums = _merge_enums(enums, found_enums, previous)
        gone = {key: _gone(entry, previous) for key, entry in rpcs.items() if key not in found_rpcs}
        kept = {
            key: entry.model_copy(update={"since": rpcs[key].since}) if key in rpcs else entry
            for key, entry in found_rpcs.items()
        }
        rpcs = {**gone, **kept}
        previous = label
    update = {"messages": messages, "enums": enums, "rpcs": tuple(rpcs.values())}
    return lock.model_copy(update=update | _files(releases[-1][1], {message.file for message in messages.values()}))


_OPTIONS = ("java_package", "java_outer_classname", "java_multiple_files", "go_package", "csharp_namespace")


def _files(descriptors: Iterable[FileDescriptorProto], needed: set[str]) -> dict[str, Any]:
    """The files of the newest release with their options, and the custom options that they define."""
    files, extensions = {}, []
    for file in descriptors:
        given = {descriptor.name: value for descriptor, value in file.options.ListFields()}
        options = {name: given[name] for name in _OPTIONS if name in given}
        if file.name in needed or file.service:
            files[file.name] = LockedFile(package=file.package, options=options)
        for item in file.extension:
            kind = FieldDescriptorProto.Type.Name(item.type)[5:].lower()
            extends = item.extendee.removeprefix(".")
            extensions.append(
                LockedExtension(name=item.name, extends=extends, number=item.number, type=kind, file=file.name)
            )
    return {"files": files, "extensions": tuple(extensions)}


def _read(
    file: FileDescriptorProto,
    package: str,
    label: str,
    messages: dict[str, LockedMessage],
    enums: dict[str, LockedEnum],
    rpcs: dict[tuple[str, str], LockedRpc],
) -> None:
    prefix = f".{package}."
    if file.package == package:
        stack = [("", message) for message in file.message_type]
        while stack:
            outer, message = stack.pop()
            name = f"{outer}{message.name}"
            messages[name] = _message(file.name, message, prefix, label)
            stack += [(f"{name}.", nested) for nested in message.nested_type if not nested.options.map_entry]
            for enum in message.enum_type:
                enums[f"{name}.{enum.name}"] = _enum(file.name, enum, label)
        for enum in file.enum_type:
            enums[enum.name] = _enum(file.name, enum, label)
    for service in file.service:
        for method in service.method:
            rpcs[service.name, method.name] = LockedRpc(
                service=service.name,
                name=method.name,
                file=file.name,
                package=file.package,
                request=method.input_type.removeprefix(prefix),
                response=method.output_type.removeprefix(prefix),
                server_streaming=method.server_streaming,
                since=label,
            )


def _message(file: str, message: DescriptorProto, prefix: str, label: str) -> LockedMessage:
    fields = tuple(_field(message, item, prefix, label) for item in sorted(message.field, key=lambda item: item.number))
    return LockedMessage(file=file, next=max((item.number for item in fields), default=0) + 1, fields=fields)


def _field(message: DescriptorProto, item: FieldDescriptorProto, prefix: str, label: str) -> LockedField:
    entry = next((nested for nested in message.nested_type if _is_entry_of(nested, item)), None)
    oneof = (
        message.oneof_decl[item.oneof_index].name if item.HasField("oneof_index") and not item.proto3_optional else None
    )
    kind = Label.OPTIONAL if item.proto3_optional else Label.SINGULAR
    if entry is not None:
        kind = Label.MAP
    elif item.label == FieldDescriptorProto.LABEL_REPEATED:
        kind = Label.REPEATED
    return LockedField(
        number=item.number,
        name=item.name,
        type=type_of(entry.field[1] if entry is not None else item, prefix),
        label=kind,
        oneof=oneof,
        json_name=item.json_name if item.json_name not in {"", derive_json_name(item.name)} else None,
        state=State.DEPRECATED if item.options.deprecated else State.LIVE,
        reason=PUBLISHED if item.options.deprecated else None,
        since=label,
    )


def _is_entry_of(nested: DescriptorProto, item: FieldDescriptorProto) -> bool:
    return bool(nested.options.map_entry) and item.type_name.endswith(f".{nested.name}")


def type_of(item: FieldDescriptorProto, prefix: str) -> str:
    """A field's type as the lock writes it: a scalar, or a message or enum without the package."""
    return item.type_name.removeprefix(prefix) or FieldDescriptorProto.Type.Name(item.type)[5:].lower()


def _enum(file: str, enum: EnumDescriptorProto, label: str) -> LockedEnum:
    values = tuple(
        LockedValue(
            number=value.number,
            name=value.name,
            state=State.DEPRECATED if value.options.deprecated else State.LIVE,
            reason=PUBLISHED if value.options.deprecated else None,
            since=label,
        )
        for value in sorted(enum.value, key=lambda value: value.number)
    )
    return LockedEnum(file=file, next=max(value.number for value in values) + 1, values=values)


def _gone(entry: Any, until: str) -> Any:
    """A message, enum or rpc that is in no newer release: remembered, not emitted."""
    if entry.state is State.RESERVED:
        return entry
    update: dict[str, Any] = {"state": State.RESERVED, "reason": f"last in {until}"}
    if isinstance(entry, LockedMessage):
        update["fields"] = tuple(_freed(item, until) for item in entry.fields)
    if isinstance(entry, LockedEnum):
        update["values"] = tuple(_freed(item, until) for item in entry.values)
    return entry.model_copy(update=update)


def _freed(item: Entry, until: str) -> Entry:
    if item.state in {State.RESERVED, State.REPLACED}:
        return item
    return item.model_copy(update={"state": State.RESERVED, "reason": None, "until": until})


def _merge_messages(
    old: dict[str, LockedMessage], new: dict[str, LockedMessage], previous: str
) -> dict[str, LockedMessage]:
    merged = {name: _gone(entry, previous) for name, entry in old.items() if name not in new}
    for name, entry in new.items():
        known = old.get(name)
        fields = _merge(known.fields if known else (), entry.fields, previous)
        cursor = max(entry.next, known.next if known else 1)
        merged[name] = entry.model_copy(update={"fields": tuple(fields), "next": cursor})
    return merged


def _merge_enums(old: dict[str, LockedEnum], new: dict[str, LockedEnum], previous: str) -> dict[str, LockedEnum]:
    merged = {name: _gone(entry, previous) for name, entry in old.items() if name not in new}
    for name, entry in new.items():
        known = old.get(name)
        values = _merge(known.values if known else (), entry.values, previous)
        cursor = max(entry.next, known.next if known else 0)
        merged[name] = entry.model_copy(update={"values": tuple(values), "next": cursor})
    return merged


def _merge(old: Sequence[Entry], new: Sequence[Entry], previous: str) -> list[Entry]:
    """One message's fields, or one enum's values: what is new, and everything that was."""
    merged: list[Entry] = []
    by_number = {item.number: item for item in new}
    continued: dict[int, Entry] = {}
    for item in old:
        now = by_number.get(item.number)
        if now is not None and _same_meaning(item, now):
            continued[item.number] = item
        elif now is not None:
            until = item.until or previous
            merged.append(item.model_copy(update={"state": State.REPLACED, "reason": None, "until": until}))
        else:
            merged.append(_freed(item, previous))
    for number, item in by_number.items():
        before = continued.get(number)
        if before is None:
            merged.append(item)
            continue
        update: dict[str, Any] = {"since": before.since}
        if isinstance(item, LockedField) and isinstance(before, LockedField):
            update["formerly"] = before.name if before.name != item.name else before.formerly
        merged.append(item.model_copy(update=update))
    return sorted(merged, key=lambda item: (item.number, list(State).index(item.state), item.name))


def _same_meaning(before: Entry, now: Entry) -> bool:
    """Whether a number still means what it meant: same type, for an enum value the same name."""
    if isinstance(before, LockedField) and isinstance(now, LockedField):
        listed = {Label.REPEATED, Label.MAP}
        return before.type == now.type and (before.label == now.label or not {before.label, now.label} & listed)
    return before.name == now.name
