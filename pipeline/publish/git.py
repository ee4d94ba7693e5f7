"""Run git: the only module that starts it. Git never prompts, and no message contains a secret."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place

# The author of commits if neither git nor the environment names one.
_NAME, _EMAIL = "spec2proto", "spec2proto@users.noreply.github.com"
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")


@dataclass(frozen=True, slots=True)
class Git:
    """A local repository and its remote.

    Attributes:
        folder: a folder in its working tree.
        remote: the name of the remote, or its URL.
        token: for a remote over HTTP; empty for none. Git reads it from the environment, because every user can see
            the arguments of a process.
    """

    folder: Path
    remote: str = "origin"
    token: str = ""

    def run(self, *arguments: str, environ: Mapping[str, str] | None = None) -> str:
        """Run a git command and return its output without trailing newlines.

        Raises:
            Failure: `git/failed` (3) with the error of git, without secrets.
        """
        process = self._start(arguments, {**self._create_settings(), **(environ or {})})
        if process.returncode == 0:
            return process.stdout.decode(errors="replace").rstrip("\n")
        lines = process.stderr.decode(errors="replace").strip().splitlines() or [f"code {process.returncode}"]
        reason = next((line for line in lines if line.startswith("fatal:")), lines[-1])
        message = f"git {arguments[0]}: {self.redact(reason)}"
        hint = "check the remote, its branches and the write permission"
        raise Failure(Diagnostic("git/failed", message, Place(str(self.folder)), hint), ExitCode.ENVIRONMENT)

    def read(self, *arguments: str) -> bytes | None:
        """Run a local git command and return its output unchanged; None if the command fails."""
        process = self._start(arguments, {})
        return process.stdout if process.returncode == 0 else None

    def redact(self, text: str) -> str:
        """Replace the token, and credentials in URLs, by an ellipsis."""
        for secret in filter(None, (self.token, self._encode_token())):
            text = text.replace(secret, "…")
        return _CREDENTIALS.sub("…@", text)

    def _start(self, arguments: tuple[str, ...], environ: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
        command = ["git", "-C", str(self.folder), *arguments]
        try:
            return subprocess.run(
                command,
                env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **environ},
                capture_output=True,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except FileNotFoundError:
            diagnostic = Diagnostic("environment/no-git", "git is not installed", hint="install git")
            raise Failure(diagnostic, ExitCode.ENVIRONMENT) from None

    def _encode_token(self) -> str:
        return base64.b64encode(f"x-access-token:{self.token}".encode()).decode() if self.token else ""

    def _create_settings(self) -> dict[str, str]:
        """Return the settings that send the token to the host of the remote alone.

        Source: git-config, `http.<url>.extraHeader`.
        """
        if not self.token:
            return {}
        configured = self.read("remote", "get-url", self.remote) or b""
        url = urlsplit(configured.decode().strip() or self.remote)
        if url.scheme not in {"http", "https"} or not url.hostname:
            return {}
        host = url.hostname + (f":{url.port}" if url.port else "")
        return {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"http.{url.scheme}://{host}/.extraHeader",
            "GIT_CONFIG_VALUE_0": f"Authorization: Basic {self._encode_token()}",
        }

    def read_remote_url(self) -> str:
        """Return the URL of the remote."""
        return self.run("remote", "get-url", self.remote)

    def find_default_branch(self) -> str:
        """Return the branch that the HEAD of the remote points to.

        Raises:
            Failure: `git/failed`; `git/no-branch` if HEAD points to no branch.
        """
        for line in self.run("ls-remote", "--symref", self.remote, "HEAD").splitlines():
            if line.startswith("ref: refs/heads/"):
                return line.removeprefix("ref: refs/heads/").partition("\t")[0]
        hint = "name the branch with `--base`"
        raise Failure(Diagnostic("git/no-branch", "the remote has no default branch", hint=hint), ExitCode.ENVIRONMENT)

    def fetch_branch(self, branch: str) -> str | None:
        """Fetch a branch of the remote and return its commit; None if there is no such branch."""
        reference = self.run("ls-remote", self.remote, f"refs/heads/{branch}")
        if not reference:
            return None
        self.run("fetch", "--quiet", "--no-tags", self.remote, f"refs/heads/{branch}")
        return reference.partition("\t")[0]

    @contextmanager
    def add_worktree(self, commit: str) -> Iterator[Git]:
        """Yield a temporary working tree of a commit."""
        with tempfile.TemporaryDirectory(prefix="spec2proto-") as folder:
            tree = Path(folder).resolve() / "tree"
            self.run("worktree", "add", "--quiet", "--detach", str(tree), commit)
            try:
                yield Git(tree, self.remote, self.token)
            finally:
                self.run("worktree", "remove", "--force", str(tree))

    def stage_tree(self, path: str) -> str:
        """Add everything below a path to the index and return the tree of the index."""
        self.run("add", "--all", "--force", "--", path)
        return self.run("write-tree")

    def find_object(self, commit: str, path: str) -> str:
        """Return the tree or blob at a path of a commit; empty if there is none."""
        entry = self.run("ls-tree", commit, "--", path)
        return entry.split()[2] if entry else ""

    def commit_tree(self, tree: str, parent: str, message: str) -> str:
        """Create a commit and return its hash; no hook runs, and a `Signed-off-by` trailer is added to the message."""
        author = self._choose_author()
        trailer = f"Signed-off-by: {author['GIT_COMMITTER_NAME']} <{author['GIT_COMMITTER_EMAIL']}>"
        return self.run("commit-tree", tree, "-p", parent, "-m", f"{message}\n{trailer}", environ=author)

    def _choose_author(self) -> dict[str, str]:
        """Return the variables with author and committer, from the environment, the configuration or the defaults."""
        name = os.environ.get("GIT_COMMITTER_NAME") or self._read_setting("user.name") or _NAME
        email = os.environ.get("GIT_COMMITTER_EMAIL") or self._read_setting("user.email") or _EMAIL
        return {
            "GIT_COMMITTER_NAME": name,
            "GIT_COMMITTER_EMAIL": email,
            "GIT_AUTHOR_NAME": os.environ.get("GIT_AUTHOR_NAME") or name,
            "GIT_AUTHOR_EMAIL": os.environ.get("GIT_AUTHOR_EMAIL") or email,
        }

    def _read_setting(self, key: str) -> str:
        return (self.read("config", "--get", key) or b"").decode().strip()

    def push(self, commit: str, branch: str, expected: str | None) -> None:
        """Set a branch of the remote to a commit, if the branch is still at the expected commit."""
        lease = f"--force-with-lease=refs/heads/{branch}:{expected or ''}"
        self.run("push", "--quiet", lease, self.remote, f"{commit}:refs/heads/{branch}")


def open_repository(folder: Path, remote: str, token: str) -> Git:
    """Return the repository whose working tree contains a folder.

    Raises:
        Failure: `git/failed` if no repository contains it.
    """
    top = Git(folder, remote, token).run("rev-parse", "--show-toplevel")
    return Git(Path(top), remote, token)
