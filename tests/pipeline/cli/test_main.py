"""The table of commands: it imports no command, and repeats the first line of each command's own help."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pipeline.cli.main import COMMANDS, LOCK_COMMANDS, LazyCommand

PRINT_MODULES = "import sys; from pipeline.cli.main import main\ntry: main()\nfinally: print(*sys.modules, sep='\\n')"


@pytest.mark.parametrize("command", [*COMMANDS, *LOCK_COMMANDS], ids=lambda command: command.entry_point)
def test_the_line_of_help_in_the_table_is_that_of_the_command(command: LazyCommand) -> None:
    assert command.load().help == command.help


@pytest.mark.parametrize("arguments", [["--help"], ["lock", "--help"]])
def test_listing_the_commands_imports_none_of_them(arguments: list[str]) -> None:
    line = [sys.executable, "-c", PRINT_MODULES, *arguments]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    project = {"pipeline", "preprocess", "postprocess", "spec2proto_codec"}
    modules = {name for name in done.stdout.splitlines() if name.split(".")[0] in project}
    assert modules == {
        "pipeline",
        "pipeline.cli",
        "pipeline.cli.console",
        "pipeline.cli.main",
        "pipeline.model",
        "pipeline.model.diagnostics",
    }
