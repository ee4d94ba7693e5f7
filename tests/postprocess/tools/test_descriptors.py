"""Iterating over descriptors includes nested messages and enums."""

from __future__ import annotations

from google.protobuf.descriptor_pb2 import DescriptorProto, EnumDescriptorProto, FileDescriptorProto

from postprocess.tools.descriptors import iterate_enums, iterate_messages, iterate_methods

NESTED = DescriptorProto(name="Nested", enum_type=[EnumDescriptorProto(name="Deep")])
FILE = FileDescriptorProto(
    package="sample",
    message_type=[DescriptorProto(name="Outer", nested_type=[NESTED])],
    enum_type=[EnumDescriptorProto(name="Top")],
)


def test_nested_elements_have_the_name_of_their_message() -> None:
    FILE.service.add(name="Service").method.add(name="Get")
    assert [(file.package, name) for file, name, _ in iterate_messages([FILE])] == [
        ("sample", "Outer"),
        ("sample", "Outer.Nested"),
    ]
    assert [name for _, name, _ in iterate_enums([FILE])] == ["Top", "Outer.Nested.Deep"]
    assert [name for name, _ in iterate_methods([FILE])] == ["Service/Get"]
