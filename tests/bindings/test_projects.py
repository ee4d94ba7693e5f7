"""What the packages are called, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.model.profile.load import load_profile
from pipeline.packages.naming import derive_names
from pipeline.packages.project import move_files
from postprocess.tools.protoc import compile_folder
from tests.bindings.speakers import names_of
from tests.support import ROOT, spec2proto


@pytest.mark.parametrize(
    ("profile", "python", "maven", "module"),
    [
        (
            "opensearch",
            "opensearch-protobufs",
            "org.opensearch:protobufs",
            "github.com/opensearch-project/opensearch-protobufs/go",
        ),
        (
            "opensearch-full",
            "opensearch-v1",
            "org.opensearch.protobufs:opensearch-v1",
            "github.com/opensearch-project/opensearch-protobufs/go/opensearch/v1",
        ),
        ("example", "folio-catalog-v1", "org.example.folio.catalog:folio-catalog-v1", "example.org/folio/catalog/v1"),
    ],
)
def test_names_follow_from_package_and_options(profile: str, python: str, maven: str, module: str) -> None:
    names = names_of(profile)
    assert (names.python, f"{names.group}:{names.artifact}", names.go_module) == (python, maven, module)


def test_files_without_a_go_package_get_a_module_that_nobody_has() -> None:
    profile = load_profile("example")
    descriptors = compile_folder(ROOT / "protos" / profile.name, profile.name)
    for file in descriptors.file:
        file.options.ClearField("go_package")
    assert derive_names(profile, descriptors, "1.2.3").go_module == "folio-catalog-v1.invalid/folio/catalog/v1"


def test_python_finds_the_files_in_the_package_that_the_profile_names() -> None:
    profile = load_profile("opensearch")
    moved = move_files(compile_folder(ROOT / "protos" / profile.name, profile.name), profile.bindings.python_packages)
    names = {file.name for file in moved.file}
    assert "opensearch/protobufs/schemas/common.proto" in names
    assert {name for file in moved.file for name in file.dependency} <= names


def test_an_unknown_language_is_refused(tmp_path: Path) -> None:
    done = spec2proto("bindings", "--profile", "example", "--language", "cobol", "--out", tmp_path)
    assert done.returncode == 2
    assert "error[bindings/language]: no bindings for `cobol` (remedy: one of: python, java, go" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_missing_tool_is_named(tmp_path: Path) -> None:
    done = spec2proto("bindings", "--profile", "example", "--language", "go", "--out", tmp_path, PATH=str(tmp_path))
    assert done.returncode == 3
    assert "error[environment/no-" in done.stderr
