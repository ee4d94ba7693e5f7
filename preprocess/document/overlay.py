"""Apply overlays to a specification (OpenAPI Overlay 1.0.0).

Values that an overlay adds keep their position in the overlay, so that reports can tell them from the specification.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jsonpath

from pipeline.model.diagnostics import Diagnostic, Failure, Severity
from pipeline.model.document.located import LocatedList, LocatedMap, get_place, locate_child, make_list, make_map

HINT = "see OpenAPI Overlay 1.0.0, section 4.4: actions with `target` and `update` or `remove`"


def apply_overlay(document: LocatedMap, overlay: LocatedMap) -> tuple[LocatedMap, list[Diagnostic]]:
    """Apply the actions of an overlay; return the new document, and a warning for each target without a match.

    The document itself stays as it is: each action copies the values on the way to its matches.

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
        matches = _find_matches(document, action)
        if not matches:
            message = f"target `{action['target']}` is not in the specification"
            hint = "remove the action if the target no longer exists"
            warnings.append(Diagnostic("overlay/no-match", message, action.place, hint, Severity.WARNING))
        # In reverse, so that the index of an item stays valid while items behind it are removed.
        for match in reversed(matches):
            document = _apply_action(document, action, match.parts)
    return document, warnings


def _find_matches(document: LocatedMap, action: LocatedMap) -> list[jsonpath.JSONPathMatch]:
    try:
        return list(jsonpath.finditer(action["target"], document))
    except jsonpath.JSONPathError as error:
        message = f"`{action['target']}` is no JSONPath: {str(error).splitlines()[0]}"
        raise Failure(Diagnostic("overlay/invalid", message, action.place, HINT)) from None


def _apply_action(document: LocatedMap, action: LocatedMap, path: Sequence[str | int]) -> LocatedMap:
    """Return a copy of the document in which an action is applied to the value at a path."""
    result: LocatedMap
    if action.get("remove") is not True:
        result = _replace_value(document, path, lambda target: _update_value(target, action["update"], action))
        return result
    if not path:
        raise Failure(Diagnostic("overlay/invalid", "cannot remove the whole document", action.place, HINT))
    result = _replace_value(document, path[:-1], lambda parent: _remove_item(parent, path[-1]))
    return result


def _replace_value(value: Any, path: Sequence[str | int], edit: Callable[[Any], Any]) -> Any:
    """Return a copy of a value in which `edit` replaced the value at a path."""
    if not path:
        return edit(value)
    copy = _copy_container(value)
    copy[path[0]] = _replace_value(value[path[0]], path[1:], edit)
    return copy


def _copy_container(value: Any) -> Any:
    return make_map(value, value.place) if isinstance(value, LocatedMap) else make_list(value, value.place)


def _remove_item(parent: Any, key: str | int) -> Any:
    copy = _copy_container(parent)
    del copy[key]
    return copy


def _update_value(target: Any, update: Any, action: LocatedMap) -> Any:
    if isinstance(target, LocatedMap) and isinstance(update, LocatedMap):
        copy = make_map(target, target.place)
        for key, value in update.items():
            nested = isinstance(target.get(key), LocatedMap) and isinstance(value, LocatedMap)
            copy[key] = _update_value(target[key], value, action) if nested else value
        return copy
    if isinstance(target, LocatedList):
        return make_list([*target, update], target.place)
    message = f"expected `{action['target']}` to be a list, or an object to update with an object"
    raise Failure(Diagnostic("overlay/invalid", message, locate_child(action.place, "update"), HINT))
