"""What buf generates from: the descriptors of a profile's protos, for Python in another folder if need be."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.descriptor_pb2 import FileDescriptorSet


def relocated(descriptors: FileDescriptorSet, folders: Mapping[str, str]) -> FileDescriptorSet:
    """The same files under other names: in Python the path of a proto file is the name of its module.

    Args:
        descriptors: imports included.
        folders: first folder of a file → the dotted package that stands for it.
    """
    made = FileDescriptorSet()
    made.CopyFrom(descriptors)
    for file in made.file:
        file.name = _moved(file.name, folders)
        for at, name in enumerate(file.dependency):
            file.dependency[at] = _moved(name, folders)
    return made


def _moved(name: str, folders: Mapping[str, str]) -> str:
    first, slash, rest = name.partition("/")
    return f"{folders[first].replace('.', '/')}/{rest}" if slash and first in folders else name
