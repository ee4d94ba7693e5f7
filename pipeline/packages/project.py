"""Write the project of one language: what buf generates, and the files that make a package of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure
from pipeline.model.paths import ROOT
from pipeline.model.profile.profile import Profile
from pipeline.packages.image import relocated
from pipeline.packages.naming import IMPORTED, Naming
from pipeline.packages.plugins import plugins
from postprocess.tools.buf import find_buf

TEMPLATES = ROOT / "templates" / "bindings"
_POM = "{http://maven.apache.org/POM/4.0.0}"


def generate_project(
    language: str, profile: Profile, names: Naming, descriptors: FileDescriptorSet, tools: Path, target: Path
) -> None:
    """Write the project of a language, in the place of the one that was there.

    Args:
        language: one of LANGUAGES.
        profile: for the packages of Python.
        names: of the packages.
        descriptors: of the protos, imports and comments included.
        tools: where the generators of the languages are.
        target: the folder of the project.

    Raises:
        Failure: `environment/no-plugin`, `environment/no-buf`, `bindings/generate`.
    """
    image = relocated(descriptors, profile.bindings.python_packages) if language == "python" else descriptors
    template = {"version": "v2", "plugins": plugins(language, names, descriptors, tools)}
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as passing:
        made = Path(passing) / "project"
        made.mkdir()
        _buf_generate(language, image, template, made)
        if language == "python":
            _mark_packages(made)
        _project_files(language, names, made)
        if target.exists():
            target.rename(Path(passing) / "before")
        made.rename(target)


def _buf_generate(language: str, image: FileDescriptorSet, template: dict[str, Any], folder: Path) -> None:
    # The code of `google/api` is in a package for each language, that of `buf/validate` only in one for Go.
    elsewhere = ("google/",) if language != "go" else IMPORTED
    wanted = [file for file in image.file if not file.name.startswith(elsewhere)]
    tops = sorted({file.name.partition("/")[0] for file in wanted})
    source = folder.parent / "image.binpb"
    source.write_bytes(image.SerializeToString(deterministic=True))
    command = [find_buf(), "generate", str(source), "--template", json.dumps(template), "--output", str(folder)]
    command += [part for top in tops for part in ("--path", top)]
    environ = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode != 0:
        text = done.stderr.strip().splitlines() or [f"code {done.returncode}"]
        hint = "run the generator by itself to see more"
        raise Failure(Diagnostic("bindings/generate", f"buf generate: {text[-1]}", hint=hint), ExitCode.REFUSED)


def _mark_packages(folder: Path) -> None:
    """Make packages of the folders of Python, with a mark for type checkers at the top (PEP 561)."""
    for module in sorted(folder.rglob("*.py")):
        for parent in module.relative_to(folder).parents[:-1]:
            (folder / parent / "__init__.py").touch()
    for top in sorted(path for path in folder.iterdir() if path.is_dir()):
        (top / "py.typed").touch()


def _project_files(language: str, names: Naming, folder: Path) -> None:
    """Print the templates of a language; examples are those of the profile."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - project files; every name in them is a name by the profile's pattern
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    root = TEMPLATES / language
    context = {**asdict(names), "versions": _versions(), "top": sorted(p.name for p in folder.iterdir() if p.is_dir())}
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


def _versions() -> dict[str, dict[str, str]]:
    """By language, the versions of the libraries that generated code needs: those that it was generated with."""
    python = {name: version(name) for name in ("protobuf", "grpcio-tools", "googleapis-common-protos")}
    properties = ET.parse(TEMPLATES / "java" / "plugins.xml").find(f"{_POM}properties")  # noqa: S314 - a file of our own
    java = {} if properties is None else {one.tag.removeprefix(_POM): one.text or "" for one in properties}
    npm = json.loads((TEMPLATES / "typescript" / "plugins.json").read_text(encoding="utf-8"))["dependencies"]
    return {"python": python, "java": java, "npm": npm}
