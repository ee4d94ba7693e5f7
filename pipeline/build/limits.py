"""The time and the memory that a build may take: beyond them it ends, with a diagnostic.

Both are the operating system's own limits. A build that is ended here has promoted nothing yet.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure
from pipeline.model.profile.profile import Limits

_NO_THREAD = "can't start new thread"


class _TimeIsUp(BaseException):
    """Raised wherever the build is; no handler of errors may take it for one."""


@contextmanager
def limited(limits: Limits) -> Iterator[None]:
    """Keep what runs within the limits of a profile, as far as the system can: on Linux and macOS, on the main thread.

    Raises:
        Failure: `limits/seconds`, `limits/memory`.
    """
    try:
        with _memory(limits.memory_mb), _time(limits.seconds):
            yield
    except _TimeIsUp:
        raise _over("seconds", f"the build took more than {limits.seconds} s") from None
    except MemoryError:
        raise _over("memory_mb", f"the build needs more than {limits.memory_mb} MB of memory") from None
    except RuntimeError as error:
        if str(error) != _NO_THREAD:
            raise
        raise _over("memory_mb", f"the build needs more than {limits.memory_mb} MB of memory") from None


def _over(limit: str, message: str) -> Failure:
    hint = f"convert less of the specification, or raise `limits.{limit}` in the profile"
    return Failure(Diagnostic(f"limits/{limit.partition('_')[0]}", message, hint=hint), ExitCode.ENVIRONMENT)


@contextmanager
def _time(seconds: int) -> Iterator[None]:
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise _TimeIsUp

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _memory(megabytes: int) -> Iterator[None]:
    """Limit the data of this process, and of each that it starts; a lower limit of the system stays."""
    if not sys.platform.startswith("linux"):
        yield
        return
    import resource  # noqa: PLC0415 - there is none on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    known = [limit for limit in (megabytes << 20, soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(known), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
