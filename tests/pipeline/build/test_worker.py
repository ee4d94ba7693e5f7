"""A worker returns what the work returns here, whatever happens to its process."""

from __future__ import annotations

import os
import signal
import sys
import time

import psutil
import pytest

from pipeline.build.worker import start_worker
from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place

HERE = os.getpid()


def test_the_result_comes_from_another_process() -> None:
    with start_worker(os.getpid) as result:
        found = result()
    assert (found != HERE) is sys.platform.startswith("linux")


def test_what_is_large_arrives_whole() -> None:
    with start_worker(lambda: list(range(300_000))) as result:
        assert result() == list(range(300_000))


def test_a_failure_is_that_of_the_work() -> None:
    diagnostic = Diagnostic("codec/round-trip", "it does not survive", Place("spec.yaml", 3, 1), "look at it")

    def work() -> None:
        raise Failure(diagnostic, ExitCode.REFUSED)

    with start_worker(work) as result, pytest.raises(Failure) as raised:
        result()
    assert raised.value.diagnostics == [diagnostic]
    assert raised.value.exit_code is ExitCode.REFUSED


def test_a_process_that_is_killed_is_done_without() -> None:
    def work() -> str:
        if os.getpid() != HERE:
            os.kill(os.getpid(), signal.SIGKILL)
        return "done"

    with start_worker(work) as result:
        assert result() == "done"


def test_a_result_that_cannot_travel_is_made_here(capfd: pytest.CaptureFixture[str]) -> None:
    with start_worker(lambda: lambda: 3) as result:
        assert result()() == 3
    assert "Traceback" not in capfd.readouterr().err


def test_nothing_goes_on_when_nobody_asks() -> None:
    before = set(psutil.Process().children())
    began = time.monotonic()
    with start_worker(lambda: time.sleep(60)):
        pass
    assert time.monotonic() - began < 30
    assert set(psutil.Process().children()) <= before


def test_what_is_open_here_is_not_kept_open_there() -> None:
    receiver, sender = os.pipe()
    with start_worker(lambda: time.sleep(60)), os.fdopen(receiver, "rb") as pipe:
        os.close(sender)
        assert pipe.read() == b""
