"""The stock generators and compilers of three languages, where they are at hand."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from postprocess.tools.imports import INCLUDE, has_validate_import, write_validate
from postprocess.tools.validate_proto import VALIDATE
from tests.parts import Part, absent
from tests.support import TOOLS

JAVA = TOOLS / "languages" / "java"
GO = TOOLS / "languages" / "go"
INCLUDES = [f"-I{files('grpc_tools') / '_proto'}", f"-I{INCLUDE}"]
GO_RUNTIME = [
    "google.golang.org/protobuf@v1.36.12",
    "google.golang.org/grpc@v1.85.0",
    "google.golang.org/genproto/googleapis/api@v0.0.0-20260921155816-b14227669459",
]


def run(command: list[str | Path], folder: Path | None = None, **environ: str) -> str:
    """Run a tool; what it prints is the failure's text."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=os.environ | environ,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    text = done.stdout + done.stderr
    assert done.returncode == 0, text[-4000:]
    return text


def names(protos: Path) -> list[str]:
    """The proto files of a folder."""
    return sorted(str(path.relative_to(protos)) for path in protos.rglob("*.proto"))


def includes(protos: Path) -> list[str]:
    """What imports are relative to."""
    return [f"-I{protos}", *INCLUDES, *([f"-I{_validate().name}"] if has_validate_import(protos) else [])]


@cache
def _validate() -> TemporaryDirectory[str]:
    """A folder with what protos with constraints import; it goes when the tests end."""
    folder = TemporaryDirectory(prefix="validate-")
    write_validate(Path(folder.name))
    return folder


def imported(protos: Path) -> list[str]:
    """What code has to be generated of besides, as no package on the path has it."""
    return [VALIDATE] if has_validate_import(protos) else []


def generate_python(protos: Path, output: Path) -> None:
    """Python messages with their stubs."""
    output.mkdir()
    tool = [sys.executable, "-m", "grpc_tools.protoc", *includes(protos)]
    target = [f"--python_out={output}", f"--pyi_out={output}", f"--grpc_python_out={output}"]
    run([*tool, *target, *names(protos), *imported(protos)])
    for folder in output.rglob("*/"):
        # Another package of the same first name, installed elsewhere, must not hide this one.
        (folder / "__init__.py").touch()


def import_python(output: Path) -> None:
    """Import all modules that were made, in a process of their own."""
    modules = [str(path.relative_to(output).with_suffix("")).replace("/", ".") for path in output.rglob("*_pb2*.py")]
    run([sys.executable, "-c", "".join(f"import {module}\n" for module in sorted(modules))], PYTHONPATH=str(output))


def generate_java(protos: Path, output: Path) -> None:
    """Java messages and services."""
    output.mkdir()
    protoc, plugin = _java_tool("protoc-4"), _java_tool("protoc-gen-grpc-java")
    target = [f"--java_out={output}", f"--plugin=protoc-gen-grpc-java={plugin}", f"--grpc-java_out={output}"]
    run([protoc, *includes(protos), *target, *names(protos), *imported(protos)])


def compile_java(output: Path, classes: Path) -> None:
    """Compile what was made."""
    javac = shutil.which("javac")
    if javac is None:
        absent(Part.JAVA, "there is no javac on the path")
    sources = classes.with_suffix(".txt")
    sources.write_text("\n".join(f'"{path}"' for path in sorted(output.rglob("*.java"))))
    path = os.pathsep.join(map(str, sorted(JAVA.glob("*.jar"))))
    run([javac, "-nowarn", "-proc:none", "-J-Xmx3g", "-cp", path, "-d", classes, f"@{sources}"])


def _java_tool(stem: str) -> Path:
    found = sorted(JAVA.glob(f"{stem}*.exe"))
    if not found:
        absent(Part.JAVA, f"{stem} is not in {JAVA}; `make test` gets it where Maven is installed")
    found[0].chmod(0o755)
    return found[0]


def generate_go(protos: Path, output: Path, module: str) -> None:
    """Go messages and services, as a module of the given name; files without a package in it get the module's own."""
    output.mkdir()
    plugins = [GO / "protoc-gen-go", GO / "protoc-gen-go-grpc"]
    if not all(plugin.is_file() for plugin in plugins):
        absent(Part.GO, f"protoc-gen-go is not in {GO}; `make test` gets it where Go is installed")
    options = [f"--plugin={plugin}" for plugin in plugins]
    for kind in ("go", "go-grpc"):
        options += [f"--{kind}_out={output}", f"--{kind}_opt=module={module}"]
        options += [f"--{kind}_opt=M{name}={module}/validate" for name in imported(protos)]
        options += [
            f"--{kind}_opt=M{name}={module}/gen"
            for name in names(protos)
            if "option go_package" not in (protos / name).read_text()
        ]
    tool = [sys.executable, "-m", "grpc_tools.protoc", *includes(protos)]
    run([*tool, *options, *names(protos), *imported(protos)])


def vet_go(output: Path, module: str) -> None:
    """Compile and vet what was made."""
    if shutil.which("go") is None:
        absent(Part.GO, "there is no Go on the path")
    run(["go", "mod", "init", module], output)
    run(["go", "get", *GO_RUNTIME], output)
    run(["go", "vet", "./..."], output)


def generate_gateway(protos: Path, output: Path) -> str:
    """What grpc-gateway serves the HTTP forms of all rpcs with, as text."""
    plugin = GO / "protoc-gen-grpc-gateway"
    if not plugin.is_file():
        absent(Part.GO, f"protoc-gen-grpc-gateway is not in {GO}; `make test` gets it where Go is installed")
    output.mkdir()
    options = ",".join(["allow_delete_body=true", *(f"M{name}=example.org/api;api" for name in names(protos))])
    target = [f"--plugin={plugin}", f"--grpc-gateway_out={output}", f"--grpc-gateway_opt={options}"]
    run([sys.executable, "-m", "grpc_tools.protoc", *includes(protos), *target, *names(protos)])
    return "".join(path.read_text() for path in sorted(output.rglob("*.pb.gw.go")))
