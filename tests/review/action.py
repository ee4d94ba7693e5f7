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


def action() -> dict[str, Any]:
    """The action as it is written."""
    read: dict[str, Any] = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))
    return read


def commands() -> list[dict[str, Any]]:
    """Its steps that are commands."""
    return [step for step in action()["runs"]["steps"] if "run" in step]


def run(step: dict[str, Any], folder: Path, temporary: Path, inputs: Mapping[str, str], **environ: str) -> str:
    """Run one step in a folder; what it prints."""
    given = {name: declared.get("default", "") for name, declared in action()["inputs"].items()} | dict(inputs)
    known = {f"inputs.{name}": value for name, value in given.items()}
    known |= {"github.action_path": str(ACTION), "runner.temp": str(temporary), "github.token": TOKEN}
    values = {name: _resolved(text, known) for name, text in step["env"].items()}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env=os.environ | IDENTITY | environ | values,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert TOKEN not in done.stdout + done.stderr
    return done.stdout


def _resolved(text: str, known: Mapping[str, str]) -> str:
    """A value with its expressions replaced, those of defaults included."""
    while "${{" in text:
        text = re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: known[found[1]], text)
    return text
