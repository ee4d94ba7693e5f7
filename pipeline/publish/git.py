"""Git, at one edge: every call of it is here, none asks anybody anything, and no message has a secret in it."""

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

NOBODY = "0" * 40
# The name under which commits are made where neither git nor the environment has one.
_NAME, _EMAIL = "spec2proto", "spec2proto@users.noreply.github.com"
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")


@dataclass(frozen=True, slots=True)
class Git:
    """A repository on this machine, and how to talk to its remote.

    Attributes:
        folder: the top of its working tree.
        remote: the name of the remote, or its address.
        token: for a remote over HTTP; empty for none. It is handed on in the environment, where no list of processes
            shows it.
    """

    folder: Path
    remote: str = "origin"
    token: str = ""

    def run(self, *arguments: str, environ: Mapping[str, str] | None = None) -> str:
        """What a git command prints, without the last newline.

        Raises:
            Failure: `git/failed` (3) with what git said, without any secret.
        """
        done = self._call(arguments, environ or {})
        if done.returncode == 0:
            return done.stdout.rstrip("\n")
        told = [line for line in done.stderr.strip().splitlines() if line] or [f"code {done.returncode}"]
        message = f"git {arguments[0]}: {self.redacted(told[-1])}"
        hint = "look at the remote, its branches, and who may write to it"
        raise Failure(Diagnostic("git/failed", message, Place(str(self.folder)), hint), ExitCode.ENVIRONMENT)

    def redacted(self, text: str) -> str:
        """A text of git's without the token and without credentials in addresses."""
        for secret in filter(None, (self.token, self._basic())):
            text = text.replace(secret, "…")
        return _CREDENTIALS.sub("…@", text)

    def _basic(self) -> str:
        return base64.b64encode(f"x-access-token:{self.token}".encode()).decode() if self.token else ""

    def _call(self, arguments: tuple[str, ...], more: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        environ = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **self._access(), **more}
        command = ["git", "-C", str(self.folder), *arguments]
        try:
            return subprocess.run(
                command, env=environ, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
            )
        except FileNotFoundError:
            hint = "install git"
            diagnostic = Diagnostic("environment/no-git", "git is not installed", hint=hint)
            raise Failure(diagnostic, ExitCode.ENVIRONMENT) from None

    def _access(self) -> dict[str, str]:
        """The token as a header for the host of the remote and no other; see git-config, `http.<url>.extraHeader`."""
        if not self.token:
            return {}
        done = subprocess.run(
            ["git", "-C", str(self.folder), "remote", "get-url", self.remote],  # noqa: S607 - git is found by its name
            capture_output=True,
            text=True,
            check=False,
        )
        address = urlsplit(done.stdout.strip() or self.remote)
        if address.scheme not in {"http", "https"} or not address.hostname:
            return {}
        host = address.hostname + (f":{address.port}" if address.port else "")
        return {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"http.{address.scheme}://{host}/.extraHeader",
            "GIT_CONFIG_VALUE_0": f"Authorization: Basic {self._basic()}",
        }

    def address(self) -> str:
        """The address of the remote."""
        return self.run("remote", "get-url", self.remote)

    def default_branch(self) -> str:
        """The branch that the remote's HEAD points to.

        Raises:
            Failure: `git/failed`; `git/no-branch` where it points to none.
        """
        for line in self.run("ls-remote", "--symref", self.remote, "HEAD").splitlines():
            if line.startswith("ref: refs/heads/"):
                return line.removeprefix("ref: refs/heads/").partition("\t")[0]
        hint = "name the branch with `--base`"
        raise Failure(Diagnostic("git/no-branch", "the remote has no default branch", hint=hint), ExitCode.ENVIRONMENT)

    def fetched(self, branch: str) -> str | None:
        """The commit of a branch of the remote, fetched; None where there is no such branch."""
        found = self.run("ls-remote", self.remote, f"refs/heads/{branch}")
        if not found:
            return None
        commit = found.partition("\t")[0]
        self.run("fetch", "--quiet", "--no-tags", self.remote, f"refs/heads/{branch}")
        return commit

    @contextmanager
    def worktree(self, commit: str) -> Iterator[Git]:
        """A working tree of its own, as of a commit; it is gone afterwards."""
        with tempfile.TemporaryDirectory(prefix="spec2proto-") as folder:
            tree = Path(folder).resolve() / "tree"
            self.run("worktree", "add", "--quiet", "--detach", str(tree), commit)
            try:
                yield Git(tree, self.remote, self.token)
            finally:
                self.run("worktree", "remove", "--force", str(tree))

    def staged_tree(self, path: str) -> str:
        """The tree of the index once everything below a path has been staged."""
        self.run("add", "--all", "--force", "--", path)
        return self.run("write-tree")

    def tree_of(self, commit: str, path: str) -> str:
        """The tree or blob at a path of a commit; empty where there is none."""
        listed = self.run("ls-tree", commit, "--", path)
        return listed.split()[2] if listed else ""

    def commit(self, tree: str, parent: str, message: str) -> str:
        """A new commit, signed off by who makes it; no hook runs. The message ends with trailers."""
        author = self._identity()
        who = f"{author['GIT_COMMITTER_NAME']} <{author['GIT_COMMITTER_EMAIL']}>"
        text = f"{message}\nSigned-off-by: {who}"
        return self.run("commit-tree", tree, "-p", parent, "-m", text, environ=author)

    def _identity(self) -> dict[str, str]:
        name = os.environ.get("GIT_COMMITTER_NAME") or self._configured("user.name") or _NAME
        email = os.environ.get("GIT_COMMITTER_EMAIL") or self._configured("user.email") or _EMAIL
        return {
            "GIT_COMMITTER_NAME": name,
            "GIT_COMMITTER_EMAIL": email,
            "GIT_AUTHOR_NAME": os.environ.get("GIT_AUTHOR_NAME") or name,
            "GIT_AUTHOR_EMAIL": os.environ.get("GIT_AUTHOR_EMAIL") or email,
        }

    def _configured(self, key: str) -> str:
        return self._call(("config", "--get", key), {}).stdout.strip()

    def push(self, commit: str, branch: str, known: str | None) -> None:
        """Make a branch of the remote point to a commit, if it is still where it was."""
        lease = f"--force-with-lease=refs/heads/{branch}:{known or ''}"
        self.run("push", "--quiet", lease, self.remote, f"{commit}:refs/heads/{branch}")


def repository(folder: Path, remote: str, token: str) -> Git:
    """The repository that a folder lies in.

    Raises:
        Failure: `git/failed` where it lies in none.
    """
    top = Git(folder, remote, token).run("rev-parse", "--show-toplevel")
    return Git(Path(top), remote, token)
