"""Print descriptors as proto2 source, for imports of which a package has only the descriptors.

The source compiles to the same descriptors, options included; comments are lost, because descriptors do not have them.
Source: protobuf language specification (proto2).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from google.protobuf import descriptor_pb2, text_format
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto
from google.protobuf.message import Message

_SCALARS = {
    number: name.removeprefix("TYPE_").lower()
    for name, number in FieldDescriptorProto.Type.items()
    if name not in {"TYPE_MESSAGE", "TYPE_ENUM", "TYPE_GROUP"}
}
_LABELS = {number: name.removeprefix("LABEL_").lower() for name, number in FieldDescriptorProto.Label.items()}


def print_proto(file: descriptor_pb2.FileDescriptorProto) -> str:
    """Return a proto2 file without groups, services, maps and defaults as source.

    The pool of its class must know its custom options.
    """
    lines = ['syntax = "proto2";', f"package {file.package};"]
    lines += [f'import "{name}";' for name in file.dependency]
    lines += [f"option {option};" for option in _print_options(file.options)]
    for field in file.extension:
        lines += [f"extend {field.extendee} {{", f"  {_print_field(field)}", "}"]
    for message in file.message_type:
        lines += _print_message(message)
    for enum in file.enum_type:
        lines += _print_enum(enum)
    return "\n".join(lines) + "\n"


def _print_message(message: DescriptorProto) -> Iterator[str]:
    yield f"message {message.name} {{"
    yield from _indent(f"option {option};" for option in _print_options(message.options))
    for nested in message.nested_type:
        yield from _indent(_print_message(nested))
    for enum in message.enum_type:
        yield from _indent(_print_enum(enum))
    yield from _indent(_print_fields(message))
    yield from (f"  extensions {span.start} to {_find_last_number(span.end)};" for span in message.extension_range)
    yield from (f"  reserved {span.start} to {_find_last_number(span.end)};" for span in message.reserved_range)
    yield from (f'  reserved "{name}";' for name in message.reserved_name)
    yield "}"


def _print_fields(message: DescriptorProto) -> Iterator[str]:
    """Yield the fields in order; a oneof is printed at its first member."""
    printed: set[int] = set()
    for field in message.field:
        if not field.HasField("oneof_index"):
            yield _print_field(field)
        elif field.oneof_index not in printed:
            printed.add(field.oneof_index)
            yield from _print_oneof(message, field.oneof_index)


def _print_oneof(message: DescriptorProto, index: int) -> Iterator[str]:
    oneof = message.oneof_decl[index]
    members = [item for item in message.field if item.HasField("oneof_index") and item.oneof_index == index]
    yield f"oneof {oneof.name} {{"
    yield from _indent(f"option {option};" for option in _print_options(oneof.options))
    # Members have no label.
    yield from _indent(_print_field(item).partition(" ")[2] for item in members)
    yield "}"


def _find_last_number(end: int) -> str:
    """Return the last number of a range; the end of a range of a descriptor is exclusive."""
    return "max" if end > (1 << 29) - 1 else str(end - 1)


def _print_enum(enum: descriptor_pb2.EnumDescriptorProto) -> Iterator[str]:
    yield f"enum {enum.name} {{"
    yield from _indent(f"option {option};" for option in _print_options(enum.options))
    yield from _indent(f"{value.name} = {value.number}{_print_brackets(value.options)};" for value in enum.value)
    yield from (f"  reserved {span.start} to {span.end};" for span in enum.reserved_range)
    yield from (f'  reserved "{name}";' for name in enum.reserved_name)
    yield "}"


def _print_field(field: FieldDescriptorProto) -> str:
    type_name = field.type_name or _SCALARS[field.type]
    return f"{_LABELS[field.label]} {type_name} {field.name} = {field.number}{_print_brackets(field.options)};"


def _print_brackets(options: Message) -> str:
    printed = ", ".join(_print_options(options))
    return f" [{printed}]" if printed else ""


def _print_options(options: Message) -> Iterator[str]:
    """Yield each option as `name = value`; a custom option has its full name in parentheses."""
    for field, value in options.ListFields():
        name = f"({field.full_name})" if field.is_extension else field.name
        for item in value if field.is_repeated else [value]:
            if field.message_type is not None:
                yield f"{name} = {{ {text_format.MessageToString(item, as_one_line=True)} }}"
            elif field.enum_type is not None:
                yield f"{name} = {field.enum_type.values_by_number[item].name}"
            else:
                yield f"{name} = {json.dumps(item)}"


def _indent(lines: Iterable[str]) -> Iterator[str]:
    yield from (f"  {line}" for line in lines)
