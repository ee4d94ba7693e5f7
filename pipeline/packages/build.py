"""Build the packages with the tools of each language, which also compile the examples."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.model.paths import format_path
from postprocess.tools.process import run_tool

STEPS: dict[str, tuple[tuple[str, ...], ...]] = {
    "python": (("python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", "dist", "."),),
    "java": (("mvn", "--quiet", "--batch-mode", "package"),),
    "go": (("go", "mod", "tidy"), ("go", "vet", "./...")),
    "typescript": (
        ("npm", "install", "--silent", "--no-audit", "--no-fund"),
        ("npm", "run", "--silent", "build"),
        ("npm", "pack", "--silent", "--pack-destination", "dist"),
    ),
}
# Maven and npm download their dependencies.
_SECONDS = 3600
_PRODUCTS = {"python": "dist/*.whl", "java": "target/*.jar", "go": "go.mod", "typescript": "dist/*.tgz"}


def build_package(language: str, project: Path) -> Path:
    """Build the package of a project and return its file: the wheel, the jar, the `go.mod`, or the archive of npm.

    Raises:
        Failure: `environment/no-tool`, `environment/tool`, `bindings/build`.
    """
    for step in STEPS[language]:
        _run_step(step, project)
    return min(project.glob(_PRODUCTS[language]))


def _run_step(step: tuple[str, ...], project: Path) -> None:
    tool = sys.executable if step[0] == "python" else shutil.which(step[0])
    if tool is None:
        hint = "install it, or skip the language"
        diagnostic = Diagnostic("environment/no-tool", f"`{step[0]}` is not installed", hint=hint)
        raise Failure(diagnostic, ExitCode.ENVIRONMENT)
    process = run_tool([tool, *step[1:]], project, seconds=_SECONDS)
    if process.returncode != 0:
        lines = [line for line in (process.stdout + process.stderr).splitlines() if line.strip()] or ["no output"]
        reason = next((line for line in lines if "error" in line.lower()), lines[-1])
        message = f"`{' '.join(step)}` ends with {process.returncode}: {reason.strip()}"
        hint = f"run it in {format_path(project)} to see more"
        raise Failure(Diagnostic("bindings/build", message, Place(format_path(project)), hint), ExitCode.REFUSED)
