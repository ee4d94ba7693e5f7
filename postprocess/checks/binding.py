"""Check the binding against the descriptors of its protos: every element that it names exists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorSet

from pipeline.model.diagnostics import Diagnostic, Place

HINT = "build again; never edit the binding by hand"


def check_binding(descriptors: FileDescriptorSet, binding: Any) -> list[Diagnostic]:
    """Return a diagnostic for each element that the protos lack, and for each rpc that differs.

    Args:
        descriptors: the descriptors of the protos.
        binding: the parsed content of `binding.json`.
    """
    sections = ("messages", "enums", "rpcs")
    if not isinstance(binding, dict) or any(not isinstance(binding.get(section), dict) for section in sections):
        return [_create_diagnostic("expected a binding with `messages`, `enums` and `rpcs`", "")]
    fields = {name: [item.name for item in message.field] for name, message in _list_messages(descriptors)}
    values = {name: [value.name for value in enum.value] for name, enum in _list_enums(descriptors)}
    bound_fields = {name: message["fields"] for name, message in binding["messages"].items()}
    diagnostics = [
        *_check_members("messages", fields, bound_fields),
        *_check_members("enums", values, binding["enums"]),
    ]
    rpcs = {
        f"{service.name}/{method.name}": (method.input_type[1:], method.output_type[1:], method.server_streaming)
        for file in descriptors.file
        for service in file.service
        for method in service.method
    }
    for name, rpc in sorted(binding["rpcs"].items()):
        if rpcs.get(name) != (rpc["request"], rpc["response"], rpc["server_streaming"]):
            message = f"rpc `{name}` differs from the protos"
            diagnostics.append(_create_diagnostic(message, f"/rpcs/{name.replace('/', '~1')}"))
    return diagnostics


def _check_members(section: str, compiled: dict[str, list[str]], bound: dict[str, Any]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each message, field, enum and enum value that the descriptors lack."""
    for name, members in sorted(bound.items()):
        pointer = f"/{section}/{name}"
        if name not in compiled:
            yield _create_diagnostic(f"{section.removesuffix('s')} `{name}` is not in the protos", pointer)
            continue
        for member in sorted(members):
            if member not in compiled[name]:
                yield _create_diagnostic(f"`{name}.{member}` is not in the protos", pointer)


def _list_messages(descriptors: FileDescriptorSet) -> Iterator[tuple[str, DescriptorProto]]:
    stack = [(f"{file.package}.{item.name}", item) for file in descriptors.file for item in file.message_type]
    while stack:
        name, message = stack.pop()
        yield name, message
        stack += [(f"{name}.{item.name}", item) for item in message.nested_type]


def _list_enums(descriptors: FileDescriptorSet) -> Iterator[tuple[str, Any]]:
    yield from ((f"{file.package}.{enum.name}", enum) for file in descriptors.file for enum in file.enum_type)
    yield from ((f"{name}.{enum.name}", enum) for name, item in _list_messages(descriptors) for enum in item.enum_type)


def _create_diagnostic(message: str, pointer: str) -> Diagnostic:
    return Diagnostic("output/binding", message, Place(pointer=pointer), HINT)
