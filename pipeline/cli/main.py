"""The command line: reads arguments, prints, exits; `publish_cli` has the commands that publish."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pipeline.build.build import Request, build
from pipeline.cli import codec as codec_commands
from pipeline.cli import commands, publish
from pipeline.cli.options import (
    UNRELEASED,
    BeforeOption,
    OutOption,
    ProfileOption,
    QuietOption,
    SpecOption,
    VerboseOption,
    VersionOption,
)
from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place, Severity
from pipeline.model.profile.profile import Comments
from pipeline.progress import Progress

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Turn an OpenAPI specification into Protobuf and gRPC definitions that stay compatible for years.",
)
lock_app = typer.Typer(no_args_is_help=True, help="The memory of every name and number ever given.")
app.add_typer(lock_app, name="lock")
publish.add_to(app)


def main() -> None:
    """Run the command line; ends the process with one of the documented exit codes."""
    try:
        app(standalone_mode=True)
    except Failure as failure:
        tell(failure.diagnostics)
        sys.exit(failure.exit_code)
    except OSError as error:
        place = Place(str(error.filename or ""))
        hint = "make room or give access, then try again"
        tell([Diagnostic("environment/system", f"the system refused: {error.strerror or error}", place, hint)])
        # What could not be printed must not be tried again at the end: Python would change the exit code.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ExitCode.ENVIRONMENT)
    except KeyboardInterrupt:
        sys.exit(130)


def tell(diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics, one a line, to the standard error."""
    errors = Console(stderr=True)
    for diagnostic in diagnostics:
        colour = {Severity.WARNING: "yellow", Severity.NOTE: "cyan"}.get(diagnostic.severity, "red")
        style = colour if errors.is_terminal else None
        errors.print(str(diagnostic), style=style, markup=False, highlight=False, soft_wrap=True)


