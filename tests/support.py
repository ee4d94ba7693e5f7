"""What tests share: where things are, and how the command line is run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
BASELINE = ROOT / "rules" / "baselines" / "opensearch.yaml"
TOOLS = ROOT / ".tools"
MIRROR = SHARED / "spec" if (SHARED / "spec").is_dir() else TOOLS / "spec"
SPEC = Path(os.environ.get("SPEC_MIRROR", MIRROR)) / "opensearch-openapi.yaml"


def spec2proto(*arguments: str | Path, cwd: Path | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, with more environment variables if given."""
    command = [str(Path(sys.executable).parent / "spec2proto"), *map(str, arguments)]
    return subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | environ,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def tree(folder: Path) -> dict[str, bytes]:
    """The files of a folder, by their path in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
