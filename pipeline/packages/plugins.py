"""The stock generators of each language, as buf is told of them, and where they are."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.model.paths import format_path
from pipeline.packages.naming import Naming, go_path, own_files

LANGUAGES = ("python", "java", "go", "typescript")


def plugins(language: str, names: Naming, descriptors: FileDescriptorSet, tools: Path) -> list[dict[str, Any]]:
    """The `plugins` of a buf.gen.yaml.

    Args:
        language: one of LANGUAGES.
        names: of the packages.
        descriptors: of the protos.
        tools: the folder where the generators of the languages are.

    Raises:
        Failure: `environment/no-plugin`.
    """
    if language == "python":
        return _python()
    if language == "java":
        return _java(tools / "java")
    if language == "go":
        return _go(names, descriptors, tools / "go")
    return _typescript(tools / "typescript")


def _python() -> list[dict[str, Any]]:
    protoc = [sys.executable, "-m", "grpc_tools.protoc"]
    stubs = _first([Path(sysconfig.get_path("scripts")) / "protoc-gen-mypy_grpc"], "protoc-gen-mypy_grpc")
    return [
        {"protoc_builtin": "python", "protoc_path": protoc, "out": "."},
        {"protoc_builtin": "pyi", "protoc_path": protoc, "out": "."},
        {"local": [sys.executable, "-m", "pipeline.packages.protoc_gen_grpc_python"], "out": "."},
        {"local": [str(stubs)], "out": "."},
    ]


def _java(folder: Path) -> list[dict[str, Any]]:
    out = "src/main/java"
    protoc = _first(folder.glob("protoc-[0-9]*.exe"), "protoc of Java")
    grpc = _first(folder.glob("protoc-gen-grpc-java*.exe"), "protoc-gen-grpc-java")
    return [
        {"protoc_builtin": "java", "protoc_path": str(protoc), "out": out},
        {"local": str(grpc), "out": out},
    ]


def _go(names: Naming, descriptors: FileDescriptorSet, folder: Path) -> list[dict[str, Any]]:
    words = names.package.replace(".", "-").replace("_", "-")
    unnamed = [file for file in own_files(descriptors) if not file.options.go_package]
    options = [f"module={names.go_module}", *(f"M{file.name}={go_path(file, words)}" for file in unnamed)]
    found = [_first([folder / name], name) for name in ("protoc-gen-go", "protoc-gen-go-grpc")]
    return [{"local": str(path), "out": ".", "opt": options} for path in found]


def _typescript(folder: Path) -> list[dict[str, Any]]:
    path = _first([folder / "node_modules" / ".bin" / "protoc-gen-es"], "protoc-gen-es")
    options = ["target=ts", "import_extension=js"]
    return [{"local": [str(path)], "out": "src", "opt": options, "include_imports": True}]


def _first(candidates: Iterable[Path], name: str) -> Path:
    """The first that is there, ready to run."""
    for path in sorted(candidates):
        if path.is_file():
            if path.suffix == ".exe":
                path.chmod(0o755)  # Maven copies programs as data
            return path.absolute()
    hint = "run `make bindings` with the language's own tools installed (Maven, Go, npm)"
    place = Place(format_path(Path(name)))
    raise Failure(Diagnostic("environment/no-plugin", f"`{name}` is not installed", place, hint), ExitCode.ENVIRONMENT)
