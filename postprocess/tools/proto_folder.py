"""Folders of proto files for protoc and buf, which read files and write others beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


def list_protos(folder: Path) -> list[str]:
    """Return the paths of all proto files below a folder, relative to it, sorted."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.proto"))


def write_protos(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder, by their relative paths."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@contextmanager
def copy_protos(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder with copies of all proto files below a folder."""
    with TemporaryDirectory(prefix="spec2proto-") as work:
        copy = Path(work) / "protos"
        write_protos(copy, {name: (folder / name).read_bytes() for name in list_protos(folder)})
        yield copy
