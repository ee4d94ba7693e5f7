"""Overlays: hand refinements of a spec as data (OpenAPI Overlay 1.0.0).

What an overlay adds stands at the overlay's own place, so that a report can say that it is in no spec.
"""

from __future__ import annotations

from typing import Any

import jsonpath

from pipeline.model.diagnostics import Diagnostic, Failure, Place, Severity
from pipeline.model.document.located import LocatedList, LocatedMap, escape_token, get_place

HINT = "see OpenAPI Overlay 1.0.0, section 4.4: actions with `target` and `update` or `remove`"


def apply_overlay(document: LocatedMap, overlay: LocatedMap) -> tuple[LocatedMap, list[Diagnostic]]:
    """Apply an overlay's actions in order; the document is changed in place.

    Returns:
        The document, and a warning for each action whose target is nowhere in it.

    Raises:
        Failure: `overlay/…` when the overlay is none, or a target is no JSONPath (RFC 9535).
    """
    place = overlay.place
    if not str(overlay.get("overlay", "")).startswith("1.") or not isinstance(overlay.get("actions"), list):
        raise Failure(Diagnostic("overlay/invalid", "expected `overlay: 1.0.0` and `actions`", place, HINT))
    diagnostics = []
    for action in overlay["actions"]:
        if not isinstance(action, LocatedMap) or not isinstance(action.get("target"), str):
            raise Failure(Diagnostic("overlay/invalid", "an action needs a `target`", get_place(action, place), HINT))
        if action.get("remove") is not True and "update" not in action:
            raise Failure(
                Diagnostic("overlay/invalid", "an action needs an `update` or a `remove`", action.place, HINT)
            )
        if not _apply(document, action):
            message = f"target `{action['target']}` is not in the spec"
            hint = "remove the action if its subject is gone for good"
            diagnostics.append(Diagnostic("overlay/no-match", message, action.place, hint, Severity.WARNING))
    return document, diagnostics


def _apply(document: LocatedMap, action: LocatedMap) -> bool:
    try:
        matches = list(jsonpath.finditer(action["target"], document))
    except jsonpath.JSONPathError as error:
        message = f"`{action['target']}` is no JSONPath: {str(error).splitlines()[0]}"
        raise Failure(Diagnostic("overlay/invalid", message, action.place, HINT)) from None
    for match in reversed(matches):
        if action.get("remove") is True:
            _remove(match, action)
        else:
            _update(match.obj, action["update"], action)
    return bool(matches)


def _remove(match: jsonpath.JSONPathMatch, action: LocatedMap) -> None:
    if match.parent is None:
        raise Failure(Diagnostic("overlay/invalid", "the whole document cannot be removed", action.place, HINT))
    holder = match.parent.obj
    if isinstance(holder, (LocatedMap, LocatedList)):
        del holder[match.parts[-1]]  # type: ignore[arg-type] # a key of a mapping, an index of a list


def _update(target: Any, update: Any, action: LocatedMap) -> None:
    if isinstance(target, LocatedMap) and isinstance(update, LocatedMap):
        for key, value in update.items():
            if isinstance(target.get(key), LocatedMap) and isinstance(value, LocatedMap):
                _update(target[key], value, action)
            else:
                target[key] = value
    elif isinstance(target, LocatedList):
        target.append(update)
    else:
        place = Place(
            action.place.file,
            action.place.line,
            action.place.column,
            f"{action.place.pointer}/{escape_token('update')}",
        )
        raise Failure(
            Diagnostic("overlay/invalid", f"`{action['target']}` is neither an object nor a list", place, HINT)
        )
