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
from pipeline.model.paths import format_path
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


def compile_folder(folder: Path, profile_name: str) -> FileDescriptorSet:
    """Compile all protos of a result folder and return their descriptors, imports included.

    Args:
        folder: the result of a build, below which all `.proto` files are compiled.
        profile_name: named in the hint if the folder has no protos.

    Raises:
        Failure: `output/none` if the folder has no protos; what `compile_protos` raises.
    """
    names = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*.proto"))]
    if not names:
        hint = f"run `spec2proto build --profile {profile_name}` first"
        raise Failure(Diagnostic("output/none", "there are no protos", Place(format_path(folder)), hint))
    with TemporaryDirectory(prefix="spec2proto-") as copy:
        for name in names:
            path = Path(copy) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes((folder / name).read_bytes())
        return compile_protos(Path(copy), names)


def _diagnostic(line: str) -> Diagnostic:
    found = _MESSAGE.match(line)
    if found is None:
        return Diagnostic("proto/compile", line, hint="report it with the canonical spec")
    number, column = (int(found[key] or 0) for key in ("line", "column"))
    return Diagnostic(
        "proto/compile", found["text"], Place(found["file"], number, column), "report it with the canonical spec"
    )
