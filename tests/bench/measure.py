"""One build, watched from outside: seconds by stage, and the memory of all its processes together."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

# Asking takes some milliseconds of the processors that the build needs.
POLLED = 0.1
_SCHEMAS = re.compile(r"OpenAPI Generator, (\d+) schemas")


@dataclass(frozen=True)
class Run:
    """One build: seconds in all and by stage, the most memory that all its processes held, in MB, and its schemas."""

    seconds: float
    stages: dict[str, float]
    memory: float
    schemas: int = 0


def measured(arguments: list[str]) -> Run:
    """Run one build and watch it."""
    program = str(Path(sys.executable).parent / "spec2proto")
    began = time.perf_counter()
    process = subprocess.Popen([program, "build", *arguments], stdout=subprocess.PIPE, text=True)
    watched, memory = psutil.Process(process.pid), 0
    while process.poll() is None:
        memory = max(memory, resident(watched))
        time.sleep(POLLED)
    seconds = time.perf_counter() - began
    assert process.stdout is not None
    lines = process.stdout.read().splitlines()
    assert process.returncode == 0, lines
    stages = {line.split()[0]: float(line.split()[-2]) for line in lines if line.endswith(" s")}
    found = _SCHEMAS.search("\n".join(lines))
    return Run(seconds, stages, memory / 1e6, int(found[1]) if found else 0)


def resident(process: psutil.Process) -> int:
    """Bytes that a process and its descendants hold."""
    total = 0
    for one in [process, *process.children(recursive=True)]:
        try:
            total += one.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return total
