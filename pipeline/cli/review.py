"""`spec2proto review`: compare the protos of the checkout with those of another branch."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from pipeline.cli.console import print_lines
from pipeline.cli.options import GITHUB_API, ApiOption, RepositoryOption
from pipeline.publish import review as library


def review(
    base: Annotated[str, typer.Option(help="The commit or branch that the change is to be merged into.")],
    profile: Annotated[list[str] | None, typer.Option("--profile", "-p", help="Only these profiles.")] = None,
    comment: Annotated[int, typer.Option(help="The number of the pull request to comment on; 0 for none.")] = 0,
    repository: RepositoryOption = None,
    api: ApiOption = GITHUB_API,
) -> None:
    """Check that the protos here break nothing that those of another branch promise; writes generated/review.md."""
    token = os.environ.get("GITHUB_TOKEN", "")
    options = library.Options(base, tuple(profile or ()), comment or None, repository or None, api, token)
    lines, refused = library.summarize_reviews(library.review_changes(options))
    print_lines(lines)
    if refused:
        raise refused
