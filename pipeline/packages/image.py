"""Rename the proto files of descriptors, because a Python module has the path of its proto file."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.descriptor_pb2 import FileDescriptorSet


def move_files(descriptors: FileDescriptorSet, folders: Mapping[str, str]) -> FileDescriptorSet:
    """Return a copy of descriptors whose files are in other folders; imports follow.

    Args:
        descriptors: imports included.
        folders: the first folder of a file, and the dotted Python package that replaces it.
    """
    moved = FileDescriptorSet()
    moved.CopyFrom(descriptors)
    for file in moved.file:
        file.name = _move_path(file.name, folders)
        for index, name in enumerate(file.dependency):
            file.dependency[index] = _move_path(name, folders)
    return moved


def _move_path(path: str, folders: Mapping[str, str]) -> str:
    first, slash, remainder = path.partition("/")
    return f"{folders[first].replace('.', '/')}/{remainder}" if slash and first in folders else path
