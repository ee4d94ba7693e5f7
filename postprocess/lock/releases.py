"""Read the descriptors of a published contract without running any of its code.

A generated Python module holds the descriptor of its file as one bytes literal; nothing else of the module is read.
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
    """Return the descriptors in a FileDescriptorSet, a wheel or an unpacked package, sorted by file name.

    Raises:
        Failure: `descriptors/unreadable`.
    """
    try:
        if path.is_dir():
            descriptors = _read_modules(file.read_bytes() for file in sorted(path.rglob("*_pb2.py")))
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as wheel:
                modules = [name for name in sorted(wheel.namelist()) if name.endswith("_pb2.py")]
                descriptors = _read_modules(wheel.read(name) for name in modules)
        else:
            descriptors = list(FileDescriptorSet.FromString(path.read_bytes()).file)
    except (OSError, DecodeError, SyntaxError, zipfile.BadZipFile) as error:
        message = f"not readable: {getattr(error, 'strerror', None) or error}"
        raise Failure(Diagnostic("descriptors/unreadable", message, Place(str(path)), HINT)) from None
    if not descriptors:
        raise Failure(Diagnostic("descriptors/unreadable", "no descriptors in it", Place(str(path)), HINT))
    return sorted(descriptors, key=lambda file: file.name)


def _read_modules(sources: Iterable[bytes]) -> list[FileDescriptorProto]:
    literals = (_find_literal(source) for source in sources)
    return [FileDescriptorProto.FromString(literal) for literal in literals if literal is not None]


def _find_literal(source: bytes) -> bytes | None:
    """Return the serialized descriptor in a module: the bytes literal passed to `AddSerializedFile`."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(ast.Attribute(attr="AddSerializedFile"), [ast.Constant(bytes() as literal), *_]):
                return literal
    return None
