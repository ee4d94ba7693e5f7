"""The list of commands: it imports no command, and repeats the first line of each command's own help."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from pipeline.cli.main import LazyCommand, LazyGroup, app

PRINT_MODULES = "import sys; from pipeline.cli.main import main\ntry: main()\nfinally: print(*sys.modules, sep='\\n')"


def commands(group: LazyGroup) -> Iterator[LazyCommand]:
    for command in group.commands.values():
        if isinstance(command, LazyGroup):
            yield from commands(command)
        elif isinstance(command, LazyCommand):
            yield command


@pytest.mark.parametrize("command", list(commands(app)), ids=lambda command: f"{command.module}-{command.function}")
def test_the_help_in_the_list_is_that_of_the_command(command: LazyCommand) -> None:
    assert command.read_help() == command.load().help


@pytest.mark.parametrize(
    ("arguments", "line"), [([], "build        Build the protos"), (["lock"], "show     Show what")]
)
def test_listing_the_commands_imports_none_of_them(arguments: list[str], line: str) -> None:
    command = [sys.executable, "-c", PRINT_MODULES, *arguments, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"│ {line}" in done.stdout
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
