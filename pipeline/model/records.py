"""Frozen records that are extended from step to step, as in the passes of `preprocess` and the stages of a build."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, TypeVar

Record = TypeVar("Record")


def extend_record(kind: type[Record], record: Any, **values: Any) -> Record:
    """Return a record of `kind`, the class of `record` or one derived from it, with `values` replaced or added."""
    return kind(**{item.name: getattr(record, item.name) for item in fields(record)} | values)


def run_steps(steps: Iterable[Callable[[Any], Any]], record: Any) -> Any:
    """Run the steps in their order, each on the record that the one before returned, and return the last record."""
    for run_step in steps:
        record = run_step(record)
    return record
