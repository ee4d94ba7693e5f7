"""The packages of a profile, built once for all tests that need them."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from pipeline.model.diagnostics import ExitCode
from tests.parts import Part, absent
from tests.support import ROOT

PROGRAMS = Path(__file__).parent / "programs"
PARTS = {"python": Part.PYTHON, "java": Part.JAVA, "go": Part.GO, "typescript": Part.NODE}
NEEDS = {"python": "python3", "java": "mvn", "go": "go", "typescript": "npm"}


def run(command: list[str | Path], folder: Path, text: str = "") -> str:
    """Run a program; what it prints is the failure's text."""
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="spec2proto-bindings-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def _built(profile: str, language: str) -> tuple[int, str]:
    command = [Path(sys.executable).parent / "spec2proto", "bindings", "--profile", profile, "--language", language]
    done = subprocess.run(
        [*map(str, command), "--out", str(_folder())], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def project(profile: str, language: str) -> Path:
    """The folder of a project whose package is built; skipped where the language's tools are not installed."""
    if shutil.which(NEEDS[language]) is None:
        absent(PARTS[language], f"`{NEEDS[language]}` is not installed")
    code, text = _built(profile, language)
    if code == ExitCode.ENVIRONMENT:
        absent(PARTS[language], text.strip().splitlines()[-1])
    assert code == 0, text
    return _folder() / language / profile


@cache
def python_of(profile: str) -> Path:
    """A Python that has the wheel of a profile and what it depends on, and nothing else."""
    wheel = next((project(profile, "python") / "dist").glob("*.whl"))
    folder = _folder() / f"venv-{profile}"
    run([sys.executable, "-m", "venv", folder], _folder())
    python = folder / "bin" / "python"
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel], _folder())
    return python


@cache
def java_path_of(profile: str) -> str:
    """The class path of a profile's examples."""
    folder = project(profile, "java")
    command = ["mvn", "--quiet", "--batch-mode", "dependency:build-classpath", "-DincludeScope=test"]
    run([*command, "-Dmdep.outputFile=target/classpath"], folder)
    return ":".join(["target/classes", "target/test-classes", (folder / "target" / "classpath").read_text().strip()])
