"""Apply overlays to a specification (OpenAPI Overlay 1.0.0).

Values that an overlay adds keep their position in the overlay, so that reports can tell them from the specification.
"""

from __future__ import annotations

from typing import Any

import jsonpath

from pipeline.model.diagnostics import Diagnostic, Failure, Severity
from pipeline.model.document.located import LocatedList, LocatedMap, get_place, locate_child

HINT = "see OpenAPI Overlay 1.0.0, section 4.4: actions with `target` and `update` or `remove`"


def apply_overlay(document: LocatedMap, overlay: LocatedMap) -> tuple[LocatedMap, list[Diagnostic]]:
    """Apply the actions of an overlay to a document in place; return it, and a warning for each target without a match.

    Raises:
        Failure: `overlay/…` if the overlay is invalid, or a target is no JSONPath (RFC 9535).
    """
    place = overlay.place
    if not str(overlay.get("overlay", "")).startswith("1.") or not isinstance(overlay.get("actions"), list):
        raise Failure(Diagnostic("overlay/invalid", "expected `overlay: 1.0.0` and `actions`", place, HINT))
    warnings = []
    for action in overlay["actions"]:
        if not isinstance(action, LocatedMap) or not isinstance(action.get("target"), str):
            message, place = "expected an action with a `target`", get_place(action, place)
            raise Failure(Diagnostic("overlay/invalid", message, place, HINT))
        if action.get("remove") is not True and "update" not in action:
            message = "expected an action with `update` or `remove`"
            raise Failure(Diagnostic("overlay/invalid", message, action.place, HINT))
        if not _apply_action(document, action):
            message = f"target `{action['target']}` is not in the specification"
            hint = "remove the action if the target no longer exists"
            warnings.append(Diagnostic("overlay/no-match", message, action.place, hint, Severity.WARNING))
    return document, warnings


def _apply_action(document: LocatedMap, action: LocatedMap) -> bool:
    """Apply one action to all matches of its target; return whether there are any."""
    try:
        matches = list(jsonpath.finditer(action["target"], document))
    except jsonpath.JSONPathError as error:
        message = f"`{action['target']}` is no JSONPath: {str(error).splitlines()[0]}"
        raise Failure(Diagnostic("overlay/invalid", message, action.place, HINT)) from None
    for match in reversed(matches):
        if action.get("remove") is True:
            _remove_match(match, action)
        else:
            _update_value(match.obj, action["update"], action)
    return bool(matches)


def _remove_match(match: jsonpath.JSONPathMatch, action: LocatedMap) -> None:
    if match.parent is None:
        raise Failure(Diagnostic("overlay/invalid", "cannot remove the whole document", action.place, HINT))
    parent = match.parent.obj
    if isinstance(parent, (LocatedMap, LocatedList)):
        del parent[match.parts[-1]]  # type: ignore[arg-type] # a key of a mapping, an index of a list


def _update_value(target: Any, update: Any, action: LocatedMap) -> None:
    if isinstance(target, LocatedMap) and isinstance(update, LocatedMap):
        for key, value in update.items():
            if isinstance(target.get(key), LocatedMap) and isinstance(value, LocatedMap):
                _update_value(target[key], value, action)
            else:
                target[key] = value
    elif isinstance(target, LocatedList):
        target.append(update)
    else:
        message = f"expected `{action['target']}` to be a list, or an object to update with an object"
        raise Failure(Diagnostic("overlay/invalid", message, locate_child(action.place, "update"), HINT))
