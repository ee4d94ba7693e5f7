"""What the lock foresees is what protoc makes; whatever differs is seen, and then checked again with what there is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.diagnostics import Severity
from pipeline.model.lock.model import Lock
from pipeline.model.lock.text import parse_lock
from postprocess.lock.descriptors import descriptors_of_lock
from postprocess.lock.expected import equal_descriptors
from postprocess.tools.buf import find_breaking_changes
from postprocess.tools.protoc import compile_protos
from tests.support import ROOT

CATALOG = "folio/catalog/v1/catalog.proto"


def read_lock(profile: str) -> Lock:
    return parse_lock((ROOT / "protos" / profile / "lock.yaml").read_bytes(), "lock.yaml")


def compiled(folder: Path) -> FileDescriptorSet:
    names = [str(path.relative_to(folder)) for path in folder.rglob("*.proto")]
    return FileDescriptorSet(file=[file for file in compile_protos(folder, names).file if file.name in names])


@pytest.mark.parametrize("profile", ["example", "opensearch", "opensearch-full"])
def test_published_protos_are_as_foreseen(profile: str) -> None:
    assert equal_descriptors(compiled(ROOT / "protos" / profile), descriptors_of_lock(read_lock(profile)))


@pytest.mark.parametrize("profile", ["opensearch", "opensearch-full"])
def test_a_file_of_the_image_stands_after_those_that_it_imports(profile: str) -> None:
    met: set[str] = set()
    for file in descriptors_of_lock(read_lock(profile)).file:
        assert set(file.dependency) <= met
        met.add(file.name)


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("repeated Query never = 6;", "repeated Query never = 9;", False),
        ("repeated string drop = 1;", "repeated int32 drop = 1;", False),
        ("optional int64 if_revision", "int64 if_revision", False),
        ("oneof action_line", "oneof line", False),
        ("[deprecated = true]", "[jstype = JS_NORMAL, deprecated = true]", False),
        ('[json_name = "shelf-mark"]', '[json_name = "shelfmark"]', False),
        ("FORMAT_ASTERISK = 1;", "FORMAT_ASTERISK = 11;", False),
        ("message BandArray {", "message Extra {\n}\n\nmessage BandArray {", False),
        ("message BandArray {", "// Text\nmessage BandArray {\n  reserved 77;", True),
    ],
)
def test_an_edit_is_seen(tmp_path: Path, old: str, new: str, same: bool) -> None:
    folder = tmp_path / "protos"
    shutil.copytree(ROOT / "protos" / "example", folder)
    text = (folder / CATALOG).read_text()
    assert old in text
    (folder / CATALOG).write_text(text.replace(old, new, 1))
    assert equal_descriptors(compiled(folder), descriptors_of_lock(read_lock("example"))) is same


def test_a_break_is_found_once_for_each_category_that_has_its_rule(tmp_path: Path) -> None:
    folder = tmp_path / "protos"
    shutil.copytree(ROOT / "protos" / "example", folder, ignore=shutil.ignore_patterns("*.yaml", "*.json"))
    text = (folder / CATALOG).read_text()
    text = text.replace("repeated string drop = 1;", "repeated int32 drop = 1;")
    (folder / CATALOG).write_text(text.replace('[json_name = "shelf-mark"]', '[json_name = "shelfmark"]'))
    image = descriptors_of_lock(read_lock("example"))
    judged = [("FILE", Severity.ERROR), ("WIRE_JSON", Severity.DANGER)]
    alone = [diagnostic for each in judged for diagnostic in find_breaking_changes(folder, image, each)]
    assert find_breaking_changes(folder, image, *judged) == alone
    assert {(diagnostic.code, diagnostic.severity) for diagnostic in alone} == {
        ("buf/FIELD_SAME_TYPE", Severity.ERROR),
        ("buf/FIELD_SAME_JSON_NAME", Severity.ERROR),
        ("buf/FIELD_SAME_JSON_NAME", Severity.DANGER),
        ("buf/FIELD_WIRE_JSON_COMPATIBLE_TYPE", Severity.DANGER),
    }
