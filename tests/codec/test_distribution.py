"""The codec as a distribution of its own: its wheel, installed alone, runs the example of its README."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from postprocess.tools.protoc import compile_folder
from tests.parts import Part, absent
from tests.support import ROOT

SOURCE = ROOT / "codec" / "python"
EXAMPLE = ROOT / "protos" / "example"
FOREIGN = ("pipeline", "preprocess", "postprocess", "grpc_tools", "yaml", "typer")
LOOK_AROUND = f"""
from importlib import resources, util
print([name for name in {FOREIGN} if util.find_spec(name)])
print((resources.files("spec2proto_codec") / "py.typed").is_file())
"""


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """A Python that has the codec's wheel and what it depends on, and nothing else."""
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    command = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", SOURCE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "No matching distribution" in done.stderr:
        absent(Part.PYTHON, "pip reaches no package index")
    assert done.returncode == 0, done.stderr
    return python


def test_the_example_of_the_readme_runs_with_the_codec_alone(python: Path, tmp_path: Path) -> None:
    descriptors = compile_folder(EXAMPLE, "example")
    (tmp_path / "descriptors.binpb").write_bytes(descriptors.SerializeToString())
    shutil.copyfile(EXAMPLE / "binding.json", tmp_path / "binding.json")
    example = re.search(r"```python\n(.*?)```", (SOURCE / "README.md").read_text(), re.DOTALL)
    assert example
    # Isolated mode: neither PYTHONPATH nor the current folder gives it the checkout.
    command = [python, "-I", "-c", example[1] + LOOK_AROUND]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["{'_id': '7', 'outcome': 'created', 'revision': 1}", "[]", "True"]
