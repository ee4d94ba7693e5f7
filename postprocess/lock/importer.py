"""Import a published contract into a lock: every release in order, with every number it ever assigned.

A number without a meaning today is `reserved`. A number whose meaning changed keeps the old one as a `replaced` entry.
Names are not interpreted: a build ties elements to the specification when it first reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)

from pipeline.model.contract import Label
from pipeline.model.json_name import derive_json_name
from pipeline.model.lock import model
from pipeline.model.lock.model import Lock, LockedEnum, LockedField, LockedMessage, LockedRpc, LockedValue, State
from postprocess.tools.descriptors import iterate_enums, iterate_messages

PUBLISHED = "deprecated in the published contract"
Entry = TypeVar("Entry", LockedField, LockedValue)
Element = TypeVar("Element", LockedMessage, LockedEnum)
_OPTIONS = ("java_package", "java_outer_classname", "java_multiple_files", "go_package", "csharp_namespace")


@dataclass(slots=True)
class _Elements:
    """Messages and enums by name without the package, and rpcs by service and name."""

    messages: dict[str, LockedMessage] = field(default_factory=dict)
    enums: dict[str, LockedEnum] = field(default_factory=dict)
    rpcs: dict[tuple[str, str], LockedRpc] = field(default_factory=dict)


def import_releases(releases: Sequence[tuple[str, Iterable[FileDescriptorProto]]], package: str, baseline: str) -> Lock:
    """Return the lock of a published contract.

    Args:
        releases: label and descriptors of each release, oldest first; the last is the contract of today.
        package: of the messages.
        baseline: the name of the contract in the lock, `name version`.
    """
    merged = _Elements()
    previous = ""
    for label, files in releases:
        release = _Elements()
        for file in files:
            _read_file(file, package, label, release)
        merged = _merge_release(merged, release, previous)
        previous = label
    update = {"messages": merged.messages, "enums": merged.enums, "rpcs": tuple(merged.rpcs.values())}
    update |= _read_files(releases[-1][1], {message.file for message in merged.messages.values()})
    return model.create_empty_lock(package).model_copy(update={"baseline": baseline} | update)


def _read_files(descriptors: Iterable[FileDescriptorProto], needed: set[str]) -> dict[str, Any]:
    """Return the files of the newest release with their options, and the custom options that they define."""
    files, extensions = {}, []
    for file in descriptors:
        present = {descriptor.name: value for descriptor, value in file.options.ListFields()}
        options = {name: present[name] for name in _OPTIONS if name in present}
        if file.name in needed or file.service:
            files[file.name] = model.LockedFile(package=file.package, options=options)
        for item in file.extension:
            names = {"name": item.name, "extends": item.extendee.removeprefix("."), "file": file.name}
            extensions.append(model.LockedExtension(number=item.number, type=_read_type(item, "."), **names))
    return {"files": files, "extensions": tuple(extensions)}


def _read_file(file: FileDescriptorProto, package: str, label: str, release: _Elements) -> None:
    """Add the elements of a file to a release; messages and enums of other packages are ignored."""
    prefix = f".{package}."
    if file.package == package:
        for _, name, message in iterate_messages([file]):
            if not message.options.map_entry:
                release.messages[name] = _read_message(file.name, message, prefix, label)
        for _, name, enum in iterate_enums([file]):
            release.enums[name] = _read_enum(file.name, enum, label)
    for service in file.service:
        for method in service.method:
            release.rpcs[service.name, method.name] = LockedRpc(
                service=service.name,
                name=method.name,
                file=file.name,
                package=file.package,
                request=method.input_type.removeprefix(prefix),
                response=method.output_type.removeprefix(prefix),
                server_streaming=method.server_streaming,
                since=label,
            )


def _read_message(file: str, message: DescriptorProto, prefix: str, label: str) -> LockedMessage:
    items = sorted(message.field, key=lambda item: item.number)
    fields = tuple(_read_field(message, item, prefix, label) for item in items)
    return LockedMessage(file=file, next=max((item.number for item in fields), default=0) + 1, fields=fields)


def _read_field(message: DescriptorProto, item: FieldDescriptorProto, prefix: str, label: str) -> LockedField:
    entry = next((nested for nested in message.nested_type if _is_map_entry(nested, item)), None)
    in_oneof = item.HasField("oneof_index") and not item.proto3_optional
    state, reason = _read_state(item.options.deprecated)
    return LockedField(
        number=item.number,
        name=item.name,
        type=_read_type(entry.field[1] if entry is not None else item, prefix),
        label=Label.MAP if entry is not None else _read_label(item),
        oneof=message.oneof_decl[item.oneof_index].name if in_oneof else None,
        json_name=item.json_name if item.json_name not in {"", derive_json_name(item.name)} else None,
        state=state,
        reason=reason,
        since=label,
    )


def _is_map_entry(nested: DescriptorProto, item: FieldDescriptorProto) -> bool:
    return bool(nested.options.map_entry) and item.type_name.endswith(f".{nested.name}")


def _read_label(item: FieldDescriptorProto) -> Label:
    if item.label == FieldDescriptorProto.LABEL_REPEATED:
        return Label.REPEATED
    return Label.OPTIONAL if item.proto3_optional else Label.SINGULAR


def _read_state(deprecated: bool) -> tuple[State, str | None]:
    return (State.DEPRECATED, PUBLISHED) if deprecated else (State.LIVE, None)


def _read_type(item: FieldDescriptorProto, prefix: str) -> str:
    """Return the type of a field as in the lock: a scalar, or a message or enum without the package."""
    return item.type_name.removeprefix(prefix) or FieldDescriptorProto.Type.Name(item.type)[5:].lower()


def _read_enum(file: str, enum: EnumDescriptorProto, label: str) -> LockedEnum:
    values = []
    for value in sorted(enum.value, key=lambda value: value.number):
        state, reason = _read_state(value.options.deprecated)
        values.append(LockedValue(number=value.number, name=value.name, state=state, reason=reason, since=label))
    return LockedEnum(file=file, next=values[-1].number + 1, values=tuple(values))


def _merge_release(merged: _Elements, release: _Elements, previous: str) -> _Elements:
    """Return all elements up to a release, from those up to the previous one and those of the release."""
    messages = _merge_elements(merged.messages, release.messages, previous)
    enums = _merge_elements(merged.enums, release.enums, previous)
    rpcs = {key: _reserve_element(item, previous) for key, item in merged.rpcs.items() if key not in release.rpcs}
    for key, rpc in release.rpcs.items():
        rpcs[key] = rpc.model_copy(update={"since": merged.rpcs[key].since}) if key in merged.rpcs else rpc
    return _Elements(messages, enums, rpcs)


def _merge_elements(old: dict[str, Element], new: dict[str, Element], previous: str) -> dict[str, Element]:
    merged = {name: _reserve_element(element, previous) for name, element in old.items() if name not in new}
    for name, element in new.items():
        before = old.get(name)
        entries = _merge_entries(before.entries if before else (), element.entries, previous)
        merged[name] = element.replace_entries(tuple(entries), max(element.next, before.next if before else 0))
    return merged


def _reserve_element(element: Any, until: str) -> Any:
    """Return a message, enum or rpc that no newer release has, as reserved."""
    if element.state is State.RESERVED:
        return element
    if isinstance(element, LockedMessage | LockedEnum):
        entries: Any = element.entries
        element = element.replace_entries(tuple(_reserve_entry(item, until) for item in entries), element.next)
    return element.model_copy(update={"state": State.RESERVED, "reason": f"last in {until}"})


def _reserve_entry(item: Entry, until: str) -> Entry:
    if item.state in model.RETIRED:
        return item
    return item.model_copy(update={"state": State.RESERVED, "reason": None, "until": until})


def _merge_entries(old: Sequence[Entry], new: Sequence[Entry], previous: str) -> list[Entry]:
    """Return the fields of a message, or the values of an enum, of a release and of all releases before it."""
    merged: list[Entry] = []
    by_number = {item.number: item for item in new}
    continued: dict[int, Entry] = {}
    for item in old:
        current = by_number.get(item.number)
        if current is None:
            merged.append(_reserve_entry(item, previous))
        elif _has_same_meaning(item, current):
            continued[item.number] = item
        else:
            until = item.until or previous
            merged.append(item.model_copy(update={"state": State.REPLACED, "reason": None, "until": until}))
    for number, item in by_number.items():
        before = continued.get(number)
        if before is None:
            merged.append(item)
            continue
        update: dict[str, Any] = {"since": before.since}
        if isinstance(item, LockedField) and isinstance(before, LockedField):
            update["formerly"] = before.name if before.name != item.name else before.formerly
        merged.append(item.model_copy(update=update))
    return sorted(merged, key=lambda item: (item.number, model.STATES.index(item.state), item.name))


def _has_same_meaning(before: Entry, after: Entry) -> bool:
    """Return whether a number has the same meaning on the wire: the same type, for an enum value the same name.

    A field that was renamed by hand keeps its number, unlike in `postprocess.lock.compatibility`.
    """
    if isinstance(before, LockedField) and isinstance(after, LockedField):
        many = {Label.REPEATED, Label.MAP}
        return before.type == after.type and (before.label == after.label or not {before.label, after.label} & many)
    return before.name == after.name
