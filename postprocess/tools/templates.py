"""Load the Jinja templates that print text, not HTML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def load_templates(folder: Path, **filters: Callable[..., str]) -> Environment:
    """Return the templates of a folder with filters; values are not escaped, and an undefined name is an error."""
    environment = Environment(  # noqa: S701 - Markdown, protos and code; filters escape what is not ours
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= filters
    return environment
