"""The commands that publish: pull requests, reviews of them, releases. Like `pipeline.cli.main` they print."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pipeline.build.build import Request
from pipeline.cli.options import (
    GITHUB_API,
    ApiOption,
    BeforeOption,
    OutOption,
    ProfileOption,
    QuietOption,
    RepositoryOption,
    SpecOption,
    VersionOption,
)
from pipeline.progress import Progress


def pr(  # noqa: PLR0913, PLR0917 - one argument an option; the library reads them by name
    profile: ProfileOption = None,
    spec: SpecOption = None,
    out: OutOption = None,
    opensearch_version: VersionOption = None,
    before: BeforeOption = None,
    spec_commit: Annotated[str | None, typer.Option(help="The commit of the specification, for the title.")] = None,
    remote: Annotated[str, typer.Option(help="The git remote that the branch goes to.")] = "origin",
    base: Annotated[str | None, typer.Option(help="The branch to merge into; the remote's default branch.")] = None,
    repository: RepositoryOption = None,
    api: ApiOption = GITHUB_API,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Push and send nothing; print everything.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Build, and create or update the pull request of a profile. The token is read from GITHUB_TOKEN."""
    from pipeline.publish.pull_request import Options, pull_request  # noqa: PLC0415 - other commands need no GitHub

    console = Console(width=None if sys.stdout.isatty() else 200)
    request = Request(
        profile or "opensearch", spec or None, out, opensearch_version=opensearch_version or None, before=before or None
    )
    token = os.environ.get("GITHUB_TOKEN", "")
    options = Options(remote, base or None, repository or None, api, spec_commit or None, token, dry_run)
    result = pull_request(request, options, Progress(console, quiet=quiet))
    for line in result.lines:
        typer.echo(line)
    if result.refused:
        raise result.refused


def review(
    base: Annotated[str, typer.Option(help="The commit or branch that the change is to be merged into.")],
    profile: Annotated[list[str] | None, typer.Option("--profile", "-p", help="Only these profiles.")] = None,
    comment: Annotated[int, typer.Option(help="The number of the pull request to comment on; 0 for none.")] = 0,
    repository: RepositoryOption = None,
    api: ApiOption = GITHUB_API,
) -> None:
    """Check that the protos here break nothing that those of another branch promise; writes generated/review.md."""
    from pipeline.publish import review as reviews  # noqa: PLC0415 - other commands need no GitHub

    token = os.environ.get("GITHUB_TOKEN", "")
    options = reviews.Options(base, tuple(profile or ()), comment or None, repository or None, api, token)
    lines, refused = reviews.outcome(reviews.review(options))
    for line in lines:
        typer.echo(line)
    if refused:
        raise refused


def release(
    tag: Annotated[str, typer.Option(envvar="TAG", help="The version, with or without a `v`.")],
    profile: Annotated[list[str] | None, typer.Option("--profile", "-p", help="Which profiles.")] = None,
    spec: SpecOption = None,
    out: Annotated[Path | None, typer.Option(help="The folder; generated/release.")] = None,
    quiet: QuietOption = False,
) -> None:
    """Put a release together: protos with all comments as zip, the packages that `bindings` made, checksums."""
    from pipeline.publish.release import release as made  # noqa: PLC0415 - other commands need none of it

    progress = Progress(Console(width=None if sys.stdout.isatty() else 200), quiet=quiet)
    for line in made(Request(spec=spec), profile or ["opensearch", "opensearch-full"], tag, out, progress):
        typer.echo(line)


def add_to(app: typer.Typer) -> None:
    """Add the commands to a command line."""
    app.command("pr")(pr)
    app.command("review")(review)
    app.command("release")(release)
