"""Check the binding against the descriptors of its protos: every element that it names exists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.diagnostics import Diagnostic, Place
from postprocess.tools.descriptors import iterate_enums, iterate_messages, iterate_methods

HINT = "build again; never edit the binding by hand"


def check_binding(descriptors: FileDescriptorSet, binding: Any) -> list[Diagnostic]:
    """Return a diagnostic for each element of a parsed `binding.json` that the protos lack or whose rpc differs."""
    sections = ("messages", "enums", "rpcs")
    if not isinstance(binding, dict) or any(not isinstance(binding.get(section), dict) for section in sections):
        return [_create_diagnostic("expected a binding with `messages`, `enums` and `rpcs`", "")]
    files = descriptors.file
    fields = {
        f"{file.package}.{name}": [item.name for item in message.field]
        for file, name, message in iterate_messages(files)
    }
    values = {
        f"{file.package}.{name}": [value.name for value in enum.value] for file, name, enum in iterate_enums(files)
    }
    bound_fields = {name: message["fields"] for name, message in binding["messages"].items()}
    diagnostics = [*_check_members("messages", fields, bound_fields)]
    diagnostics += _check_members("enums", values, binding["enums"])
    rpcs = {
        name: (method.input_type[1:], method.output_type[1:], method.server_streaming)
        for name, method in iterate_methods(files)
    }
    for name, rpc in sorted(binding["rpcs"].items()):
        if rpcs.get(name) != (rpc["request"], rpc["response"], rpc["server_streaming"]):
            message = f"rpc `{name}` differs from the protos"
            diagnostics.append(_create_diagnostic(message, f"/rpcs/{name.replace('/', '~1')}"))
    return diagnostics


def _check_members(section: str, compiled: dict[str, list[str]], bound: dict[str, Any]) -> Iterator[Diagnostic]:
    for name, members in sorted(bound.items()):
        pointer = f"/{section}/{name}"
        if name not in compiled:
            yield _create_diagnostic(f"{section.removesuffix('s')} `{name}` is not in the protos", pointer)
            continue
        for member in sorted(members):
            if member not in compiled[name]:
                yield _create_diagnostic(f"`{name}.{member}` is not in the protos", pointer)


def _create_diagnostic(message: str, pointer: str) -> Diagnostic:
    return Diagnostic("output/binding", message, Place(pointer=pointer), HINT)
