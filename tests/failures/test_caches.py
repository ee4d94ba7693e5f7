"""What can be made again is damaged: the work folder, the archive of the JVM's classes. The next build minds not."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from pipeline.generate.class_archive import SMALL
from pipeline.generate.generator import run_generator
from pipeline.jvm.process import ARCHIVE, list_archive_options
from pipeline.model.diagnostics import ExitCode
from pipeline.model.profile.profile import Limits

from .case import HERE, Place, tree

BUILD = "build --profile {profile} --spec {spec} --out {out}"
NOISE = random.Random(20).randbytes(5_000)  # noqa: S311 - the same noise each time


def overwritten(folder: Path) -> None:
    """Every file holds noise."""
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        path.write_bytes(NOISE)


def truncated(folder: Path) -> None:
    """Every file ends in its middle."""
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        os.truncate(path, path.stat().st_size // 2)


def exchanged(folder: Path) -> None:
    """Folders stand where files were, and files where folders were."""
    for path in list(folder.iterdir()):
        if path.is_dir():
            shutil.rmtree(path)
            path.write_bytes(NOISE)
        else:
            path.unlink()
            (path / "deep").mkdir(parents=True)
            (path / "deep" / "file").write_bytes(NOISE)


def replaced(folder: Path) -> None:
    """The folder itself is a file."""
    shutil.rmtree(folder)
    folder.write_bytes(NOISE)


def test_a_damaged_work_folder_costs_a_build_and_no_more(place: Place) -> None:
    def build() -> dict[str, bytes]:
        ran = place.run(BUILD, {}, spec=str(HERE / "shelves.yaml"))
        assert (ran.exit_code, ran.stderr) == (ExitCode.DONE, "")
        return tree(place.out)

    good = build()
    for damage in (overwritten, truncated, exchanged, replaced):
        damage(place.work)
        (place.out / "binding.json").write_bytes(NOISE)

        assert build() == good, damage.__name__


@pytest.mark.parametrize("kind", ["bits", "half", "nothing", "noise"])
def test_a_damaged_archive_of_classes_is_done_without(tmp_path: Path, kind: str) -> None:
    """Without the JVM's own check it would crash; see `list_archive_options`."""
    if not ARCHIVE.is_file():
        pytest.skip("this Java made no archive")
    content = bytearray(ARCHIVE.read_bytes())
    dice = random.Random(20)  # noqa: S311 - the same bits each time
    for _ in range(2_000):
        content[dice.randrange(8_192, len(content))] ^= 0xFF
    archive = tmp_path / "generator.jsa"
    archive.write_bytes({"bits": content, "half": content[: len(content) // 2], "nothing": b"", "noise": NOISE}[kind])
    options = [f"-XX:SharedArchiveFile={archive}", *list_archive_options()[1:]]

    texts = run_generator(SMALL, tmp_path / "work", Limits(), os.environ, options)

    assert len(texts) == 2
    assert list(Path.cwd().glob("hs_err*")) == []
