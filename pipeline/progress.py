"""Progress: a line a stage with its time; live on a terminal, plain where the output goes to a file."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console


class Progress:
    """Tells which stage runs, and keeps the seconds that each took."""

    def __init__(self, console: Console, *, quiet: bool = False, verbose: bool = False) -> None:
        """Write to a console; `quiet` keeps the times and says nothing."""
        self.console = console
        self.quiet = quiet
        self.verbose = verbose
        self.timings: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str, what: str) -> Iterator[None]:
        """One stage: its name as in the report, and what it does in a few words."""
        began = time.perf_counter()
        live = self.console.is_terminal and not self.quiet
        if live:
            with self.console.status(f"{name}: {what}"):
                yield
        else:
            yield
        self.timings[name] = self.timings.get(name, 0.0) + time.perf_counter() - began
        self._line(name, what)

    def _line(self, name: str, what: str) -> None:
        if not self.quiet:
            self.console.print(f"{name:<11} {what:<58} {self.timings[name]:6.2f} s", highlight=False, markup=False)

    def detail(self, text: str) -> None:
        """Something that only `--verbose` shows."""
        if self.verbose and not self.quiet:
            self.console.print(f"            {text}", highlight=False, markup=False, soft_wrap=True)
