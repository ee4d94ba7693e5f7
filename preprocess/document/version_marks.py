"""Since when, and until when, the API has what: the marks `x-version-added`, `-deprecated` and `-removed`, by place."""

from __future__ import annotations

from pipeline.model.api_versions import Marks, Span
from pipeline.model.diagnostics import Failure
from pipeline.model.document.located import LocatedMap, walk_maps
from preprocess.document.versions import parse_version

ADDED, DEPRECATED, REMOVED = "x-version-added", "x-version-deprecated", "x-version-removed"


def collect_version_marks(document: LocatedMap) -> Marks:
    """The span of every element of the specification that has a mark, by its JSON pointer.

    What is no version is passed over: where it decides about the contract, `preprocess.document.versions` refuses it.
    """
    found = {}
    for node in walk_maps(document):
        if ADDED in node or DEPRECATED in node or REMOVED in node:
            found[node.place.pointer] = Span(_of(node, ADDED), _of(node, DEPRECATED), _of(node, REMOVED))
    return found


def _of(node: LocatedMap, key: str) -> tuple[int, ...] | None:
    try:
        return parse_version(node[key], node) if key in node else None
    except Failure:
        return None
