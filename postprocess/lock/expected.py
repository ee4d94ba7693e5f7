"""Compare compiled protos with the descriptors of the lock that they were printed from.

The build checks the descriptors of the lock while the generator still runs. If the compiled protos are equal, these
checks hold for them; otherwise the build repeats the checks with the compiled ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from postprocess.lock.descriptors import DESCRIPTOR_FILE

_IN_FILES = ("source_code_info", "dependency", "public_dependency", "weak_dependency")


def equal_descriptors(compiled: FileDescriptorSet, expected: FileDescriptorSet) -> bool:
    """Return whether compiled protos equal the descriptors of a lock.

    What a lock does not have is ignored: source locations, imports, reserved numbers, deprecated messages and rpcs, and
    custom options such as `google.api.http`. The order of fields and of enum values counts, other orders do not.
    `compiled` has no imports; `expected` comes from `descriptors_of_lock`.
    """
    names = {file.name for file in compiled.file}
    comparable = (file for file in expected.file if file.name in names or _has_declarations(file))
    return _copy_comparable(compiled.file) == _copy_comparable(comparable)


def _has_declarations(file: FileDescriptorProto) -> bool:
    declarations = file.message_type or file.enum_type or file.service or file.extension
    return bool(declarations) and file.name != DESCRIPTOR_FILE


def _copy_comparable(files: Iterable[FileDescriptorProto]) -> FileDescriptorSet:
    """Return sorted copies of files, reduced to what is compared."""
    result = FileDescriptorSet()
    for file in sorted(files, key=_name):
        copy: Any = result.file.add()
        copy.CopyFrom(file)
        copy.DiscardUnknownFields()
        for name in _IN_FILES:
            copy.ClearField(name)
        copy.service.sort(key=_name)
        for service in copy.service:
            service.method.sort(key=_name)
            for method in service.method:
                _clear_options(method)
        _reduce_types(copy.message_type, copy.enum_type)
    return result


def _reduce_types(messages: Any, enums: Any) -> None:
    """Sort messages and enums and clear what is not compared, nested types included."""
    messages.sort(key=_name)
    enums.sort(key=_name)
    for element in (*enums, *messages):
        element.ClearField("reserved_range")
        element.ClearField("reserved_name")
        _clear_options(element)
    for enum in enums:
        for value in enum.value:
            _clear_options(value, keep_deprecated=True)
    for message in messages:
        for oneof in message.oneof_decl:
            oneof.ClearField("options")
        for item in message.field:
            _clear_options(item, keep_deprecated=True)
        _reduce_types(message.nested_type, message.enum_type)


def _clear_options(element: Any, *, keep_deprecated: bool = False) -> None:
    """Clear the custom options of an element, and its `deprecated` unless that is compared."""
    if not element.HasField("options"):
        return
    for option, _ in element.options.ListFields():
        if option.is_extension:
            element.options.ClearExtension(option)
    if not keep_deprecated:
        element.options.ClearField("deprecated")
    if not element.options.ListFields():
        element.ClearField("options")


def _name(element: Any) -> str:
    return str(element.name)
