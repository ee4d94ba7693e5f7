"""Provide the proto files that generated protos import, from the Python packages that contain them.

`google/api` comes from `googleapis-common-protos`. `buf/validate` comes from `protovalidate`, and is provided only for
protos that import it.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile

from google.api import annotations_pb2, http_pb2

from postprocess.tools.validate_proto import VALIDATE, validate_source

INCLUDE = Path(str(annotations_pb2.__file__)).parents[2]
_FILES = (annotations_pb2.DESCRIPTOR.name, http_pb2.DESCRIPTOR.name)
_IMPORT = f'import "{VALIDATE}";'.encode()


def has_validate_import(folder: Path) -> bool:
    """Return whether any proto in a folder imports `buf/validate/validate.proto`."""
    return any(_IMPORT in path.read_bytes() for path in folder.rglob("*.proto"))


def write_validate(folder: Path) -> None:
    """Write `buf/validate/validate.proto` into a folder."""
    path = folder / VALIDATE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(validate_source(), encoding="utf-8")


def write_imports(folder: Path) -> str:
    """Write the imports of protos into a folder beside theirs, so that buf needs no registry.

    Concurrent calls are safe: each file is replaced as a whole. A damaged file is written again. The result is the name
    of the new folder.
    """
    has_validate = has_validate_import(folder)
    name = f"imports-{version('googleapis-common-protos')}" + (f"-{version('protovalidate')}" if has_validate else "")
    contents = {file: (INCLUDE / file).read_bytes() for file in _FILES}
    if has_validate:
        contents[VALIDATE] = validate_source().encode()
    for file, content in contents.items():
        path = folder.parent / name / file
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=path.parent, delete=False) as temporary:
                temporary.write(content)
            Path(temporary.name).replace(path)
    return name
