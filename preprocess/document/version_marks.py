"""Collect the version marks of a specification: `x-version-added`, `x-version-deprecated`, `x-version-removed`."""

from __future__ import annotations

from pipeline.model.api_versions import Marks, Span
from pipeline.model.diagnostics import Failure
from pipeline.model.document.located import LocatedMap, walk_maps
from preprocess.document.versions import parse_version

ADDED, DEPRECATED, REMOVED = "x-version-added", "x-version-deprecated", "x-version-removed"


def collect_version_marks(document: LocatedMap) -> Marks:
    """Return the version span of every marked element, by its JSON pointer.

    Invalid versions are ignored here; `preprocess.document.versions` refuses those that affect the contract.
    """
    marks = {}
    for node in walk_maps(document):
        if ADDED in node or DEPRECATED in node or REMOVED in node:
            marks[node.place.pointer] = Span(
                _parse_mark(node, ADDED), _parse_mark(node, DEPRECATED), _parse_mark(node, REMOVED)
            )
    return marks


def _parse_mark(node: LocatedMap, key: str) -> tuple[int, ...] | None:
    try:
        return parse_version(node[key], node) if key in node else None
    except Failure:
        return None
