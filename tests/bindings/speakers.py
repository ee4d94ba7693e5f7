"""Programs of each language that encode and decode the messages of a profile's package."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from pipeline.model.profile.load import load_profile
from pipeline.packages.naming import PackageNames, derive_names
from postprocess.tools.protoc import compile_folder
from tests.bindings.projects import PROGRAMS, java_path_of, project, python_of, run
from tests.support import ROOT

Speaker = Callable[[str, list[tuple[str, object]]], list[str]]


def names_of(profile: str) -> PackageNames:
    """The names of a profile's packages."""
    loaded = load_profile(profile)
    return derive_names(loaded, compile_folder(ROOT / "protos" / profile, profile), "0.0.0")


def speaker(profile: str, language: str) -> Speaker:
    """What turns lines of pairs into lines of answers, in a language; the package must be built."""
    command, folder = _PREPARE[language](profile)

    def speak(mode: str, pairs: list[tuple[str, object]]) -> list[str]:
        lines = "".join(json.dumps(pair) + "\n" for pair in pairs)
        at = command.index("MODE")
        return run([*command[:at], mode, *command[at + 1 :]], folder, lines).removesuffix("\n").split("\n")

    return speak


def _python(profile: str) -> tuple[list[str], Path]:
    folder = project(profile, "python")
    packages = sorted(path.parent.name for path in folder.glob("*/py.typed"))
    return [str(python_of(profile)), str(PROGRAMS / "vectors.py"), "MODE", *packages], PROGRAMS


def _java(profile: str) -> tuple[list[str], Path]:
    folder, classes = project(profile, "java"), java_path_of(profile)
    run(["javac", "-cp", classes, "-d", "target/test-classes", PROGRAMS / "Vectors.java"], folder)
    return ["java", "-cp", classes, "Vectors", "MODE", names_of(profile).java_package], folder


def _go(profile: str) -> tuple[list[str], Path]:
    folder, names = project(profile, "go"), names_of(profile)
    imports = "\n".join(f'\t_ "{path}"' for path in names.go_packages)
    (folder / "vectors").mkdir(exist_ok=True)
    text = (PROGRAMS / "vectors.go").read_text().replace("IMPORTS", imports)
    (folder / "vectors" / "main.go").write_text(text)
    run(["go", "build", "-o", "vectors/vectors", "./vectors"], folder)
    return [str(folder / "vectors" / "vectors"), "MODE"], folder


def _typescript(profile: str) -> tuple[list[str], Path]:
    folder, names = project(profile, "typescript"), names_of(profile)
    imports, files = "", []
    for name in names.files:
        symbol = "file_" + name.replace("/", "_").replace(".", "_")
        imports += f'import {{ {symbol} }} from "../src/{name}_pb.js";\n'
        files.append(symbol)
    text = (PROGRAMS / "vectors.ts").read_text().replace("IMPORTS", imports).replace("FILES", ", ".join(files))
    (folder / "example").mkdir(exist_ok=True)
    (folder / "example" / "vectors.ts").write_text(text)
    run([shutil.which("npm") or "npm", "run", "--silent", "build"], folder)
    return ["node", str(folder / "dist" / "example" / "vectors.js"), "MODE"], folder


_PREPARE = {"python": _python, "java": _java, "go": _go, "typescript": _typescript}
