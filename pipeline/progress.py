"""The progress display: one line for each stage with its time; a terminal also shows the running stage."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from rich.console import Console


class Progress:
    """Shows the running stage, and records the seconds of each stage in `timings`."""

    def __init__(self, console: Console, *, quiet: bool = False, verbose: bool = False) -> None:
        """Write to a console; with `quiet` only record the seconds."""
        self.console = console
        self.quiet = quiet
        self.verbose = verbose
        self.timings: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str, description: str) -> Iterator[None]:
        """Measure one stage by its name in the report; the description says its work in a few words."""
        start = time.perf_counter()
        live = self.console.is_terminal and not self.quiet
        with self.console.status(f"{name}: {description}") if live else nullcontext():
            yield
        self.timings[name] = self.timings.get(name, 0.0) + time.perf_counter() - start
        if not self.quiet:
            line = f"{name:<11} {description:<58} {self.timings[name]:6.2f} s"
            self.console.print(line, highlight=False, markup=False)

    def detail(self, text: str) -> None:
        """Print a line that only `--verbose` shows."""
        if self.verbose and not self.quiet:
            self.console.print(f"            {text}", highlight=False, markup=False, soft_wrap=True)
