"""`buf/validate/validate.proto`, whose options carry constraints, from the package `protovalidate`.

The package has its descriptors alone, so the source that compilers read is printed from these.
"""

from __future__ import annotations

from functools import cache

from google.protobuf import descriptor_pb2, duration_pb2, field_mask_pb2, timestamp_pb2
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from postprocess.tools.proto_source import proto_text

VALIDATE = "buf/validate/validate.proto"
_NEEDED = (descriptor_pb2, duration_pb2, field_mask_pb2, timestamp_pb2)


@cache
def descriptors() -> bytes:
    """Its serialized FileDescriptorProto."""
    from protovalidate import ViolationPb  # noqa: PLC0415 - a third of a second that few builds need

    return bytes(ViolationPb.desc().file.proto.to_binary())


@cache
def pool() -> DescriptorPool:
    """A pool of its own with it and what it imports, so that nothing else knows its extensions."""
    made = DescriptorPool()
    for module in _NEEDED:
        made.AddSerializedFile(module.DESCRIPTOR.serialized_pb)
    made.AddSerializedFile(descriptors())
    return made


@cache
def source() -> str:
    """Its text, which compiles to the same descriptors."""
    file = GetMessageClass(pool().FindMessageTypeByName("google.protobuf.FileDescriptorProto"))
    return proto_text(file.FromString(descriptors()))  # type: ignore[arg-type]


def known(options: Message) -> Message:
    """Options read again, so that those of protovalidate in them are no unknown fields."""
    own = GetMessageClass(pool().FindMessageTypeByName(options.DESCRIPTOR.full_name))
    return own.FromString(options.SerializeToString())
