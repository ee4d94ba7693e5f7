"""Configure buf for the generators of each language, and find these generators."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.model.paths import format_path
from pipeline.packages.naming import PackageNames, derive_default_name, derive_go_path, select_own_files

LANGUAGES = ("python", "java", "go", "typescript")


def configure_plugins(
    language: str, names: PackageNames, descriptors: FileDescriptorSet, tools: Path
) -> list[dict[str, Any]]:
    """Return the `plugins` of a `buf.gen.yaml`; `tools` has a folder with the generators of each language.

    Raises:
        Failure: `environment/no-plugin`.
    """
    if language == "python":
        return _configure_python()
    if language == "java":
        return _configure_java(tools / "java")
    if language == "go":
        return _configure_go(names, descriptors, tools / "go")
    return _configure_typescript(tools / "typescript")


def _configure_python() -> list[dict[str, Any]]:
    protoc = [sys.executable, "-m", "grpc_tools.protoc"]
    stubs = _find_first([Path(sysconfig.get_path("scripts")) / "protoc-gen-mypy_grpc"], "protoc-gen-mypy_grpc")
    return [
        {"protoc_builtin": "python", "protoc_path": protoc, "out": "."},
        {"protoc_builtin": "pyi", "protoc_path": protoc, "out": "."},
        {"local": [sys.executable, "-m", "pipeline.packages.protoc_gen_grpc_python"], "out": "."},
        {"local": [str(stubs)], "out": "."},
    ]


def _configure_java(folder: Path) -> list[dict[str, Any]]:
    out = "src/main/java"
    protoc = _find_first(folder.glob("protoc-[0-9]*.exe"), "protoc of Java")
    grpc = _find_first(folder.glob("protoc-gen-grpc-java*.exe"), "protoc-gen-grpc-java")
    return [{"protoc_builtin": "java", "protoc_path": str(protoc), "out": out}, {"local": str(grpc), "out": out}]


def _configure_go(names: PackageNames, descriptors: FileDescriptorSet, folder: Path) -> list[dict[str, Any]]:
    default = derive_default_name(names.package)
    unnamed = [file for file in select_own_files(descriptors) if not file.options.go_package]
    options = [f"module={names.go_module}", *(f"M{file.name}={derive_go_path(file, default)}" for file in unnamed)]
    programs = [_find_first([folder / name], name) for name in ("protoc-gen-go", "protoc-gen-go-grpc")]
    return [{"local": str(path), "out": ".", "opt": options} for path in programs]


def _configure_typescript(folder: Path) -> list[dict[str, Any]]:
    path = _find_first([folder / "node_modules" / ".bin" / "protoc-gen-es"], "protoc-gen-es")
    options = ["target=ts", "import_extension=js"]
    return [{"local": [str(path)], "out": "src", "opt": options, "include_imports": True}]


def _find_first(candidates: Iterable[Path], name: str) -> Path:
    """Return the first candidate that exists, as an absolute path that can be executed."""
    for path in sorted(candidates):
        if path.is_file():
            if path.suffix == ".exe":
                path.chmod(0o755)  # Maven copies programs as data
            return path.absolute()
    hint = "run `make bindings` with the language's own tools installed (Maven, Go, npm)"
    place = Place(format_path(Path(name)))
    raise Failure(Diagnostic("environment/no-plugin", f"`{name}` is not installed", place, hint), ExitCode.ENVIRONMENT)
