"""Write the project of one language: the code that buf generates, and the files that make it a package."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure
from pipeline.model.paths import ROOT
from pipeline.model.profile.profile import Profile
from pipeline.packages.naming import IMPORTED, PackageNames
from pipeline.packages.plugins import configure_plugins
from postprocess.tools.buf import find_buf
from postprocess.tools.process import run_tool
from postprocess.tools.templates import load_templates

TEMPLATES = ROOT / "templates" / "bindings"
_POM = "{http://maven.apache.org/POM/4.0.0}"


def generate_project(
    language: str, profile: Profile, names: PackageNames, descriptors: FileDescriptorSet, tools: Path, target: Path
) -> None:
    """Write the project of a language into the folder `target`; an earlier project there is replaced.

    The descriptors include imports and comments. `tools` has a folder with the generators of each language.

    Raises:
        Failure: `environment/no-plugin`, `environment/no-buf`, `environment/tool`, `bindings/generate`.
    """
    image = move_files(descriptors, profile.bindings.python_packages) if language == "python" else descriptors
    template = {"version": "v2", "plugins": configure_plugins(language, names, descriptors, tools)}
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as work:
        project = Path(work) / "project"
        project.mkdir()
        _generate_code(language, image, template, project)
        if language == "python":
            _mark_packages(project)
        _render_templates(language, names, project)
        if target.exists():
            target.rename(Path(work) / "before")
        project.rename(target)


def move_files(descriptors: FileDescriptorSet, folders: Mapping[str, str]) -> FileDescriptorSet:
    """Return a copy of descriptors whose files are in other folders, as Python modules have the paths of their protos.

    `folders` maps the first folder of a file to the dotted Python package that replaces it. Imports follow.
    """

    def move_path(path: str) -> str:
        first, slash, remainder = path.partition("/")
        return f"{folders[first].replace('.', '/')}/{remainder}" if slash and first in folders else path

    moved = FileDescriptorSet()
    moved.CopyFrom(descriptors)
    for file in moved.file:
        file.name = move_path(file.name)
        file.dependency[:] = [move_path(name) for name in file.dependency]
    return moved


def _generate_code(language: str, image: FileDescriptorSet, template: dict[str, Any], folder: Path) -> None:
    # Each language has a package with the code of `google/api`; only Go has one with that of `buf/validate`.
    packaged = ("google/",) if language != "go" else IMPORTED
    tops = sorted({file.name.partition("/")[0] for file in image.file if not file.name.startswith(packaged)})
    source = folder.parent / "image.binpb"
    source.write_bytes(image.SerializeToString(deterministic=True))
    command = [find_buf(), "generate", str(source), "--template", json.dumps(template), "--output", str(folder)]
    command += [part for top in tops for part in ("--path", top)]
    # The generator of Python services is a module of this package.
    environ = {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    process = run_tool(command, folder, environ)
    if process.returncode != 0:
        lines = process.stderr.strip().splitlines() or [f"code {process.returncode}"]
        hint = "run the generator by itself to see more"
        raise Failure(Diagnostic("bindings/generate", f"buf generate: {lines[-1]}", hint=hint), ExitCode.REFUSED)


def _mark_packages(folder: Path) -> None:
    """Make each folder a Python package, and mark the top ones as typed (PEP 561)."""
    for module in sorted(folder.rglob("*.py")):
        for parent in module.relative_to(folder).parents[:-1]:
            (folder / parent / "__init__.py").touch()
    for top in sorted(path for path in folder.iterdir() if path.is_dir()):
        (top / "py.typed").touch()


def _render_templates(language: str, names: PackageNames, folder: Path) -> None:
    """Render the templates of a language, and copy the examples of the profile."""
    # The values need no escape: the profile restricts all names to a pattern.
    environment = load_templates(TEMPLATES)
    root = TEMPLATES / language
    top = sorted(path.name for path in folder.iterdir() if path.is_dir())
    context = {**asdict(names), "versions": _read_versions(), "top": top}
    for path in sorted(root.rglob("*.j2")):
        relative = path.relative_to(root)
        target = folder / relative.with_suffix("")
        target.parent.mkdir(parents=True, exist_ok=True)
        text = environment.get_template(path.relative_to(TEMPLATES).as_posix()).render(context)
        target.write_text(text, encoding="utf-8")
    readme = environment.get_template("README.md.j2").render(context | {"language": language})
    (folder / "README.md").write_text(readme, encoding="utf-8")
    examples = root / "examples" / names.profile
    if examples.is_dir():
        shutil.copytree(examples, folder, dirs_exist_ok=True)


def _read_versions() -> dict[str, dict[str, str]]:
    """Return the versions of the libraries that generated code needs, by language: those of the generators."""
    python = {name: version(name) for name in ("protobuf", "grpcio-tools", "googleapis-common-protos")}
    properties = ET.parse(TEMPLATES / "java" / "plugins.xml").find(f"{_POM}properties")  # noqa: S314 - a file of this project
    java = {} if properties is None else {item.tag.removeprefix(_POM): item.text or "" for item in properties}
    npm = json.loads((TEMPLATES / "typescript" / "plugins.json").read_text(encoding="utf-8"))["dependencies"]
    return {"python": python, "java": java, "npm": npm}
