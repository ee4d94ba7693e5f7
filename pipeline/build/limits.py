"""The limits of a build: its time, its memory, and the depth of its recursion.

Time and memory are limits of the operating system. A build that exceeds one ends with a diagnostic, before it has
promoted anything.
"""

from __future__ import annotations

import resource
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.model.profile.profile import Limits

_NO_THREAD = "can't start new thread"
# Each step of the conversion takes a few frames; Python's default of 1,000 is too low for chains of schemas.
_RECURSION_LIMIT = 10_000


class _TimeLimitExceeded(BaseException):
    """Raised wherever the build is; as a BaseException it passes every handler of errors."""


@contextmanager
def limit_resources(limits: Limits) -> Iterator[None]:
    """Apply the limits of time and memory, as far as the system can: memory on Linux, time in the main thread.

    Raises:
        Failure: `limits/seconds`, `limits/memory`.
    """
    try:
        with _limit_memory(limits.memory_mb), _limit_time(limits.seconds):
            yield
    except _TimeLimitExceeded:
        raise _exceeded("seconds", f"the build took more than {limits.seconds} s") from None
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and str(error) != _NO_THREAD:
            raise
        raise _exceeded("memory_mb", f"the build needs more than {limits.memory_mb} MB of memory") from None


@contextmanager
def allow_deep_recursion(place: Place) -> Iterator[None]:
    """Raise Python's recursion limit until the block ends; a diagnostic names the place of the document.

    Raises:
        Failure: `spec/too-deep` if the recursion exceeds the higher limit, too.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION_LIMIT))
    try:
        yield
    except RecursionError:
        message = "its schemas lead to one another too many times over"
        hint = "leave some of them out of the profile's scope"
        raise Failure(Diagnostic("spec/too-deep", message, place, hint)) from None
    finally:
        sys.setrecursionlimit(before)


def _exceeded(limit: str, message: str) -> Failure:
    hint = f"convert less of the specification, or raise `limits.{limit}` in the profile"
    return Failure(Diagnostic(f"limits/{limit.partition('_')[0]}", message, hint=hint), ExitCode.ENVIRONMENT)


@contextmanager
def _limit_time(seconds: int) -> Iterator[None]:
    """Raise `_TimeLimitExceeded` in the main thread once the time is over."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise _TimeLimitExceeded

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _limit_memory(megabytes: int) -> Iterator[None]:
    """Limit the data of this process, and of each that it starts; a lower limit of the system stays."""
    if not sys.platform.startswith("linux"):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limits = [limit for limit in (megabytes << 20, soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(limits), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
