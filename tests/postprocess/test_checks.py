"""The checks catch what they are for: protos edited by hand, numbers moved, fields lost, prose that would be markup."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pipeline.model.diagnostics import Severity
from pipeline.model.lock.model import State
from pipeline.model.lock.text import parse_lock
from pipeline.model.profile.profile import Excuse, Lint
from postprocess.lock.descriptors import descriptors_of_lock
from postprocess.lock.verify import check_lock
from postprocess.report.markdown import escape_cell
from postprocess.tools.buf import find_breaking_changes, lint
from postprocess.tools.protoc import compile_protos
from tests.support import ROOT, spec2proto

EXAMPLE = ROOT / "protos" / "example"
CATALOG = "folio/catalog/v1/catalog.proto"


@pytest.fixture
def protos(tmp_path: Path) -> Path:
    folder = tmp_path / "protos"
    shutil.copytree(EXAMPLE, folder)
    return folder


def edit(folder: Path, old: str, new: str) -> None:
    path = folder / CATALOG
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def compiled(folder: Path) -> list[str]:
    names = [str(path.relative_to(folder)) for path in folder.rglob("*.proto")]
    lock = parse_lock((folder / "lock.yaml").read_bytes(), "lock.yaml")
    return [diagnostic.message for diagnostic in check_lock(compile_protos(folder, names), lock)]


def test_untouched_protos_are_what_the_lock_says(protos: Path) -> None:
    assert compiled(protos) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("repeated Query never = 6;", "repeated Query never = 9;", "`Blend` has"),
        (
            "optional float boost = 2;\n  optional int64 limit = 3;",
            "optional float limit = 2;\n  optional int64 boost = 3;",
            "limit",
        ),
        ("  repeated string drop = 1;\n", "", "`Amendment` has nothing at 1"),
        ("FORMAT_ASTERISK = 1;", "FORMAT_ASTERISK = 11;", "`Format` has"),
        ("optional int64 if_revision", "int64 if_revision", "`Amendment` has"),
        ("oneof action_line", "oneof line", "oneof line"),
        ("optional string card_number = 5 [deprecated = true];", "optional string card_number = 5;", "deprecated"),
        (
            "message BandArray {",
            "message Extra {\n}\n\nmessage BandArray {",
            "`Extra` is in the protos and not in the lock",
        ),
    ],
)
def test_an_edit_by_hand_is_told(protos: Path, old: str, new: str, told: str) -> None:
    edit(protos, old, new)
    assert any(told in message for message in compiled(protos)), compiled(protos)


def test_an_enum_in_another_file_is_told(protos: Path) -> None:
    lock = parse_lock((protos / "lock.yaml").read_bytes(), "lock.yaml")
    moved = lock.enums["Format"].model_copy(update={"file": "folio/catalog/v1/other.proto"})
    changed = lock.model_copy(update={"enums": lock.enums | {"Format": moved}})
    messages = [diagnostic.message for diagnostic in check_lock(descriptors_of_lock(lock), changed)]
    assert f"`Format` is in {CATALOG}, the lock has it in folio/catalog/v1/other.proto" in messages


def test_the_command_refuses_edited_protos(protos: Path) -> None:
    edit(protos, "repeated Query never = 6;", "repeated Query never = 9;")
    done = spec2proto("lock", "check", "--profile", "example", "--out", protos)
    assert done.returncode == 1
    assert "error[lock/differs]" in done.stderr
    assert spec2proto("lock", "check", "--profile", "example").returncode == 0


def test_a_reserved_number_must_stay_reserved(protos: Path) -> None:
    lock = parse_lock((protos / "lock.yaml").read_bytes(), "lock.yaml")
    message = lock.messages["Band"]
    gone = message.fields[0].model_copy(update={"state": State.RESERVED})
    edit(protos, "  optional GeneralNumber above = 1;\n", '  reserved 1;\n  reserved "above";\n')
    changed = lock.model_copy(
        update={
            "messages": lock.messages | {"Band": message.model_copy(update={"fields": (gone, *message.fields[1:])})}
        }
    )
    names = [str(path.relative_to(protos)) for path in protos.rglob("*.proto")]
    assert check_lock(compile_protos(protos, names), changed) == []
    edit(protos, "  reserved 1;\n", "")
    told = [diagnostic.message for diagnostic in check_lock(compile_protos(protos, names), changed)]
    assert told == ["`Band` does not reserve 1"]


def test_buf_sees_what_breaks_the_contract_that_the_lock_remembers(protos: Path) -> None:
    against = descriptors_of_lock(parse_lock((protos / "lock.yaml").read_bytes(), "lock.yaml"))
    for extra in ("lock.yaml", "binding.json"):
        (protos / extra).unlink()
    assert find_breaking_changes(protos, against, ("FILE", Severity.ERROR)) == []
    assert lint(protos, Lint()) == []
    edit(protos, "repeated string drop = 1;", "repeated int32 drop = 1;")
    found = find_breaking_changes(protos, against, ("FILE", Severity.ERROR))
    assert [(diagnostic.code, diagnostic.place.file) for diagnostic in found] == [("buf/FIELD_SAME_TYPE", CATALOG)]


def test_a_lint_exception_holds_for_its_paths_alone(protos: Path) -> None:
    edit(protos, "repeated string drop = 1;", "repeated string Drop = 1;")
    told = [diagnostic.code for diagnostic in lint(protos, Lint())]
    assert told == ["buf/FIELD_LOWER_SNAKE_CASE"]
    excuse = Excuse(rule="FIELD_LOWER_SNAKE_CASE", reason="published with a capital", paths=("folio",))
    assert lint(protos, Lint(exceptions=(excuse,))) == []
    elsewhere = excuse.model_copy(update={"paths": ("elsewhere",)})
    assert [diagnostic.code for diagnostic in lint(protos, Lint(exceptions=(elsewhere,)))] == told


def test_a_name_in_json_that_changes_is_told(protos: Path) -> None:
    lock = parse_lock((protos / "lock.yaml").read_bytes(), "lock.yaml")
    assert find_breaking_changes(protos, descriptors_of_lock(lock), ("WIRE_JSON", Severity.DANGER)) == []
    edit(protos, '[json_name = "shelf-mark"]', '[json_name = "shelfmark"]')
    assert compiled(protos) == [
        "`RecordCard` has optional string shelf_mark, in JSON 'shelfmark' at 22, "
        "the lock has optional string shelf_mark, in JSON 'shelf-mark'"
    ]
    found = find_breaking_changes(protos, descriptors_of_lock(lock), ("WIRE_JSON", Severity.DANGER))
    assert [diagnostic.code for diagnostic in found] == ["buf/FIELD_SAME_JSON_NAME"]


@pytest.mark.parametrize("text", ["a|b", "<script>", "line\nbreak", "`code`", "[link](x)", "\x00\u202e"])
def test_no_text_leaves_its_cell(text: str) -> None:
    found = escape_cell(text)
    assert "\n" not in found
    assert "<" not in found
    assert "\x00" not in found
    assert "\u202e" not in found
    assert "|" not in found.replace("\\|", "")
