"""What generated protos import besides themselves, from packages that have it.

`google/api` comes from `googleapis-common-protos`, `buf/validate` from `protovalidate`; the latter is placed only where
protos import it.
"""

from __future__ import annotations

import shutil
from importlib.metadata import version
from pathlib import Path
from tempfile import mkdtemp

from google.api import annotations_pb2, http_pb2

from postprocess.validate_proto import VALIDATE, source

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

    Several may do so at once: a folder that is there is complete.

    Args:
        folder: of the protos; the imports become its neighbour.

    Returns:
        What the neighbour is called.
    """
    validated = are_validated(folder)
    name = f"imports-{version('googleapis-common-protos')}" + (f"-{version('protovalidate')}" if validated else "")
    target = folder.parent / name
    if target.is_dir():
        return name
    made = Path(mkdtemp(prefix=f"{name}-", dir=folder.parent))
    for file in _FILES:
        path = made / file
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(INCLUDE / file, path)
    if validated:
        place_validate(made)
    try:
        made.rename(target)
    except OSError:
        shutil.rmtree(made)  # another was faster
    return name
