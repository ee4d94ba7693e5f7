"""Compare compiled protos with the lock: both have the same elements, with the same numbers and types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from google.protobuf.descriptor_pb2 import EnumDescriptorProto, FileDescriptorProto, FileDescriptorSet

from pipeline.model.diagnostics import Diagnostic, Place
from pipeline.model.lock.model import RETIRED, Lock, LockedEnum, LockedField, LockedMessage, LockedValue, State
from postprocess.lock.compatibility import format_signature
from postprocess.lock.importer import import_releases
from postprocess.tools.descriptors import iterate_enums, iterate_messages

HINT = "build again; never edit the protos or the lock by hand"


def check_lock(descriptors: FileDescriptorSet, lock: Lock, *, only_reserved: bool = False) -> list[Diagnostic]:
    """Return a `lock/differs` for each difference between compiled protos and their lock.

    Files that the lock does not list are ignored, such as imports. `only_reserved` compares only reserved numbers and
    names, because `postprocess.lock.expected` has compared everything else.
    """
    files = [file for file in descriptors.file if file.name in lock.files]
    differences = [] if only_reserved else _compare_declarations(files, lock)
    return sorted([*differences, *_compare_reserved(files, lock)])


def _compare_declarations(files: list[FileDescriptorProto], lock: Lock) -> list[Diagnostic]:
    compiled = import_releases([("", files)], lock.package, "")
    return [
        *_compare_elements("message", compiled.messages, lock.messages),
        *_compare_elements("enum", compiled.enums, lock.enums),
        *_compare_rpcs(compiled, lock),
    ]


def _compare_rpcs(compiled: Lock, lock: Lock) -> Iterator[Diagnostic]:
    rpcs = {f"{rpc.service}/{rpc.name}": format_signature(rpc) for rpc in compiled.rpcs}
    locked = {f"{rpc.service}/{rpc.name}": format_signature(rpc) for rpc in lock.rpcs if rpc.state not in RETIRED}
    for name in sorted(rpcs.keys() | locked.keys()):
        if rpcs.get(name) != locked.get(name):
            message = f"`{name}` is {rpcs.get(name, 'missing')}, the lock has {locked.get(name, 'none')}"
            yield _report_difference(message, name)


def _report_difference(message: str, pointer: str) -> Diagnostic:
    return Diagnostic("lock/differs", message, Place(pointer=pointer), HINT)


def _compare_elements(
    kind: str, compiled: Mapping[str, LockedMessage | LockedEnum], locked: Mapping[str, LockedMessage | LockedEnum]
) -> Iterator[Diagnostic]:
    current = {name for name, element in locked.items() if element.state not in RETIRED}
    for name in sorted(current - compiled.keys()):
        yield _report_difference(f"{kind} `{name}` is in the lock and not in the protos", name)
    for name in sorted(compiled.keys() - current):
        yield _report_difference(f"{kind} `{name}` is in the protos and not in the lock", name)
    for name in sorted(compiled.keys() & locked.keys()):
        actual, expected = compiled[name], locked[name]
        yield from _compare_numbers(name, _describe_numbers(actual.entries), _describe_numbers(expected.entries))
        if actual.file != expected.file:
            yield _report_difference(f"`{name}` is in {actual.file}, the lock has it in {expected.file}", name)


def _describe_numbers(entries: Iterable[LockedField | LockedValue]) -> dict[int, str]:
    return {item.number: _describe_entry(item) for item in entries if item.state not in RETIRED}


def _describe_entry(item: LockedField | LockedValue) -> str:
    deprecated = ", deprecated" if item.state is State.DEPRECATED else ""
    if isinstance(item, LockedValue):
        return f"{item.name}{deprecated}"
    oneof = f", oneof {item.oneof}" if item.oneof else ""
    json_name = f", in JSON {item.json_name!r}" if item.json_name else ""
    return f"{item.label} {item.type} {item.name}{oneof}{json_name}{deprecated}"


def _compare_numbers(owner: str, compiled: Mapping[int, str], locked: Mapping[int, str]) -> Iterator[Diagnostic]:
    for number in sorted(compiled.keys() | locked.keys()):
        actual, expected = compiled.get(number, "nothing"), locked.get(number, "nothing")
        if actual != expected:
            message = f"`{owner}` has {actual} at {number}, the lock has {expected}"
            yield _report_difference(message, f"{owner}.{number}")


def _compare_reserved(files: Iterable[FileDescriptorProto], lock: Lock) -> list[Diagnostic]:
    """Return the messages and enums whose protos do not reserve a number or name that the lock reserves."""
    compiled = _read_reservations(files)
    elements: dict[str, LockedMessage | LockedEnum] = {**lock.messages, **lock.enums}
    locked = {name: _list_reserved(element.entries) for name, element in elements.items()}
    return [
        _report_difference(f"`{name}` does not reserve {', '.join(sorted(map(repr, reserved - compiled[name])))}", name)
        for name, reserved in sorted(locked.items())
        if name in compiled and reserved - compiled[name]
    ]


def _read_reservations(files: Iterable[FileDescriptorProto]) -> dict[str, set[int | str]]:
    """Return the reserved numbers and names of each message and enum, nested ones included."""
    files = tuple(files)
    reservations = {name: _read_enum_reservations(enum) for _, name, enum in iterate_enums(files)}
    for _, name, message in iterate_messages(files):
        reservations[name] = {number for item in message.reserved_range for number in range(item.start, item.end)}
        reservations[name] |= set(message.reserved_name)
    return reservations


def _list_reserved(entries: Sequence[LockedField | LockedValue]) -> set[int | str]:
    """Return the reserved numbers of a lock entry, and their names unless another field or value has them now."""
    current = {item.name for item in entries if item.state not in RETIRED}
    reserved = [item for item in entries if item.state is State.RESERVED]
    return {item.number for item in reserved} | ({item.name for item in reserved} - current)


def _read_enum_reservations(enum: EnumDescriptorProto) -> set[int | str]:
    # The end of a reserved range is inclusive for enums and exclusive for messages (descriptor.proto).
    numbers = {number for item in enum.reserved_range for number in range(item.start, item.end + 1)}
    return numbers | set(enum.reserved_name)
