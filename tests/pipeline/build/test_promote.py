"""Promotion: whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.build.promote import BACKUP, STAGED, promote, read_result, recover
from pipeline.model.diagnostics import Failure

OLD = {"a.proto": b"old", "lock.yaml": b"1"}
NEW = {"deep/er/b.proto": b"new", "lock.yaml": b"2"}


def test_a_folder_holds_exactly_what_was_promoted(tmp_path: Path) -> None:
    target = tmp_path / "protos" / "sample"
    assert promote(OLD, target)
    assert read_result(target) == OLD
    assert promote(NEW, target)
    assert read_result(target) == NEW
    assert not promote(NEW, target)
    assert [path.name for path in target.parent.iterdir()] == ["sample"]


def test_what_a_killed_build_left_is_put_right(tmp_path: Path) -> None:
    target = tmp_path / "sample"
    promote(OLD, target)
    promote(NEW, tmp_path / f".sample{STAGED}")
    recover(target)
    assert read_result(target) == OLD
    target.rename(tmp_path / f".sample{BACKUP}")
    recover(target)
    assert read_result(target) == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["sample"]


def test_a_read_only_result_gives_way(tmp_path: Path) -> None:
    target = tmp_path / "sample"
    promote({"deep/a.proto": b"old"}, target)
    for folder in (target / "deep", target):
        folder.chmod(0o555)
    assert promote(NEW, target)
    assert read_result(target) == NEW
    assert [path.name for path in tmp_path.iterdir()] == ["sample"]


def test_what_is_read_only_beside_a_result_is_put_right(tmp_path: Path) -> None:
    target, staged = tmp_path / "sample", tmp_path / f".sample{STAGED}"
    promote(NEW, staged)
    staged.chmod(0o555)
    recover(target)
    assert list(tmp_path.iterdir()) == []


def test_a_result_that_somebody_else_changed_stays(tmp_path: Path) -> None:
    target = tmp_path / "sample"
    promote(OLD, target)
    with pytest.raises(Failure) as caught:
        promote(NEW, target, expected={})
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["output/changed"]
    assert read_result(target) == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["sample"]


def test_a_place_that_cannot_be_written_is_a_diagnostic(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Failure) as caught:
        promote(NEW, tmp_path / "file" / "sample")
    assert caught.value.diagnostics[0].code == "output/not-written"
