"""Iterate over the elements of compiled descriptors; nested messages and enums have names such as `Outer.Inner`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor_pb2 import FileDescriptorProto

Files = Iterable[FileDescriptorProto]


def iterate_messages(files: Files) -> Iterator[tuple[FileDescriptorProto, str, descriptor_pb2.DescriptorProto]]:
    """Yield each message with its file and its name within the package."""
    stack = [(file, message.name, message) for file in files for message in file.message_type]
    while stack:
        file, name, message = stack.pop()
        yield file, name, message
        stack += [(file, f"{name}.{nested.name}", nested) for nested in message.nested_type]


def iterate_enums(files: Files) -> Iterator[tuple[FileDescriptorProto, str, descriptor_pb2.EnumDescriptorProto]]:
    """Yield each enum with its file and its name within the package."""
    yield from ((file, enum.name, enum) for file in files for enum in file.enum_type)
    for file, name, message in iterate_messages(files):
        yield from ((file, f"{name}.{enum.name}", enum) for enum in message.enum_type)


def iterate_methods(files: Files) -> Iterator[tuple[str, descriptor_pb2.MethodDescriptorProto]]:
    """Yield each method with its name as `Service/Method`."""
    for file in files:
        for service in file.service:
            yield from ((f"{service.name}/{method.name}", method) for method in service.method)
