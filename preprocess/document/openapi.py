"""Check that a document is one of OpenAPI 3.0 or 3.1 (OpenAPI 3.1.0, section 4.8.1)."""

from __future__ import annotations

from typing import Any

from pipeline.model.diagnostics import Diagnostic, Failure, Place
from pipeline.model.document.located import LocatedMap, get_place, locate_child

_TYPES: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "a boolean"),
    ((int, float), "a number"),
    (str, "a string"),
    (list, "a list"),
    (dict, "an object"),
)
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


def check_openapi(document: LocatedMap) -> LocatedMap:
    """Return the document if it declares OpenAPI 3.0 or 3.1 and has paths.

    Raises:
        Failure: `spec/not-openapi`, `spec/version`, `spec/no-paths`, `spec/malformed`.
    """
    place = document.place
    if "openapi" not in document:
        hint = "name the specification itself; its root has a key `openapi`"
        raise Failure(Diagnostic("spec/not-openapi", "the root has no key `openapi`", place, hint))
    version = str(document["openapi"])
    if not version.startswith(("3.0", "3.1")):
        message, hint = f"expected OpenAPI 3.0 or 3.1, found {version}", "convert the specification to 3.1"
        raise Failure(Diagnostic("spec/version", message, locate_child(place, "openapi"), hint))
    if not isinstance(document.get("paths"), LocatedMap):
        hint = "name the merged specification"
        raise Failure(Diagnostic("spec/no-paths", "the specification has no `paths`", place, hint))
    components = document.get("components", {})
    if not isinstance(components, LocatedMap | dict):
        raise report_malformed("an object", components, locate_child(place, "components"))
    return document


def report_malformed(expected: str, value: Any, default: Place) -> Failure:
    """Return the failure for a value of the wrong type; `default` is its position if it has none itself."""
    actual = next((name for types, name in _TYPES if isinstance(value, types)), "nothing")
    hint = "fix the specification, or an overlay that changes it"
    return Failure(
        Diagnostic("spec/malformed", f"expected {expected}, found {actual}", get_place(value, default), hint)
    )
