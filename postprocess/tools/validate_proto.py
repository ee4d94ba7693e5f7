"""Provide `buf/validate/validate.proto`, the custom options for constraints, from the package `protovalidate`.

The package contains only the descriptors, so the source that compilers read is printed from them.
"""

from __future__ import annotations

from functools import cache

from google.protobuf import descriptor_pb2, duration_pb2, field_mask_pb2, timestamp_pb2
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from postprocess.tools.proto_source import print_proto

VALIDATE = "buf/validate/validate.proto"


@cache
def read_validate_descriptor() -> bytes:
    """Return the serialized FileDescriptorProto of `buf/validate/validate.proto`."""
    from protovalidate import ViolationPb  # noqa: PLC0415 - takes a third of a second that few builds need

    return bytes(ViolationPb.desc().file.proto.to_binary())


@cache
def validate_pool() -> DescriptorPool:
    """Return a separate pool with the file and its imports, so that no other pool knows its extensions."""
    validate_pool = DescriptorPool()
    for module in (descriptor_pb2, duration_pb2, field_mask_pb2, timestamp_pb2):
        validate_pool.AddSerializedFile(module.DESCRIPTOR.serialized_pb)
    validate_pool.AddSerializedFile(read_validate_descriptor())
    return validate_pool


@cache
def validate_source() -> str:
    """Return the source of the file; it compiles to the same descriptors."""
    file = GetMessageClass(validate_pool().FindMessageTypeByName("google.protobuf.FileDescriptorProto"))
    return print_proto(file.FromString(read_validate_descriptor()))  # type: ignore[arg-type]


def parse_validate_options(options: Message) -> Message:
    """Return the options parsed again, so that those of protovalidate are extensions instead of unknown fields."""
    message = GetMessageClass(validate_pool().FindMessageTypeByName(options.DESCRIPTOR.full_name))
    return message.FromString(options.SerializeToString())
