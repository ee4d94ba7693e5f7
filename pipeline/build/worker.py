"""Run a computation in a forked copy of this process, on another processor.

The round trip of `opensearch-full` takes 1.2 s and needs only the numbered contract, so it runs while constraints are
planned. That saves 0.6 s of 8.4 s; `rules/decisions/speed.md` says why it stays although it is less than a tenth.

A thread would gain nothing: Python and the protobuf runtime hold the interpreter lock. A fork inherits the contract, so
only the result is pickled. Where the system has no safe fork, the work is done when its result is needed.
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

_OPEN_FILES = Path("/proc/self/fd")
_FIRST_INHERITED = 3  # after the three standard streams


@contextmanager
def start_worker(work: Callable[[], T]) -> Iterator[Callable[[], T]]:
    """Start some work in a forked process; a process that still runs at the end of the block is killed.

    Args:
        work: changes nothing but memory. Its result, or its exception, can be pickled; else it is repeated here.

    Yields:
        A function that waits for the result, to be called once; it raises what the work raised.
    """
    if not sys.platform.startswith("linux"):  # macOS has fork, and system libraries that do not survive it
        yield work
        return
    with _block_signals():
        receiver, process = _start_process(work)
    if process is None:
        yield work
        return
    try:
        yield lambda: _wait_for_result(receiver, work)
    finally:
        process.kill()
        process.join()
        receiver.close()


@contextmanager
def _block_signals() -> Iterator[None]:
    """Delay signals: Python prints and drops an exception that a handler raises inside a fork hook."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGALRM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_process(work: Callable[[], object]) -> tuple[Connection, BaseProcess | None]:
    """Return the connection for the result, and the process; None if the system has no room for one."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send_result, args=(work, sender), daemon=True)
    try:
        process.start()
    except OSError:
        receiver.close()
        return receiver, None
    finally:
        sender.close()
    return receiver, process


def _send_result(work: Callable[[], object], sender: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt ends the build, which then ends this process
    # Close inherited file descriptors; otherwise a pipe or lock stays open after the parent closes it.
    for number in [int(path.name) for path in _OPEN_FILES.iterdir()]:
        if number >= _FIRST_INHERITED and number != sender.fileno():
            with suppress(OSError):  # the descriptor of the listing itself is closed by now
                os.close(number)
    outcome: tuple[object, Exception | None]
    try:
        outcome = (work(), None)
    except Exception as error:
        outcome = (None, error)
    # Without a message the parent does the work itself.
    with suppress(pickle.PicklingError, AttributeError, TypeError, OSError):
        sender.send(outcome)


def _wait_for_result(receiver: Connection, work: Callable[[], T]) -> T:
    try:
        result, error = receiver.recv()
    except EOFError:
        return work()
    if error is not None:
        raise error
    value: T = result
    return value
