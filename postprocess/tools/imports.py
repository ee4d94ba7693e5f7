"""What generated protos import besides themselves, from packages that have it.

`google/api` comes from `googleapis-common-protos`, `buf/validate` from `protovalidate`; the latter is placed only where
protos import it.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile

from google.api import annotations_pb2, http_pb2

from postprocess.tools.validate_proto import VALIDATE, source

INCLUDE = Path(str(annotations_pb2.__file__)).parents[2]
_FILES = (annotations_pb2.DESCRIPTOR.name, http_pb2.DESCRIPTOR.name)
_IMPORT = f'import "{VALIDATE}";'.encode()


def are_validated(folder: Path) -> bool:
    """Whether any proto in a folder has options of protovalidate."""
    return any(_IMPORT in path.read_bytes() for path in folder.rglob("*.proto"))


def place_validate(folder: Path) -> None:
    """Put `buf/validate/validate.proto` into a folder."""
    path = folder / VALIDATE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source(), encoding="utf-8")


def place_imports(folder: Path) -> str:
    """Put what protos import beside their folder, where buf finds it without asking a registry.

    Several may do so at once, and what is damaged is written anew: each file appears whole.

    Args:
        folder: of the protos; the imports become its neighbour.

    Returns:
        What the neighbour is called.
    """
    validated = are_validated(folder)
    name = f"imports-{version('googleapis-common-protos')}" + (f"-{version('protovalidate')}" if validated else "")
    wanted = {file: (INCLUDE / file).read_bytes() for file in _FILES}
    if validated:
        wanted[VALIDATE] = source().encode()
    for file, content in wanted.items():
        path = folder.parent / name / file
        if path.is_file() and path.read_bytes() == content:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, delete=False) as part:
            part.write(content)
        Path(part.name).replace(path)
    return name
