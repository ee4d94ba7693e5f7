"""Examples of rule pages whose protos are hard on generated code: they compile in every language.

`distinct-names` has names that would collide in generated code, `validate-bounds` imports the options of protovalidate,
of whose own source code is generated as well.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.languages import tools
from tests.rules.catalogue import run_all
from tests.rules.pages import read_pages


@pytest.fixture(scope="module", params=["distinct-names", "validate-bounds"])
def protos(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the protos of a page's example into a folder."""
    page = next(page for page in read_pages() if page.stem == request.param)
    folder = tmp_path_factory.mktemp("protos")
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
    tools.generate_go(protos, tmp_path / "go", "example.org/protos")
    tools.vet_go(tmp_path / "go", "example.org/protos")
