"""Run a tool that checks protos; an error of the operating system is not an error of the protos."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure

SECONDS = 600
_SYSTEM_ERRORS = tuple(
    os.strerror(number).lower()
    for number in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.ENOMEM, errno.EMFILE)
)


def run_tool(
    command: Sequence[str],
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
    *,
    seconds: int = SECONDS,
) -> subprocess.CompletedProcess[str]:
    """Run a tool and wait until it ends.

    The variables of `environ` are added to those of this process.

    Raises:
        Failure: `environment/tool` if the tool is killed, takes too long, or reports an error of the system.
    """
    name = Path(command[0]).name if "-m" not in command else command[command.index("-m") + 1]
    try:
        process = subprocess.run(
            command,
            cwd=cwd,
            env={**os.environ, **(environ or {})},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        raise _create_failure(f"`{name}` took over {seconds} s") from None
    if process.returncode < 0:
        raise _create_failure(f"`{name}` was ended by {signal.Signals(-process.returncode).name}")
    if process.returncode:
        output = process.stderr.lower()
        reason = next((text for text in _SYSTEM_ERRORS if text in output), None)
        if reason is not None:
            raise _create_failure(f"the system refused `{name}`: {reason}")
    return process


def _create_failure(message: str) -> Failure:
    hint = "check the load, the memory and the disk of the machine, then try again"
    return Failure(Diagnostic("environment/tool", message, hint=hint), ExitCode.ENVIRONMENT)
