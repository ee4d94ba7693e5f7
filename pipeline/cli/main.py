"""The entry point `spec2proto`: the table of commands, and the exit code for each way in which a command fails.

The table names the module of each command and holds its line of help, so listing the commands imports none of these
modules. The command line starts in 0.2 s; importing every command takes more than one second.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from pipeline.cli.console import print_diagnostics
from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place


class LazyCommand(TyperCommand):
    """A command whose module is imported when the command runs or prints its help.

    Attributes:
        entry_point: `module:function`; the module is one of this package.
    """

    def __init__(self, name: str, entry_point: str, summary: str) -> None:
        """Name the function to import; `summary` is the first line of its docstring."""
        super().__init__(name, help=summary)
        self.entry_point = entry_point

    def load(self) -> Any:
        """Import the function and return it as a command with options."""
        module, _, function = self.entry_point.partition(":")
        app = typer.Typer(add_completion=False)
        app.command(self.name)(getattr(import_module(f"pipeline.cli.{module}"), function))
        return get_command(app)

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Parse the arguments by the options of the imported command."""
        return self.load().make_context(*args, **kwargs)


LOCK_COMMANDS = (
    LazyCommand(
        "import", "lock:import_lock", "Make the baseline lock of a profile from everything that was ever published."
    ),
    LazyCommand("check", "lock:check", "Check that the protos of a profile are what its lock says."),
    LazyCommand(
        "resolve",
        "lock:resolve",
        "Merge a lock that is in conflict: the published side stays, the other side's new numbers follow.",
    ),
    LazyCommand("show", "lock:show", "Show what the lock remembers of a message or an enum."),
)
COMMANDS = (
    LazyCommand(
        "pr",
        "pull_request:open_pull_request",
        "Build, and create or update the pull request of a profile. The token is read from GITHUB_TOKEN.",
    ),
    LazyCommand(
        "review",
        "review:review",
        "Check that the protos here break nothing that those of another branch promise; writes generated/review.md.",
    ),
    LazyCommand(
        "release",
        "release:release",
        "Put a release together: protos with all comments as zip, the packages that `bindings` made, checksums.",
    ),
    LazyCommand("build", "build:build", "Build the protos of a profile: preprocess, generate, postprocess, promote."),
    LazyCommand(
        "check",
        "check:check",
        "Check what a profile's folder holds, hand edits included, against its lock and everything published before.",
    ),
    LazyCommand(
        "descriptors",
        "descriptors:write_descriptors",
        "Write the FileDescriptorSet, imports included, of the protos that a profile has.",
    ),
    LazyCommand(
        "explain",
        "explain:explain",
        "Say where something comes from, which rules made it, and what its number has meant.",
    ),
    LazyCommand(
        "encode",
        "codec:encode",
        "Encode a request or a response of the REST API: JSON on the standard input, protobuf on the standard output.",
    ),
    LazyCommand(
        "decode",
        "codec:decode",
        "Decode a request or a response: protobuf on the standard input, JSON on the standard output.",
    ),
    LazyCommand(
        "roundtrip", "codec:replay", "Put recorded exchanges through protobuf and back, and write what came back."
    ),
    LazyCommand(
        "bindings",
        "bindings:build_packages",
        "Make packages for Python, Java, Go and TypeScript from the protos of a profile.",
    ),
)
app = TyperGroup(
    commands=[
        *COMMANDS,
        TyperGroup(
            name="lock",
            commands=LOCK_COMMANDS,
            no_args_is_help=True,
            help="The memory of every name and number ever given.",
        ),
    ],
    no_args_is_help=True,
    help="Turn an OpenAPI specification into Protobuf and gRPC definitions that stay compatible for years.",
)


def collect_garbage_rarely() -> None:
    """Run the garbage collector once for 200,000 new objects, and not at exit.

    A build makes five million objects that live until its end. With Python's defaults the collector visits them again
    and again, which takes 60 % more processor time: 17.2 s instead of 10.7 s for `opensearch-full`.
    """
    gc.set_threshold(200_000, 50, 1_000)
    atexit.register(gc.freeze)


def main() -> None:
    """Run the command line and end the process with a documented exit code."""
    collect_garbage_rarely()
    try:
        app()
    except Failure as failure:
        print_diagnostics(failure.diagnostics)
        sys.exit(failure.exit_code)
    except OSError as error:
        place = Place(str(error.filename or ""))
        hint = "make room or give access, then try again"
        message = f"the system refused: {error.strerror or error}"
        print_diagnostics([Diagnostic("environment/system", message, place, hint)])
        # At exit Python flushes the rest of the standard output; a second failure there would change the exit code.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ExitCode.ENVIRONMENT)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
