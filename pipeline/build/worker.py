"""Work aside: done by a copy of this process on another processor, while this one goes on.

What is to be worked on need not be handed over, as the copy has it; only what comes of it travels. Where the system
makes no such copies (fork), the work is done when its result is asked for.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_OPEN = Path("/proc/self/fd")
_FIRST_OWN = 3


@contextmanager
def aside(work: Callable[[], T]) -> Iterator[Callable[[], T]]:
    """Begin to do some work aside; what is not done when the block ends is given up.

    Args:
        work: changes nothing but memory, and what it returns or raises can be pickled.

    Yields:
        What waits for the result, which is asked for once; it raises what the work raised.
    """
    if not sys.platform.startswith("linux"):  # macOS has fork, and system libraries that do not survive it
        yield work
        return
    with _uninterrupted():
        receiver, process = _started(work)
    if process is None:
        yield work
        return
    try:
        yield lambda: _told(receiver, work)
    finally:
        process.kill()
        process.join()
        receiver.close()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let signals wait: what one raises in a hook around a fork, or where an object ends, is told and forgotten."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGALRM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _started(work: Callable[[], object]) -> tuple[Connection, BaseProcess | None]:
    """Where the result will come from, and the process; none where the system has no room for it."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_tell, args=(work, sender), daemon=True)
    try:
        process.start()
    except OSError:
        receiver.close()
        return receiver, None
    finally:
        sender.close()
    return receiver, process


def _tell(work: Callable[[], object], sender: Connection) -> None:
    """Do the work, and tell what came of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who is interrupted is the build, and it ends this
    # A pipe or a lock that is also open here would outlive the one whose it is.
    for number in [int(path.name) for path in _OPEN.iterdir()]:
        if number >= _FIRST_OWN and number != sender.fileno():
            with suppress(OSError):  # the folder itself was open while it was listed
                os.close(number)
    outcome: tuple[object, Exception | None]
    try:
        outcome = (work(), None)
    except Exception as error:
        outcome = (None, error)
    # A result that cannot travel is as good as none.
    with suppress(pickle.PicklingError, AttributeError, TypeError, OSError):
        sender.send(outcome)


def _told(receiver: Connection, work: Callable[[], T]) -> T:
    """What came of the work; a process that ended without a word told nothing, and its work is done here."""
    try:
        result, error = receiver.recv()
    except EOFError:
        return work()
    if error is not None:
        raise error
    found: T = result
    return found
