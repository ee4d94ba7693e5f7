"""Descriptors of a published contract, read without running any of its code.

Generated Python modules hold each file's descriptor as one bytes literal; that is all that is read of them.
"""

from __future__ import annotations

import ast
import zipfile
from collections.abc import Iterable
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from google.protobuf.message import DecodeError

from pipeline.model.diagnostics import Diagnostic, Failure, Place

HINT = "name a FileDescriptorSet, a wheel, or a folder with generated Python modules"


def read_descriptors(path: Path) -> list[FileDescriptorProto]:
    """The descriptors in a FileDescriptorSet, a wheel or an unpacked package, sorted by file name.

    Raises:
        Failure: `descriptors/unreadable`.
    """
    try:
        if path.is_dir():
            found = _from_modules(file.read_bytes() for file in sorted(path.rglob("*_pb2.py")))
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as wheel:
                found = _from_modules(wheel.read(name) for name in sorted(wheel.namelist()) if name.endswith("_pb2.py"))
        else:
            found = list(FileDescriptorSet.FromString(path.read_bytes()).file)
    except (OSError, DecodeError, SyntaxError, zipfile.BadZipFile) as error:
        message = f"not readable: {getattr(error, 'strerror', None) or error}"
        raise Failure(Diagnostic("descriptors/unreadable", message, Place(str(path)), HINT)) from None
    if not found:
        raise Failure(Diagnostic("descriptors/unreadable", "no descriptors in it", Place(str(path)), HINT))
    return sorted(found, key=lambda file: file.name)


def _from_modules(sources: Iterable[bytes]) -> list[FileDescriptorProto]:
    return [FileDescriptorProto.FromString(literal) for source in sources if (literal := _literal(source)) is not None]


def _literal(source: bytes) -> bytes | None:
    """The serialized descriptor: the bytes given to `AddSerializedFile`."""
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "AddSerializedFile"
        ):
            argument = node.args[0]
            if isinstance(argument, ast.Constant) and isinstance(argument.value, bytes):
                return argument.value
    return None
