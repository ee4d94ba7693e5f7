"""Make the packages: the language's own tools build and check what was generated."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.model.paths import format_path

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
_PRODUCTS = {"python": "dist/*.whl", "java": "target/*.jar", "go": "go.mod", "typescript": "dist/*.tgz"}


def make_package(language: str, project: Path) -> Path:
    """Build the package of a project, and compile its examples.

    Args:
        language: one of LANGUAGES.
        project: its folder.

    Returns:
        The wheel, the jar, the module's go.mod, or npm's archive.

    Raises:
        Failure: `environment/no-tool`, `bindings/build`.
    """
    for step in STEPS[language]:
        _run(step, project)
    return next(iter(sorted(project.glob(_PRODUCTS[language]))))


def _run(step: tuple[str, ...], project: Path) -> None:
    tool = sys.executable if step[0] == "python" else shutil.which(step[0])
    if tool is None:
        diagnostic = Diagnostic(
            "environment/no-tool", f"`{step[0]}` is not installed", hint="install it, or skip the language"
        )
        raise Failure(diagnostic, ExitCode.ENVIRONMENT)
    done = subprocess.run(
        [tool, *step[1:]], cwd=project, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode != 0:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()] or ["nothing was said"]
        told = next((line for line in lines if "error" in line.lower()), lines[-1])
        message = f"`{' '.join(step)}` ends with {done.returncode}: {told.strip()}"
        hint = f"run it in {format_path(project)} to see more"
        raise Failure(Diagnostic("bindings/build", message, Place(format_path(project)), hint), ExitCode.REFUSED)
