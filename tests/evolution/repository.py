"""Real git repositories for tests, with a result in them."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

AUTHOR = {
    "GIT_AUTHOR_NAME": "someone",
    "GIT_AUTHOR_EMAIL": "someone@example.org",
    "GIT_COMMITTER_NAME": "someone",
    "GIT_COMMITTER_EMAIL": "someone@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


@dataclass(frozen=True)
class Repository:
    """A repository below a folder of its own."""

    folder: Path

    def git(self, *arguments: str, ok: bool = True) -> str:
        process = subprocess.run(
            ["git", "-C", str(self.folder), *arguments],
            env=os.environ | AUTHOR,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not ok or process.returncode == 0, process.stderr
        return process.stdout

    def begin(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def commit(self, message: str, tag: str = "") -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        if tag:
            self.git("tag", tag)
