"""The composite action, run as a runner runs it: its own steps, in a shell, with their environment."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.review.repository import IDENTITY, TOKEN
from tests.support import ROOT

ACTION = ROOT / ".github" / "actions" / "spec2proto"


def read_action() -> dict[str, Any]:
    """Read the action."""
    document: dict[str, Any] = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))
    return document


def list_commands() -> list[dict[str, Any]]:
    """Return the steps of the action that are commands."""
    return [step for step in read_action()["runs"]["steps"] if "run" in step]


def run_step(step: dict[str, Any], folder: Path, temporary: Path, inputs: Mapping[str, str], **environ: str) -> str:
    """Run a step in a folder and return its output."""
    settings = {name: declared.get("default", "") for name, declared in read_action()["inputs"].items()} | dict(inputs)
    expressions = {f"inputs.{name}": value for name, value in settings.items()}
    expressions |= {"github.action_path": str(ACTION), "runner.temp": str(temporary), "github.token": TOKEN}
    values = {name: _resolve(text, expressions) for name, text in step["env"].items()}
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env=inherited | IDENTITY | environ | values,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    assert TOKEN not in process.stdout + process.stderr
    return process.stdout


def _resolve(text: str, expressions: Mapping[str, str]) -> str:
    """Replace the expressions in a value, also those in defaults."""
    while "${{" in text:
        text = re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: expressions[found[1]], text)
    return text
