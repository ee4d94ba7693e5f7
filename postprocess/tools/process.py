"""Run a tool that checks protos; what the machine does to it is no judgement on the protos."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure

SECONDS = 600
_SYSTEM = tuple(
    os.strerror(number).lower()
    for number in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.ENOMEM, errno.EMFILE)
)


def run_tool(
    command: Sequence[str], cwd: Path | None = None, environ: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a tool to its end.

    Args:
        command: the program and its arguments.
        cwd: where it runs.
        environ: variables for it, beside those of this process.

    Raises:
        Failure: `environment/tool` when it was killed, when it does not end, or when the system refuses it something.
    """
    name = Path(command[0]).name if "-m" not in command else command[command.index("-m") + 1]
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env={**os.environ, **(environ or {})},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise _failure(f"`{name}` took over {SECONDS} s") from None
    if done.returncode < 0:
        raise _failure(f"`{name}` was ended by {signal.Signals(-done.returncode).name}")
    if done.returncode:
        told = done.stderr.lower()
        refused = next((words for words in _SYSTEM if words in told), None)
        if refused is not None:
            raise _failure(f"the system refused `{name}`: {refused}")
    return done


def _failure(message: str) -> Failure:
    hint = "look at what else the machine does, at its memory and its disk, then try again"
    return Failure(Diagnostic("environment/tool", message, hint=hint), ExitCode.ENVIRONMENT)
