"""Only the packages at the edge start processes; a tool that the system stops is no judgement on the protos."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

import pytest

from pipeline.model.diagnostics import ExitCode, Failure
from postprocess.tools.process import run_tool
from tests.support import ROOT

EDGES = {
    "pipeline/cli",
    "pipeline/build",
    "pipeline/publish",
    "pipeline/packages",
    "pipeline/generate",
    "pipeline/jvm",
    "postprocess/tools",
}
MODULES = {"subprocess", "multiprocessing", "concurrent.futures.process", "pty"}
CALLS = ("fork", "forkpty", "system", "popen", "exec", "spawn", "posix_spawn")


def names_of_process_starts(tree: ast.AST) -> Iterator[str]:
    """Yield the modules and functions in code that start processes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            imported = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in imported if node.module in MODULES or name.endswith(".ProcessPoolExecutor"))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            yield from (f"os.{node.attr}" for call in CALLS if node.attr == call or node.attr.startswith(f"{call}v"))


def test_only_the_edges_start_processes() -> None:
    starts = {
        f"{path.relative_to(ROOT).as_posix()}: {name}"
        for folder in ("pipeline", "preprocess", "postprocess", "codec/python")
        for path in (ROOT / folder).rglob("*.py")
        for name in names_of_process_starts(ast.parse(path.read_bytes()))
    }
    assert {start.rpartition("/")[0] for start in starts} <= EDGES, sorted(starts)
    assert "pipeline/publish/git.py: subprocess" in starts


def test_a_tool_that_was_killed_is_a_failure_of_the_environment() -> None:
    with pytest.raises(Failure, match="was ended by SIGKILL") as failure:
        run_tool([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"])
    assert failure.value.exit_code is ExitCode.ENVIRONMENT


def test_an_error_of_the_system_is_a_failure_of_the_environment() -> None:
    script = "import sys; sys.exit('cannot write: No space left on device')"
    with pytest.raises(Failure, match="no space left on device"):
        run_tool([sys.executable, "-c", script])


def test_a_tool_that_reports_an_error_ends_normally() -> None:
    process = run_tool([sys.executable, "-c", "import os, sys; sys.exit(os.environ['WORD'])"], environ={"WORD": "no"})
    assert (process.returncode, process.stderr) == (1, "no\n")
