"""The two output streams: progress and results on the standard output, diagnostics on the standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import typer
from rich.console import Console

from pipeline.model.diagnostics import Diagnostic, Severity

_COLORS = {Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def open_console() -> Console:
    """Return the console of the standard output; lines in a file or pipe may be 200 characters long."""
    return Console(width=None if sys.stdout.isatty() else 200)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines to the standard output."""
    for line in lines:
        typer.echo(line)


def print_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics to the standard error, one a line."""
    console = Console(stderr=True)
    for diagnostic in diagnostics:
        style = _COLORS.get(diagnostic.severity, "red") if console.is_terminal else None
        console.print(str(diagnostic), style=style, markup=False, highlight=False, soft_wrap=True)
