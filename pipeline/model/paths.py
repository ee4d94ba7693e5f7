"""Paths of the checkout: its root folder, and how messages and reports print a path."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def format_path(path: Path) -> str:
    """Return a path relative to the checkout where it is inside, else the path unchanged."""
    absolute = path.resolve()
    return str(absolute.relative_to(ROOT)) if absolute.is_relative_to(ROOT) else str(path)
