"""A repository that has adopted the pipeline: a real remote, a clone of it, a specification and a profile."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.support import spec2proto

SPEC = """\
openapi: 3.1.0
info: {title: Shelves, version: '1'}
paths:
  /shelves:
    get:
      operationId: listShelves
      responses:
        '200':
          description: all
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Shelf'}
components:
  schemas:
    Shelf:
      type: object
      properties:
        name: {type: string}
        books: {type: integer}
"""
IDENTITY = {
    "GIT_AUTHOR_NAME": "Robin Reader",
    "GIT_AUTHOR_EMAIL": "robin@example.org",
    "GIT_COMMITTER_NAME": "Robin Reader",
    "GIT_COMMITTER_EMAIL": "robin@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}
TOKEN = "github_pat_not_to_be_seen"  # noqa: S105 - of no use anywhere


def run_git(folder: Path, *arguments: str) -> str:
    """Run a git command and return its output."""
    command = ["git", "-C", str(folder), *arguments]
    process = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | IDENTITY)
    return process.stdout.strip()


class Repository:
    """A clone with its remote, in a folder."""

    def __init__(self, folder: Path, profile: str, program: Path | None = None) -> None:
        """Make both; `profile` is the profile's name, `program` an installed spec2proto."""
        self.program = program
        self.remote, self.folder, self.name = folder / "fork" / "protos.git", folder / "clone", profile
        self.branch = f"spec2proto/{profile}"
        self.remote.parent.mkdir()
        run_git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(self.remote))
        run_git(folder, "clone", "--quiet", str(self.remote), str(self.folder))
        (self.folder / "openapi.yaml").write_text(SPEC, encoding="utf-8")
        self.profile("shelves/v1/shelves.proto")
        self.commit("The specification")

    def profile(self, messages: str) -> None:
        """Write the profile with the path of its message file."""
        text = f"name: {self.name}\npackage: shelves.v1\nfiles:\n  messages: {messages}\n"
        (self.folder / "profile.yaml").write_text(text, encoding="utf-8")

    def spec(self, old: str, new: str) -> None:
        """Replace a part of the specification of the working tree."""
        path = self.folder / "openapi.yaml"
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def commit(self, message: str, branch: str = "main") -> None:
        """Commit the working tree and push it."""
        run_git(self.folder, "add", "--all")
        run_git(self.folder, "commit", "--quiet", "-m", message)
        run_git(self.folder, "push", "--quiet", "origin", f"HEAD:{branch}")

    def head(self, branch: str) -> str:
        """Return the commit of a branch of the remote; empty if there is none."""
        return run_git(self.remote, "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")

    def run(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run the installed spec2proto here, also where PYTHONPATH names a checkout."""
        assert self.program is not None
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(
            [str(self.program), *arguments],
            cwd=self.folder,
            env=inherited | IDENTITY | environ,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def pr(self, *options: str, api: str = "http://127.0.0.1:1", **environ: str) -> subprocess.CompletedProcess[str]:
        """Run `spec2proto pr`."""
        arguments = ["--profile", str(self.folder / "profile.yaml"), "--spec", str(self.folder / "openapi.yaml")]
        out = ["--out", str(self.folder / "protos" / self.name), "--repository", "fork/protos", "--api", api]
        values = IDENTITY | {"GITHUB_TOKEN": TOKEN} | environ
        process = spec2proto("pr", *arguments, *out, "--quiet", *options, cwd=self.folder, **values)
        assert TOKEN not in process.stdout + process.stderr
        return process
