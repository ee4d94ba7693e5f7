"""Lock a folder for one process at a time.

The lock is an `flock` on the folder itself: no lock file stays behind, and the system releases the lock of a killed
process. Some network disks have no such locks; there the caller goes on without one.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PAUSE_SECONDS = 0.05


@contextmanager
def lock_folder(folder: Path, seconds: float = float("inf")) -> Iterator[None]:
    """Hold the lock of an existing folder until the block ends.

    Raises:
        TimeoutError: if another process still holds the lock after `seconds`.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        _wait_for_lock(handle, time.monotonic() + seconds)
        yield
    finally:
        os.close(handle)


def _wait_for_lock(handle: int, end: float) -> None:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise TimeoutError from None
            time.sleep(_PAUSE_SECONDS)
        except OSError:
            return
        else:
            return
