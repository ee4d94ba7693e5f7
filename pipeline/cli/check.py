"""`spec2proto check`: compare a result with its lock and with everything published before."""

from __future__ import annotations

from typing import Annotated

import typer

from pipeline.cli.options import DEFAULT_PROFILE, OutOption, ProfileOption
from pipeline.publish.gate import check_result


def check(
    profile: ProfileOption = None,
    out: OutOption = None,
    against: Annotated[
        str | None, typer.Option(help="What counts as published: a commit, branch, tag or lock file; else HEAD.")
    ] = None,
) -> None:
    """Check what a profile's folder holds, hand edits included, against its lock and everything published before."""
    typer.echo(check_result(profile or DEFAULT_PROFILE, out, against))
