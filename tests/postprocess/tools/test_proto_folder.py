"""Temporary copies hold the proto files of a folder and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.model.diagnostics import Failure
from postprocess.tools.proto_folder import copy_protos, list_protos, write_protos
from postprocess.tools.protoc import compile_folder
from tests.support import tree

PROTO = b'syntax = "proto3";\npackage a.v1;\nmessage A {}\n'


def test_only_protos_are_copied(tmp_path: Path) -> None:
    write_protos(tmp_path, {"a/v1/a.proto": PROTO, "b.proto": PROTO})
    (tmp_path / "lock.yaml").write_text("version: 1\n", encoding="utf-8")
    assert list_protos(tmp_path) == ["a/v1/a.proto", "b.proto"]
    with copy_protos(tmp_path) as copy:
        assert tree(copy) == {"a/v1/a.proto": PROTO, "b.proto": PROTO}
    assert not copy.exists()


def test_a_folder_is_compiled_or_has_no_protos(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="output/none"):
        compile_folder(tmp_path, "sample")
    write_protos(tmp_path, {"a/v1/a.proto": PROTO})
    assert [file.name for file in compile_folder(tmp_path, "sample").file] == ["a/v1/a.proto"]
