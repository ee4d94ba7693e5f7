"""Compile protos with protoc."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from postprocess.tools.imports import INCLUDE, are_validated, place_validate
from postprocess.tools.process import run_tool

_MESSAGE = re.compile(r"^(?P<file>[^:]+):(?:(?P<line>\d+):(?P<column>\d+):)? (?P<text>.*)$")


def compile_protos(folder: Path, names: Iterable[str], *, sources: bool = True) -> FileDescriptorSet:
    """The descriptors of proto files, imports included.

    Args:
        folder: what imports are relative to.
        names: the files, relative to it.
        sources: whether they have comments and source locations.

    Raises:
        Failure: `proto/compile`, one diagnostic for each thing that protoc says; `environment/tool`.
    """
    with TemporaryDirectory() as work:
        output = Path(work) / "descriptors.binpb"
        include = [folder, files("grpc_tools") / "_proto", INCLUDE]
        if are_validated(folder):
            place_validate(Path(work))
            include.append(Path(work))
        command = [sys.executable, "-m", "grpc_tools.protoc", *(f"-I{path}" for path in include)]
        command += ["--include_imports", *(["--include_source_info"] if sources else [])]
        done = run_tool([*command, f"--descriptor_set_out={output}", *sorted(names)])
        if done.returncode != 0:
            lines = [line.removeprefix(f"{folder}/") for line in done.stderr.splitlines() if line.strip()]
            raise Failure(map(_diagnostic, lines), ExitCode.REFUSED)
        return FileDescriptorSet.FromString(output.read_bytes())


def _diagnostic(line: str) -> Diagnostic:
    found = _MESSAGE.match(line)
    if found is None:
        return Diagnostic("proto/compile", line, hint="report it with the canonical spec")
    number, column = (int(found[key] or 0) for key in ("line", "column"))
    return Diagnostic(
        "proto/compile", found["text"], Place(found["file"], number, column), "report it with the canonical spec"
    )
