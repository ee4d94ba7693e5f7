"""What generated protos import besides themselves: `google/api`, from the package `googleapis-common-protos`."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile

from google.api import annotations_pb2, http_pb2

INCLUDE = Path(str(annotations_pb2.__file__)).parents[2]
FOLDER = f"imports-{version('googleapis-common-protos')}"
_FILES = (annotations_pb2.DESCRIPTOR.name, http_pb2.DESCRIPTOR.name)


def place_imports(folder: Path) -> None:
    """Put what protos import beside their folder, where buf finds it without asking a registry.

    Several may do so at once, and what is damaged is written anew: each file appears whole.

    Args:
        folder: of the protos; the imports become its neighbour.
    """
    for name in _FILES:
        path, content = folder.parent / FOLDER / name, (INCLUDE / name).read_bytes()
        if path.is_file() and path.read_bytes() == content:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, delete=False) as part:
            part.write(content)
        Path(part.name).replace(path)
