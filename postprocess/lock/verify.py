"""Compare compiled protos with the lock, both ways: nothing missing, nothing moved, nothing unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from google.protobuf.descriptor_pb2 import DescriptorProto, EnumDescriptorProto, FileDescriptorProto, FileDescriptorSet

from pipeline.model.diagnostics import Diagnostic, Place
from pipeline.model.lock.model import Lock, LockedField, LockedMessage, LockedRpc, LockedValue, State
from postprocess.lock.importer import import_releases

HINT = "build again; never edit the protos or the lock by hand"
_GONE = {State.RESERVED, State.REPLACED}


def check_lock(descriptors: FileDescriptorSet, lock: Lock, *, foreseen: bool = False) -> list[Diagnostic]:
    """Everything in which the compiled protos and the lock differ.

    Args:
        descriptors: compiled, imports included; files of other packages are not looked at.
        lock: what should be in them.
        foreseen: whether they are known to be what the lock foresees, see `postprocess.lock.expected`.
    """
    own = [file for file in descriptors.file if file.name in lock.files]
    return sorted([*([] if foreseen else _differences(own, lock)), *_reserved(own, lock)])


def _differences(own: list[FileDescriptorProto], lock: Lock) -> list[Diagnostic]:
    """Types, fields, values and rpcs that are not those of the lock."""
    compiled = import_releases([("", own)], lock.package, "")
    diagnostics = [
        *_missing(
            "message", set(compiled.messages), {name for name, item in lock.messages.items() if item.state not in _GONE}
        ),
        *_missing("enum", set(compiled.enums), {name for name, item in lock.enums.items() if item.state not in _GONE}),
    ]
    for name in sorted(set(compiled.messages) & set(lock.messages)):
        diagnostics += _message(name, compiled.messages[name], lock.messages[name])
    for name in sorted(set(compiled.enums) & set(lock.enums)):
        values = {value.number: _value(value) for value in compiled.enums[name].values}
        wanted = {value.number: _value(value) for value in lock.enums[name].values if value.state not in _GONE}
        diagnostics += _numbers(name, values, wanted)
    wanted_rpcs = {(rpc.service, rpc.name): _signature(rpc) for rpc in lock.rpcs if rpc.state not in _GONE}
    found_rpcs = {(rpc.service, rpc.name): _signature(rpc) for rpc in compiled.rpcs}
    for key in sorted(set(wanted_rpcs) | set(found_rpcs)):
        if wanted_rpcs.get(key) != found_rpcs.get(key):
            what = (
                f"`{key[0]}/{key[1]}` is {found_rpcs.get(key, 'missing')}, the lock has {wanted_rpcs.get(key, 'none')}"
            )
            diagnostics.append(_diagnostic(what, "/".join(key)))
    return diagnostics


def _signature(rpc: LockedRpc) -> str:
    fields = ("request", "response", "server_streaming", "file", "package")
    return ", ".join(str(getattr(rpc, name)) for name in fields)


def _diagnostic(message: str, pointer: str) -> Diagnostic:
    return Diagnostic("lock/differs", message, Place(pointer=pointer), HINT)


def _missing(kind: str, found: set[str], wanted: set[str]) -> Iterable[Diagnostic]:
    for name in sorted(wanted - found):
        yield _diagnostic(f"{kind} `{name}` is in the lock and not in the protos", name)
    for name in sorted(found - wanted):
        yield _diagnostic(f"{kind} `{name}` is in the protos and not in the lock", name)


def _message(name: str, compiled: LockedMessage, locked: LockedMessage) -> Iterable[Diagnostic]:
    found = {item.number: _shape(item) for item in compiled.fields}
    wanted = {item.number: _shape(item) for item in locked.fields if item.state not in _GONE}
    yield from _numbers(name, found, wanted)
    if compiled.file != locked.file:
        yield _diagnostic(f"`{name}` stands in {compiled.file}, the lock has it in {locked.file}", name)


def _value(item: LockedValue) -> str:
    return f"{item.name}, deprecated" if item.state is State.DEPRECATED else item.name


def _shape(item: LockedField) -> str:
    deprecated = ", deprecated" if item.state is State.DEPRECATED else ""
    oneof = f", oneof {item.oneof}" if item.oneof else ""
    spelled = f", in JSON {item.json_name!r}" if item.json_name else ""
    return f"{item.label} {item.type} {item.name}{oneof}{spelled}{deprecated}"


def _numbers(name: str, found: dict[int, str], wanted: dict[int, str]) -> Iterable[Diagnostic]:
    for number in sorted(set(found) | set(wanted)):
        if found.get(number) != wanted.get(number):
            text = (
                f"`{name}` has {found.get(number, 'nothing')} at {number}, the lock has {wanted.get(number, 'nothing')}"
            )
            yield _diagnostic(text, f"{name}.{number}")


def _reserved(files: Iterable[FileDescriptorProto], lock: Lock) -> list[Diagnostic]:
    """Numbers and names that the lock reserves and the protos do not."""
    compiled: dict[str, set[int | str]] = {}
    stack: list[tuple[str, DescriptorProto]] = []
    for file in files:
        stack += [(item.name, item) for item in file.message_type]
        compiled |= {enum.name: _of_enum(enum) for enum in file.enum_type}
    while stack:
        name, message = stack.pop()
        compiled[name] = {number for item in message.reserved_range for number in range(item.start, item.end)}
        compiled[name] |= set(message.reserved_name)
        stack += [(f"{name}.{item.name}", item) for item in message.nested_type]
        compiled |= {f"{name}.{enum.name}": _of_enum(enum) for enum in message.enum_type}
    wanted = {name: _free(entry.fields) for name, entry in lock.messages.items()}
    wanted |= {name: _free(entry.values) for name, entry in lock.enums.items()}
    return [
        _diagnostic(f"`{name}` does not reserve {', '.join(sorted(map(repr, free - compiled[name])))}", name)
        for name, free in sorted(wanted.items())
        if name in compiled and free - compiled[name]
    ]


def _free(entries: Sequence[LockedField | LockedValue]) -> set[int | str]:
    """What is reserved: numbers that mean nothing, and their names unless something else has them."""
    taken = {item.name for item in entries if item.state not in _GONE}
    free = [item for item in entries if item.state is State.RESERVED]
    return {item.number for item in free} | ({item.name for item in free} - taken)


def _of_enum(enum: EnumDescriptorProto) -> set[int | str]:
    return {number for item in enum.reserved_range for number in range(item.start, item.end + 1)} | set(
        enum.reserved_name
    )