@app.command("build")
def build_command(  # noqa: PLR0913, PLR0917 - one argument an option; the library reads them by name
    profile: ProfileOption = None,
    spec: SpecOption = None,
    out: OutOption = None,
    lock: Annotated[Path | None, typer.Option(help="Begin with this lock instead of the result's own.")] = None,
    opensearch_version: VersionOption = None,
    groups: Annotated[str | None, typer.Option(help="Operation groups, separated by commas.")] = None,
    comments: Annotated[str | None, typer.Option(help="How much the protos explain: none, reference or full.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if a build would change anything.")
    ] = False,
    before: BeforeOption = None,
    report: Annotated[bool, typer.Option("--report", help="End with the report.")] = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Build the protos of a profile: preprocess, generate, postprocess, promote."""
    console = Console(width=None if sys.stdout.isatty() else 200)
    progress = Progress(console, quiet=quiet, verbose=verbose)
    request = Request(
        profile=profile or ("generic" if spec and out else "opensearch"),
        spec=spec,
        out=out,
        lock=lock,
        opensearch_version=opensearch_version,
        groups=tuple(name.strip() for name in groups.split(",") if name.strip()) if groups else (),
        comments=_comments(comments),
        check=check,
        before=before,
    )
    outcome = build(request, progress)
    tell(outcome.warnings)
    if quiet:
        return
    for line in commands.summary(outcome, request, verbose=verbose):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if report:
        commands.print_report(outcome, request, console)


def _comments(value: str | None) -> Comments | None:
    allowed: dict[str, Comments] = {"none": "none", "reference": "reference", "full": "full"}
    if value is None or value in allowed:
        return allowed[value] if value else None
    raise typer.BadParameter(f"{value!r} is none of {', '.join(allowed)}", param_hint="--comments")


@app.command()
def check(
    profile: ProfileOption = None,
    out: OutOption = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="What counts as published: a commit, branch or tag, or a lock's file; else what is committed."
        ),
    ] = None,
) -> None:
    """Check what a profile's folder holds, hand edits included, against its lock and everything published before."""
    from pipeline.publish.gate import check_result  # noqa: PLC0415 - heavy

    typer.echo(check_result(profile or "opensearch", out, against))


@app.command()
def descriptors(
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    profile: ProfileOption = None,
    out: OutOption = None,
) -> None:
    """Write the FileDescriptorSet, imports included, of the protos that a profile has."""
    commands.write_descriptors(profile or "opensearch", out, output)


@app.command()
def explain(
    name: Annotated[str, typer.Argument(help="Message, Message.field, Enum.VALUE or Service/Rpc.")],
    profile: ProfileOption = None,
    spec: SpecOption = None,
) -> None:
    """Say where something comes from, which rules made it, and what its number has meant."""
    for line in commands.explain_lines(Request(profile=profile or "opensearch", spec=spec), name):
        typer.echo(line)


OperationOption = Annotated[str, typer.Option("--operation", help="An operation group, or Service/Rpc.")]
SideOption = Annotated[codec_commands.Side, typer.Option("--side", help="The request or the response of it.")]
UnknownOption = Annotated[
    codec_commands.Unknown, typer.Option("--unknown", help="What becomes of keys that the contract does not have.")
]


DocumentsOption = Annotated[
    codec_commands.Documents, typer.Option("--documents", help="How documents in bytes are encoded.")
]


@app.command()
def encode(
    operation: OperationOption,
    side: SideOption,
    profile: ProfileOption = None,
    out: OutOption = None,
    unknown: UnknownOption = "error",
    documents: DocumentsOption = "json",
) -> None:
    """Encode a request or an answer of the REST API: JSON on the standard input, protobuf on the standard output."""
    codec = codec_commands.codec_of(profile or "opensearch", out, unknown, documents)
    content = sys.stdin.buffer.read()
    sys.stdout.buffer.write(codec_commands.encode(codec, operation, side, content))


@app.command()
def decode(
    operation: OperationOption,
    side: SideOption,
    profile: ProfileOption = None,
    out: OutOption = None,
    failed: Annotated[bool, typer.Option("--failed", help="The bytes are a google.rpc.Status.")] = False,
) -> None:
    """Decode a request or an answer: protobuf on the standard input, JSON on the standard output."""
    codec = codec_commands.codec_of(profile or "opensearch", out, "error")
    found = codec_commands.decode(codec, operation, side, sys.stdin.buffer.read(), failed=failed)
    typer.echo(json.dumps(found, ensure_ascii=False))


@app.command()
def roundtrip(
    exchanges: Annotated[Path, typer.Argument(help="Recorded exchanges, one JSON object a line.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write, one result a line.")],
    profile: ProfileOption = None,
    out: OutOption = None,
    unknown: UnknownOption = "keep",
    documents: DocumentsOption = "json",
) -> None:
    """Put recorded exchanges through protobuf and back, and write what came back."""
    codec = codec_commands.codec_of(profile or "opensearch", out, unknown, documents)
    with output.open("w", encoding="utf-8") as handle:
        for result in codec_commands.roundtrip(codec, exchanges):
            handle.write(json.dumps(result, ensure_ascii=False) + "\n")


@app.command("bindings")
def bindings_of(
    profile: ProfileOption = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", "-l", help="python, java, go or typescript; all without it.")
    ] = None,
    package_version: Annotated[str, typer.Option(help="The version of the packages.")] = UNRELEASED,
    protos: Annotated[Path | None, typer.Option(help="Protos other than protos/<profile>/.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Where a folder for each language goes.")] = None,
) -> None:
    """Make packages for Python, Java, Go and TypeScript from the protos of a profile."""
    from pipeline.cli import bindings  # noqa: PLC0415 - heavy

    progress = Progress(Console(width=None if sys.stdout.isatty() else 200))
    lines = bindings.bindings(
        profile or "opensearch", language or (), version=package_version, protos=protos, out=out, progress=progress
    )
    for line in lines:
        typer.echo(line)


@lock_app.command("import")
def lock_import(
    sources: Annotated[list[str], typer.Argument(help="Releases, oldest first: files, folders, or one package name.")],
    profile: ProfileOption = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write the lock.")] = None,
) -> None:
    """Make the baseline lock of a profile from everything that was ever published."""
    typer.echo(commands.import_lock(profile or "opensearch", sources, output))


@lock_app.command("check")
def lock_check(profile: ProfileOption = None, out: OutOption = None) -> None:
    """Check that the protos of a profile are what its lock says."""
    typer.echo(commands.check_lock_of(profile or "opensearch", out))


@lock_app.command("resolve")
def lock_resolve(
    profile: ProfileOption = None,
    out: OutOption = None,
    published: Annotated[
        str | None, typer.Option(help="The side whose numbers stay, ours or theirs; else what is merged in or onto.")
    ] = None,
    files: Annotated[
        list[Path] | None, typer.Argument(help="Base, ours and theirs, from the index of git if left out.")
    ] = None,
) -> None:
    """Merge a lock that is in conflict: the published side stays, the other side's new numbers follow."""
    from pipeline.publish.lock_resolve import resolve_lock  # noqa: PLC0415 - heavy

    for line in resolve_lock(profile or "opensearch", out, files or [], published):
        typer.echo(line)


@lock_app.command("show")
def lock_show(
    message: Annotated[str, typer.Argument(help="A message or an enum.")], profile: ProfileOption = None
) -> None:
    """Show what the lock remembers of a message or an enum."""
    for line in commands.lock_lines(profile or "opensearch", message):
        typer.echo(line)


if __name__ == "__main__":
    main()

__all__ = ["ExitCode", "main"]
