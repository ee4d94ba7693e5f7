"""Descriptors printed as proto2 text: for imports of which a package has the descriptors and not the source.

What compiles from the text are the same descriptors, options included; comments, which descriptors lack, are not there.
Source: protobuf language specification (proto2).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from google.protobuf import text_format
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)
from google.protobuf.message import Message

_SCALARS = {
    number: name.removeprefix("TYPE_").lower()
    for name, number in FieldDescriptorProto.Type.items()
    if name not in {"TYPE_MESSAGE", "TYPE_ENUM", "TYPE_GROUP"}
}
_LABELS = {number: name.removeprefix("LABEL_").lower() for name, number in FieldDescriptorProto.Label.items()}


def proto_text(file: FileDescriptorProto) -> str:
    """A proto2 file as text; its options may be extensions that the file's own pool knows.

    Args:
        file: without groups, services, maps and defaults, which no import of ours has.
    """
    lines = ['syntax = "proto2";', f"package {file.package};"]
    lines += [f'import "{name}";' for name in file.dependency]
    lines += [f"option {option};" for option in _options(file.options)]
    for field in file.extension:
        lines += [f"extend {field.extendee} {{", f"  {_field(field)}", "}"]
    for message in file.message_type:
        lines += _message(message)
    for enum in file.enum_type:
        lines += _enum(enum)
    return "\n".join(lines) + "\n"


def _message(message: DescriptorProto) -> Iterator[str]:
    yield f"message {message.name} {{"
    yield from _inner(f"option {option};" for option in _options(message.options))
    for nested in message.nested_type:
        yield from _inner(_message(nested))
    for enum in message.enum_type:
        yield from _inner(_enum(enum))
    yield from _inner(_fields(message))
    yield from (f"  extensions {span.start} to {_last(span.end)};" for span in message.extension_range)
    yield from (f"  reserved {span.start} to {_last(span.end)};" for span in message.reserved_range)
    yield from (f'  reserved "{name}";' for name in message.reserved_name)
    yield "}"


def _fields(message: DescriptorProto) -> Iterator[str]:
    """The fields in their order, a oneof where its first member stands."""
    opened: set[int] = set()
    for field in message.field:
        if not field.HasField("oneof_index"):
            yield _field(field)
        elif field.oneof_index not in opened:
            opened.add(field.oneof_index)
            oneof = message.oneof_decl[field.oneof_index]
            members = [item for item in message.field if item.HasField("oneof_index")]
            yield f"oneof {oneof.name} {{"
            yield from _inner(f"option {option};" for option in _options(oneof.options))
            yield from _inner(
                _field(item).partition(" ")[2] for item in members if item.oneof_index == field.oneof_index
            )
            yield "}"


def _last(end: int) -> str:
    """The last number of a range; descriptors have the one after it."""
    return "max" if end > (1 << 29) - 1 else str(end - 1)


def _enum(enum: EnumDescriptorProto) -> Iterator[str]:
    yield f"enum {enum.name} {{"
    yield from _inner(f"option {option};" for option in _options(enum.options))
    yield from _inner(f"{value.name} = {value.number}{_bracketed(value.options)};" for value in enum.value)
    yield from (f"  reserved {span.start} to {span.end};" for span in enum.reserved_range)
    yield from (f'  reserved "{name}";' for name in enum.reserved_name)
    yield "}"


def _field(field: FieldDescriptorProto) -> str:
    kind = field.type_name or _SCALARS[field.type]
    return f"{_LABELS[field.label]} {kind} {field.name} = {field.number}{_bracketed(field.options)};"


def _bracketed(options: Message) -> str:
    listed = list(_options(options))
    return f" [{', '.join(listed)}]" if listed else ""


def _options(options: Message) -> Iterator[str]:
    """Options as name and value, those of extensions under their full names."""
    for field, value in options.ListFields():
        name = f"({field.full_name})" if field.is_extension else field.name
        for one in value if field.is_repeated else [value]:
            if field.message_type is not None:
                yield f"{name} = {{ {text_format.MessageToString(one, as_one_line=True)} }}"
            elif field.enum_type is not None:
                yield f"{name} = {field.enum_type.values_by_number[one].name}"
            else:
                yield f"{name} = {json.dumps(one)}"


def _inner(lines: Iterable[str]) -> Iterator[str]:
    yield from (f"  {line}" for line in lines)
