"""Options of protovalidate: what imports them compiles in every language, with code made of their own source."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.languages import tools
from tests.rules.catalogue import run_all
from tests.rules.pages import read_pages

MODULE = "example.org/constraints"


@pytest.fixture(scope="module")
def protos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example of a page about such options."""
    folder = tmp_path_factory.mktemp("constraints")
    page = next(page for page in read_pages() if page.stem == "validate-bounds")
    for name, text in run_all([page])[page.stem].protos.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_python_imports_them(protos: Path, tmp_path: Path) -> None:
    tools.generate_python(protos, tmp_path / "python")
    tools.import_python(tmp_path / "python")


def test_java_compiles_them(protos: Path, tmp_path: Path) -> None:
    tools.generate_java(protos, tmp_path / "java")
    tools.compile_java(tmp_path / "java", tmp_path / "classes")


def test_go_compiles_them(protos: Path, tmp_path: Path) -> None:
    tools.generate_go(protos, tmp_path / "go", MODULE)
    tools.vet_go(tmp_path / "go", MODULE)
