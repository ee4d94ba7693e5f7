"""What generated protos import besides themselves: `google/api`, from the package `googleapis-common-protos`."""

from __future__ import annotations

import shutil
from importlib.metadata import version
from pathlib import Path
from tempfile import mkdtemp

from google.api import annotations_pb2, http_pb2

INCLUDE = Path(str(annotations_pb2.__file__)).parents[2]
FOLDER = f"imports-{version('googleapis-common-protos')}"
_FILES = (annotations_pb2.DESCRIPTOR.name, http_pb2.DESCRIPTOR.name)


def place_imports(folder: Path) -> None:
    """Put what protos import beside their folder, where buf finds it without asking a registry.

    Several may do so at once: a folder that is there is complete.

    Args:
        folder: of the protos; the imports become its neighbour.
    """
    target = folder.parent / FOLDER
    if target.is_dir():
        return
    made = Path(mkdtemp(prefix=f"{FOLDER}-", dir=folder.parent))
    for name in _FILES:
        path = made / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(INCLUDE / name, path)
    try:
        made.rename(target)
    except OSError:
        shutil.rmtree(made)  # another was faster
