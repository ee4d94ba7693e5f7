"""`spec2proto release`: collect the files of a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.build.request import Request
from pipeline.cli.console import open_console, print_lines
from pipeline.cli.options import QuietOption, SpecOption
from pipeline.progress import Progress
from pipeline.publish import release as library


def release(
    tag: Annotated[str, typer.Option(envvar="TAG", help="The version, with or without a `v`.")],
    profile: Annotated[list[str] | None, typer.Option("--profile", "-p", help="Which profiles.")] = None,
    spec: SpecOption = None,
    out: Annotated[Path | None, typer.Option(help="The folder; generated/release.")] = None,
    quiet: QuietOption = False,
) -> None:
    """Put a release together: protos with all comments as zip, the packages that `bindings` made, checksums."""
    profiles = profile or ["opensearch", "opensearch-full"]
    print_lines(library.collect_release(Request(spec=spec), profiles, tag, out, Progress(open_console(), quiet=quiet)))
