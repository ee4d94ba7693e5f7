"""`spec2proto build`: build the protos of a profile, then print a summary or the report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pipeline.build import build as library
from pipeline.build.request import Outcome, Request, requested_profile
from pipeline.cli import options
from pipeline.cli.console import open_console, print_diagnostics
from pipeline.model.paths import format_path
from pipeline.model.profile.profile import Comments
from pipeline.progress import Progress
from pipeline.workspace import locate_work_folder


def build(
    profile: options.ProfileOption = None,
    spec: options.SpecOption = None,
    out: options.OutOption = None,
    lock: Annotated[Path | None, typer.Option(help="Begin with this lock instead of the result's own.")] = None,
    opensearch_version: options.VersionOption = None,
    groups: Annotated[str | None, typer.Option(help="Operation groups, separated by commas.")] = None,
    comments: Annotated[str | None, typer.Option(help="How much the protos explain: none, reference or full.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if a build would change anything.")
    ] = False,
    before: options.BeforeOption = None,
    report: Annotated[bool, typer.Option("--report", help="End with the report.")] = False,
    quiet: options.QuietOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Build the protos of a profile: preprocess, generate, postprocess, promote."""
    console = open_console()
    request = Request(
        profile=profile or ("generic" if spec and out else options.DEFAULT_PROFILE),
        spec=spec,
        out=out,
        lock=lock,
        opensearch_version=opensearch_version,
        groups=tuple(name.strip() for name in groups.split(",") if name.strip()) if groups else (),
        comments=_parse_comments(comments),
        check=check,
        before=before,
    )
    outcome = library.build(request, Progress(console, quiet=quiet, verbose=verbose))
    print_diagnostics(outcome.warnings)
    if quiet:
        return
    for line in list_summary(outcome, request, verbose=verbose):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if report:
        print_report(outcome, request, console)


def _parse_comments(value: str | None) -> Comments | None:
    allowed: dict[str, Comments] = {"none": "none", "reference": "reference", "full": "full"}
    if value is None or value in allowed:
        return allowed[value] if value else None
    raise typer.BadParameter(f"{value!r} is none of {', '.join(allowed)}", param_hint="--comments")


def list_summary(outcome: Outcome, request: Request, *, verbose: bool) -> Iterator[str]:
    """Yield the last lines of a build: its specification, and how many files it changed."""
    spec = outcome.spec
    yield f"spec        {spec.origin} ({spec.how}), SHA-256 {spec.sha256}"
    where = format_path(outcome.target)
    if not outcome.changed:
        yield f"unchanged   {where} is what a build makes"
        return
    yield f"written     {where}: {len(outcome.changed)} files changed"
    if verbose:
        yield from (f"            {name}" for name in outcome.changed)
    yield f"report      {format_path(locate_work_folder(requested_profile(request)) / 'report.md')}"


def print_report(outcome: Outcome, request: Request, console: Console) -> None:
    """Print the report of this build; if nothing was built, print the report of the last build."""
    text = outcome.report
    if not text:
        path = locate_work_folder(requested_profile(request)) / "report.md"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if console.is_terminal:
        from rich.markdown import Markdown  # noqa: PLC0415 - only this option needs it

        console.print(Markdown(text))
    else:
        console.print(text, markup=False, highlight=False, soft_wrap=True)
