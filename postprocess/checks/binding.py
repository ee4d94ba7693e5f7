"""The binding against the protos that it is about: everything that it names is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorSet

from pipeline.model.diagnostics import Diagnostic, Place

HINT = "build again; never edit the binding by hand"


def check_binding(descriptors: FileDescriptorSet, binding: Any) -> list[Diagnostic]:
    """What a binding names and the protos do not have, and rpcs of which it says otherwise than they do.

    Args:
        descriptors: of the protos.
        binding: as it was read.
    """
    kinds = ("messages", "enums", "rpcs")
    if not isinstance(binding, dict) or any(not isinstance(binding.get(kind), dict) for kind in kinds):
        return [_diagnostic("no binding: it has no messages, enums and rpcs", "")]
    fields = {name: [item.name for item in message.field] for name, message in _messages(descriptors)}
    values = {name: [value.name for value in enum.value] for name, enum in _enums(descriptors)}
    found = [
        *_members("message", "messages", fields, {name: told["fields"] for name, told in binding["messages"].items()})
    ]
    found += _members("enum", "enums", values, binding["enums"])
    rpcs = {
        f"{service.name}/{method.name}": (method.input_type[1:], method.output_type[1:], method.server_streaming)
        for file in descriptors.file
        for service in file.service
        for method in service.method
    }
    for name, told in sorted(binding["rpcs"].items()):
        if rpcs.get(name) != (told["request"], told["response"], told["server_streaming"]):
            found.append(_diagnostic(f"rpc `{name}` is not what the protos have", f"/rpcs/{name.replace('/', '~1')}"))
    return found


def _members(kind: str, key: str, known: dict[str, list[str]], told: dict[str, Any]) -> Iterator[Diagnostic]:
    for name, members in sorted(told.items()):
        if name not in known:
            yield _diagnostic(f"{kind} `{name}` is not in the protos", f"/{key}/{name}")
            continue
        for member in sorted(members):
            if member not in known[name]:
                yield _diagnostic(f"`{name}.{member}` is not in the protos", f"/{key}/{name}")


def _messages(descriptors: FileDescriptorSet) -> Iterator[tuple[str, DescriptorProto]]:
    stack = [(f"{file.package}.{item.name}", item) for file in descriptors.file for item in file.message_type]
    while stack:
        name, message = stack.pop()
        yield name, message
        stack += [(f"{name}.{item.name}", item) for item in message.nested_type]


def _enums(descriptors: FileDescriptorSet) -> Iterator[tuple[str, Any]]:
    yield from ((f"{file.package}.{enum.name}", enum) for file in descriptors.file for enum in file.enum_type)
    yield from ((f"{name}.{enum.name}", enum) for name, item in _messages(descriptors) for enum in item.enum_type)


def _diagnostic(message: str, pointer: str) -> Diagnostic:
    return Diagnostic("output/binding", message, Place(pointer=pointer), HINT)
