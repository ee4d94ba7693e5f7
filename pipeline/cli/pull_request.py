"""`spec2proto pr`: build a profile and propose the result as a pull request."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from pipeline.build.request import Request
from pipeline.cli import options
from pipeline.cli.console import open_console, print_lines
from pipeline.progress import Progress
from pipeline.publish.pull_request import Options, create_pull_request


def open_pull_request(
    profile: options.ProfileOption = None,
    spec: options.SpecOption = None,
    out: options.OutOption = None,
    opensearch_version: options.VersionOption = None,
    before: options.BeforeOption = None,
    spec_commit: Annotated[str | None, typer.Option(help="The commit of the specification, for the title.")] = None,
    remote: Annotated[str, typer.Option(help="The git remote that the branch goes to.")] = "origin",
    base: Annotated[str | None, typer.Option(help="The branch to merge into; the remote's default branch.")] = None,
    repository: options.RepositoryOption = None,
    api: options.ApiOption = options.GITHUB_API,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Push and send nothing; print everything.")] = False,
    quiet: options.QuietOption = False,
) -> None:
    """Build, and create or update the pull request of a profile. The token is read from GITHUB_TOKEN."""
    request = Request(
        profile=profile or options.DEFAULT_PROFILE,
        spec=spec or None,
        out=out,
        opensearch_version=opensearch_version or None,
        before=before or None,
    )
    token = os.environ.get("GITHUB_TOKEN", "")
    proposal = Options(remote, base or None, repository or None, api, spec_commit or None, token, dry_run)
    result = create_pull_request(request, proposal, Progress(open_console(), quiet=quiet))
    print_lines(result.lines)
    if result.refused:
        raise result.refused
