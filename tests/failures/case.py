"""A failure case: a folder with a command, its input, and what the command must say and leave behind."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from pipeline.cli.main import main

HERE = Path(__file__).resolve().parent
CASES = HERE / "cases"
ROOT = HERE.parents[1]
CLI = Path(sysconfig.get_path("scripts")) / "spec2proto"
SECONDS = 60
EARLIER = {
    "case/v1/case.proto": b'syntax = "proto3";\npackage case.v1;\n',
    "binding.json": b"{}\n",
}

_EXPECTED = ("cmd", "stderr.txt", "exit_code")
_GIVEN = ("env", "lock.yaml", "profile.yaml")
# What such cases are about is a process: its environment, its limits, or how its arguments are read.
_OF_A_PROCESS = ("environment-", "limits-", "usage-")
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")


@dataclass(frozen=True)
class Case:
    """One folder below `cases`."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def command(self) -> str:
        return self.text("cmd")

    @property
    def environ(self) -> dict[str, str]:
        lines = self.text("env").splitlines() if (self.folder / "env").is_file() else []
        return dict(line.split("=", 1) for line in lines)

    @property
    def needs_process(self) -> bool:
        return (self.folder / "env").is_file() or self.name.startswith(_OF_A_PROCESS)

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def unaccounted(self) -> list[str]:
        """What lies in the folder and is neither input that something names nor expected output."""
        naming = self.command + (self.text("profile.yaml") if (self.folder / "profile.yaml").is_file() else "")
        below = rf"(?:{re.escape('{case}')}|/cases/{re.escape(self.name)})/([\w.-]+)"
        used = {*_EXPECTED, *_GIVEN, *re.findall(below, naming)}
        return sorted(path.name for path in self.folder.iterdir() if path.name not in used)

    def missing(self) -> list[str]:
        return [name for name in _EXPECTED if not (self.folder / name).is_file()]


@dataclass
class Place:
    """Where one command runs: a folder of its own, with the result of an earlier build in it."""

    folder: Path
    name: str
    out: Path = field(init=False)
    profile: Path = field(init=False)
    lock: Path | None = None

    def __post_init__(self) -> None:
        self.out = self.folder / "place" / "result"
        self.profile = self.folder / "profile.yaml"
        for name, content in EARLIER.items():
            path = self.out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if self.lock is not None:
            shutil.copyfile(self.lock, self.out / "lock.yaml")
        text = (HERE / "profile.yaml").read_text(encoding="utf-8")
        self.profile.write_text(text.replace("NAME", self.name), encoding="utf-8")
        (self.folder / "here").mkdir()

    @property
    def work(self) -> Path:
        """Where a build of this place works."""
        return ROOT / "generated" / self.name

    def clean(self) -> None:
        """Remove what a build keeps beside its result."""
        if self.work.is_symlink():
            self.work.unlink()
        shutil.rmtree(self.work, ignore_errors=True)

    def snapshot(self) -> dict[str, bytes]:
        """Everything that a failing command must leave alone: the result, what lies beside it, and `protos/`."""
        return {**tree(self.folder), **tree(self.out.parent), **tree(ROOT / "protos")}

    def move(self, out: Path) -> None:
        """Put the result of the earlier build elsewhere."""
        shutil.copytree(self.out, out)
        shutil.rmtree(self.out.parent)
        self.out = out

    def arguments(self, command: str, **paths: str) -> list[str]:
        """A command with its paths filled in."""
        paths = {"out": str(self.out), "profile": str(self.profile), **paths}
        return [str(CLI), *(part.format(**paths) for part in shlex.split(command))]

    def run(self, command: str, environ: Mapping[str, str], prefix: Iterable[str] = (), **paths: str) -> Ran:
        """Run the installed command line here, started by another program if a prefix names one."""
        return run([*prefix, *self.arguments(command, **paths)], self.folder / "here", environ)

    def run_in_process(self, command: str, **paths: str) -> Ran:
        """Run the command line here without a process of its own, which takes half a second."""
        stdout, stderr = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
        with (
            mock.patch.dict(os.environ, environment({}), clear=True),
            mock.patch.object(sys, "argv", self.arguments(command, **paths)),
            contextlib.chdir(self.folder / "here"),
            contextlib.redirect_stdout(stdout),
            contextlib.redirect_stderr(stderr),
        ):
            try:
                main()
                exit_code = 0
            except SystemExit as ended:
                exit_code = int(ended.code or 0)
            stdout.flush()
        return Ran(exit_code, stdout.buffer.getvalue().decode(), stderr.getvalue())  # type: ignore[attr-defined]

    def shown(self, text: str, case: Path | None = None) -> str:
        """A text with the paths of this run and of the case replaced."""
        names = {str(self.out): "{out}", str(self.profile): "{profile}", str(self.folder): "{tmp}"}
        if case is not None:
            names = {str(case): "{case}", str(case.relative_to(ROOT)): "{case}", **names}
        names[str(ROOT)] = "{root}"
        for path, shown in names.items():
            text = text.replace(path, shown)
        return text


@dataclass(frozen=True)
class Ran:
    """What one command did."""

    exit_code: int
    stdout: str
    stderr: str


def environment(more: Mapping[str, str]) -> dict[str, str]:
    """The environment of a command: nothing of the caller's but what programs need to start."""
    kept = {name: value for name, value in os.environ.items() if name in _KEPT}
    return {**kept, "COLUMNS": "120", "TERM": "dumb", "NO_COLOR": "1", "PYTHONUTF8": "1", **more}


def run(command: list[str], folder: Path, environ: Mapping[str, str]) -> Ran:
    """Run a command to its end."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(environ),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def tree(folder: Path) -> dict[str, bytes]:
    """Every path below a folder with its content; folders end in `/`."""
    paths = sorted(folder.rglob("*"))
    return {f"{path}/" if path.is_dir() else str(path): b"" if path.is_dir() else path.read_bytes() for path in paths}


def cases() -> list[Case]:
    """All cases, by name."""
    return [Case(folder) for folder in sorted(CASES.iterdir()) if folder.is_dir()]
