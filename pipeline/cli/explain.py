"""`spec2proto explain`: print the source, rules, number and JSON of one element of the contract."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pipeline.build.build import Request, fetch, inputs_of, requested_profile
from pipeline.build.stages import run_preprocess
from pipeline.cli.console import print_lines
from pipeline.cli.options import DEFAULT_PROFILE, ProfileOption, SpecOption
from pipeline.explain.explain import explain as explain_element
from pipeline.progress import Progress


def explain(
    name: Annotated[str, typer.Argument(help="Message, Message.field, Enum.VALUE or Service/Rpc.")],
    profile: ProfileOption = None,
    spec: SpecOption = None,
) -> None:
    """Say where something comes from, which rules made it, and what its number has meant."""
    request = Request(profile=profile or DEFAULT_PROFILE, spec=spec)
    requested = requested_profile(request)
    progress = Progress(Console(stderr=True), quiet=True)
    inputs = inputs_of(request, requested, fetch(request, requested, progress))
    with tempfile.TemporaryDirectory(prefix="spec2proto-") as work:
        preprocessed = run_preprocess(inputs, Path(work), progress)
    print_lines(explain_element(name, preprocessed.contract, preprocessed.lock))
