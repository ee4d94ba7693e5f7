"""`spec2proto explain`: print the source, rules, number and JSON of one element of the contract."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pipeline.build.inputs import read_inputs
from pipeline.build.request import Request, fetch_requested_spec, requested_profile
from pipeline.build.stages import read_contract
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
    inputs = read_inputs(request, requested, fetch_requested_spec(request, requested, progress))
    with tempfile.TemporaryDirectory(prefix="spec2proto-") as work:
        result = read_contract(inputs, Path(work), progress)
    print_lines(explain_element(name, result.contract, result.lock))
