"""A test stands where its module is: `tests/<folders>/test_<module>.py`, with an aspect after the module name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import ROOT

SOURCES = {
    "pipeline": ROOT / "pipeline",
    "preprocess": ROOT / "preprocess",
    "postprocess": ROOT / "postprocess",
    "codec": ROOT / "codec" / "python" / "spec2proto_codec",
}
# A test of several packages together stands beside their folders.
PATHS = [
    path
    for name in SOURCES
    for path in sorted((ROOT / "tests" / name).rglob("test_*.py"))
    if path.parent != ROOT / "tests" / name
]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: str(path.relative_to(ROOT / "tests")))
def test_a_test_names_the_module_that_it_tests(path: Path) -> None:
    top, *folders = path.relative_to(ROOT / "tests").parent.parts
    subject = SOURCES[top].joinpath(*folders)
    names = {module.stem for module in subject.glob("*.py")} | {subject.name}
    words = path.stem.removeprefix("test_")
    assert any(words == name or words.startswith(f"{name}_") for name in names), f"no such module in {subject}"
