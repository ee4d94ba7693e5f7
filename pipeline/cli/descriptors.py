"""`spec2proto descriptors`: compile the protos of a profile into one FileDescriptorSet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.options import DEFAULT_PROFILE, OutOption, ProfileOption
from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.model.profile.load import load_profile
from pipeline.workspace import locate_protos
from postprocess.tools.protoc import compile_folder


def write_descriptors(
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    profile: ProfileOption = None,
    out: OutOption = None,
) -> None:
    """Write the FileDescriptorSet, imports included, of the protos that a profile has."""
    loaded = load_profile(profile or DEFAULT_PROFILE)
    descriptors = compile_folder(locate_protos(loaded, out), loaded.name)
    try:
        output.write_bytes(descriptors.SerializeToString(deterministic=True))
    except OSError as error:
        raise report_unwritable(output, error) from None


def report_unwritable(path: Path, error: OSError) -> Failure:
    """Return the failure for a file that a command was asked to write and could not."""
    hint = "name a file in a folder that exists and can be written to"
    message = f"cannot write: {error.strerror}"
    return Failure(Diagnostic("output/not-written", message, Place(str(path)), hint), ExitCode.ENVIRONMENT)
