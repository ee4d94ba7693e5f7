"""What protoc will make of the protos is known before they are written: the lock says it.

So what needs descriptors can be checked ahead, with the image of the lock. That holds if the protos then turn out to be
what was foreseen; where they do not, it is checked again with what they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from postprocess.lock.descriptors import DESCRIPTOR_FILE

_IN_FILES = ("source_code_info", "dependency", "public_dependency", "weak_dependency")
_IN_TYPES = ("reserved_range", "reserved_name")


def as_foreseen(descriptors: FileDescriptorSet, image: FileDescriptorSet) -> bool:
    """Whether compiled protos are those of a lock's image, each option that protobuf itself has included.

    Left aside is what no image has: where things stand, what is imported or reserved, which messages and rpcs are
    deprecated, and options of others such as `google.api.http` and `buf.validate`. Order counts among the fields of a
    message and among the values of an enum, and nowhere else.

    Args:
        descriptors: compiled, the contract's own files alone.
        image: from `lock_image`.
    """
    own = {file.name for file in descriptors.file}
    return _plain(descriptors.file) == _plain(file for file in image.file if file.name in own or _holds(file))


def _holds(file: FileDescriptorProto) -> bool:
    """Whether anything of the contract stands in a file."""
    stands = file.message_type or file.enum_type or file.service or file.extension
    return bool(stands) and file.name != DESCRIPTOR_FILE


def _plain(files: Iterable[FileDescriptorProto]) -> FileDescriptorSet:
    """Copies of files with nothing but what is compared, in one order."""
    result = FileDescriptorSet()
    for file in sorted(files, key=_name):
        made = result.file.add()
        made.CopyFrom(file)
        made.DiscardUnknownFields()
        _clear(made, _IN_FILES)
        made.service.sort(key=_name)
        for service in made.service:
            service.method.sort(key=_name)
            for method in service.method:
                _strip(method)
        _types(made.message_type, made.enum_type)
    return result


def _types(messages: Any, enums: Any) -> None:
    messages.sort(key=_name)
    enums.sort(key=_name)
    for enum in enums:
        _clear(enum, _IN_TYPES)
        _strip(enum)
        for value in enum.value:
            _strip(value, deprecated=True)
    for message in messages:
        _clear(message, _IN_TYPES)
        _strip(message)
        for oneof in message.oneof_decl:
            oneof.ClearField("options")
        for item in message.field:
            _strip(item, deprecated=True)
        _types(message.nested_type, message.enum_type)


def _clear(element: Any, names: Iterable[str]) -> None:
    for name in names:
        element.ClearField(name)


def _strip(element: Any, *, deprecated: bool = False) -> None:
    """Clear the options of others, and whether an element is deprecated unless that is compared."""
    if not element.HasField("options"):
        return
    for option, _ in element.options.ListFields():
        if option.is_extension:
            element.options.ClearExtension(option)
    if not deprecated:
        element.options.ClearField("deprecated")
    if not element.options.ListFields():
        element.ClearField("options")


def _name(element: Any) -> str:
    return str(element.name)
