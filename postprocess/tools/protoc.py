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
from postprocess.tools.imports import INCLUDE, has_validate_import, write_validate
from postprocess.tools.process import run_tool
from postprocess.tools.proto_folder import copy_protos, list_protos

_ERROR = re.compile(r"^(?P<file>[^:]+):(?:(?P<line>\d+):(?P<column>\d+):)? (?P<text>.*)$")
_HINT = "report it with the canonical spec"


def compile_protos(folder: Path, names: Iterable[str], *, sources: bool = True) -> FileDescriptorSet:
    """Compile proto files below a folder and return their descriptors, imports included.

    With `sources`, the descriptors have comments and source locations.

    Raises:
        Failure: `proto/compile`, one diagnostic for each error of protoc; `environment/tool`.
    """
    with TemporaryDirectory() as work:
        output = Path(work) / "descriptors.binpb"
        include = [folder, files("grpc_tools") / "_proto", INCLUDE]
        if has_validate_import(folder):
            write_validate(Path(work))
            include.append(Path(work))
        command = [sys.executable, "-m", "grpc_tools.protoc", *(f"-I{path}" for path in include)]
        command += ["--include_imports", *(["--include_source_info"] if sources else [])]
        process = run_tool([*command, f"--descriptor_set_out={output}", *sorted(names)])
        if process.returncode != 0:
            lines = [line.removeprefix(f"{folder}/") for line in process.stderr.splitlines() if line.strip()]
            raise Failure(map(_parse_error, lines), ExitCode.REFUSED)
        return FileDescriptorSet.FromString(output.read_bytes())


def compile_folder(folder: Path, profile_name: str) -> FileDescriptorSet:
    """Compile all protos of the result folder of a profile and return their descriptors, imports included.

    Raises:
        Failure: `output/none` if the folder has no protos; what `compile_protos` raises.
    """
    if names := list_protos(folder):
        with copy_protos(folder) as copy:
            return compile_protos(copy, names)
    hint = f"run `spec2proto build --profile {profile_name}` first"
    raise Failure(Diagnostic("output/none", "there are no protos", Place(format_path(folder)), hint))


def _parse_error(line: str) -> Diagnostic:
    if error := _ERROR.match(line):
        place = Place(error["file"], int(error["line"] or 0), int(error["column"] or 0))
        return Diagnostic("proto/compile", error["text"], place, _HINT)
    return Diagnostic("proto/compile", line, hint=_HINT)
