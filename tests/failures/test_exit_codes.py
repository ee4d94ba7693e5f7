"""The exit codes are what is documented."""

from __future__ import annotations

from pipeline.model.diagnostics import ExitCode


def test_exit_codes() -> None:
    assert {code.name: code.value for code in ExitCode} == {"DONE": 0, "REFUSED": 1, "BAD_INPUT": 2, "ENVIRONMENT": 3}
