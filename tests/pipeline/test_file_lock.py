"""The lock of a folder: one holder at a time, no file left behind, released by a process that is killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.file_lock import lock_folder

HOLD = """
import sys
from pathlib import Path
from pipeline.file_lock import lock_folder
with lock_folder(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_folder_has_one_holder(tmp_path: Path) -> None:
    with lock_folder(tmp_path), pytest.raises(TimeoutError), lock_folder(tmp_path, 0.1):
        pass
    with lock_folder(tmp_path, 0.1):
        assert list(tmp_path.iterdir()) == []


def test_a_killed_process_releases_its_lock(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(TimeoutError), lock_folder(tmp_path, 0.1):
            pass
        process.kill()
        process.wait()
        with lock_folder(tmp_path, 5):
            pass
