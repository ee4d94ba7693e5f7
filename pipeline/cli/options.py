"""The options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ProfileOption = Annotated[str | None, typer.Option("--profile", "-p", help="A bundled profile, or a profile's file.")]
SpecOption = Annotated[
    str | None, typer.Option("--spec", envvar="SPEC", help="The specification: a file or an address.")
]
OutOption = Annotated[
    Path | None, typer.Option("--out", help="Put the whole result here instead of protos/<profile>/.")
]
BeforeOption = Annotated[
    str | None, typer.Option(help="The specification that the result of before was made from, for the report.")
]
VersionOption = Annotated[str | None, typer.Option(help="The version of the API to build for.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but what is wrong.")]
VerboseOption = Annotated[bool, typer.Option("--verbose", "-v", help="Say more.")]
RepositoryOption = Annotated[
    str | None, typer.Option(envvar="GITHUB_REPOSITORY", help="owner/name; from the remote's address.")
]
ApiOption = Annotated[str, typer.Option(envvar="GITHUB_API_URL", help="The address of GitHub's API.")]
DEFAULT_PROFILE = "opensearch"
GITHUB_API = "https://api.github.com"
UNRELEASED = "0.0.0"
