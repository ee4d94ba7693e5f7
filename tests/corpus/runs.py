"""One description, turned into protos by one tool, and judged: do they compile, does buf lint find anything?"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pipeline.jvm.process import find_jar, find_java
from pipeline.model.diagnostics import Failure
from pipeline.model.profile.load import PROFILES
from pipeline.model.profile.profile import Lint
from postprocess.tools.buf import lint
from postprocess.tools.protoc import compile_protos
from tests.support import ROOT

LIMIT = 60
CLEAN, COMPILES, BROKEN, REFUSED, FAILED, SLOW = (
    "compiles and lints clean",
    "compiles",
    "does not compile",
    "refused with a diagnostic",
    "failed without one",
    f"over {LIMIT} s",
)
_DIAGNOSTIC = re.compile(r"^(?:.* )?(?:error|danger)\[(?P<code>[^\]]+)\]: ", re.MULTILINE)
_EXIT_CODES = {1, 2, 3}


@dataclass(frozen=True)
class Run:
    """What became of one description.

    Attributes:
        outcome: one of the words above.
        seconds: that the tool took, without the judging.
        codes: of the diagnostics, each once.
        told: the first thing that was said against it.
    """

    outcome: str
    seconds: float
    codes: tuple[str, ...] = ()
    told: str = ""


def spec2proto(description: Path, profile: str) -> Run:
    """Build with the command line, under a profile that nobody else builds at this time: generic by another name."""
    with tempfile.TemporaryDirectory(prefix="corpus-") as folder:
        named = Path(folder) / "profile.yaml"
        text = (PROFILES / "generic.yaml").read_text(encoding="utf-8")
        named.write_text(text.replace("name: generic", f"name: {profile}"), encoding="utf-8")
        program = str(Path(sys.executable).parent / "spec2proto")
        out = Path(folder) / "out"
        command = [program, "build", "--quiet", "--profile", str(named), "--spec", str(description), "--out", str(out)]
        code, text, seconds = _timed(command)
        shutil.rmtree(ROOT / "generated" / profile, ignore_errors=True)
        if code is None:
            return Run(SLOW, seconds, told=f"not done after {LIMIT} s")
        codes = tuple(dict.fromkeys(_DIAGNOSTIC.findall(text)))
        if code == 0:
            outcome, told = judged(out)
            return Run(outcome, seconds, told=told)
        named_fault = code in _EXIT_CODES and codes and "Traceback" not in text
        line = next((line for line in text.splitlines() if _DIAGNOSTIC.search(line)), text[-2000:])
        return Run(REFUSED if named_fault else FAILED, seconds, codes, line)


def stock(description: Path) -> Run:
    """Run OpenAPI Generator alone: `protobuf-schema` with its own templates."""
    with tempfile.TemporaryDirectory(prefix="corpus-") as folder:
        command = [find_java(os.environ), "-jar", str(find_jar(os.environ)), "generate"]
        command += ["--generator-name", "protobuf-schema", "--skip-validate-spec"]
        code, text, seconds = _timed([*command, "--input-spec", str(description), "--output", folder])
        if code is None:
            return Run(SLOW, seconds, told=f"not done after {LIMIT} s")
        if code:
            lines = [line.strip() for line in text.splitlines() if "Exception" in line or "rror" in line]
            return Run(FAILED, seconds, told=lines[0] if lines else f"code {code}")
        outcome, told = judged(Path(folder))
        return Run(outcome, seconds, told=told)


def judged(folder: Path) -> tuple[str, str]:
    """Whether the protos of a folder compile and lint clean, and the first thing that is said against them."""
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.proto"))
    if not names:
        return BROKEN, "no protos"
    try:
        compile_protos(folder, names)
    except Failure as failure:
        return BROKEN, str(failure.diagnostics[0])
    try:
        diagnostics = lint(folder, Lint())
    except Failure as failure:
        diagnostics = failure.diagnostics
    return (COMPILES, str(diagnostics[0])) if diagnostics else (CLEAN, "")


def _timed(command: list[str]) -> tuple[int | None, str, float]:
    """Run a command: its exit code, None when it was not done in time, what it said, and the seconds."""
    with tempfile.TemporaryFile() as output:
        began = time.perf_counter()
        with _group(subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True)) as process:
            try:
                code = process.wait(LIMIT)
            except subprocess.TimeoutExpired:
                code = None
        seconds = time.perf_counter() - began
        output.seek(0)
        return code, output.read().decode(errors="replace"), seconds


@contextmanager
def _group(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a group of its own, which ends with all that it started."""
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
