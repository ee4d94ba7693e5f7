"""Check that a document is one of OpenAPI 3.0 or 3.1.

Source: OpenAPI 3.1.0, section 4.8.1 (OpenAPI object).
"""

from __future__ import annotations

from typing import Any

from pipeline.model.diagnostics import Diagnostic, Failure, Place
from pipeline.model.document.located import LocatedMap, get_place, locate_child

_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "a boolean"),
    ((int, float), "a number"),
    (str, "a text"),
    (list, "a list"),
    (dict, "an object"),
)
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


def check_openapi(document: LocatedMap) -> LocatedMap:
    """The same document, if it says that it is OpenAPI 3.0 or 3.1 and has paths.

    Raises:
        Failure: `spec/not-openapi`, `spec/version`, `spec/no-paths`, `spec/malformed`.
    """
    place = document.place
    if "openapi" not in document:
        hint = "name the specification itself; its root has a key `openapi`"
        raise Failure(Diagnostic("spec/not-openapi", "the root has no key `openapi`", place, hint))
    version = str(document["openapi"])
    if not version.startswith(("3.0", "3.1")):
        hint = "use OpenAPI 3.0 or 3.1"
        raise Failure(
            Diagnostic("spec/version", f"OpenAPI {version} is not known", locate_child(place, "openapi"), hint)
        )
    if not isinstance(document.get("paths"), LocatedMap):
        raise Failure(
            Diagnostic("spec/no-paths", "the specification has no `paths`", place, "name the merged specification")
        )
    components = document.get("components", {})
    if not isinstance(components, LocatedMap | dict):
        raise report_malformed("an object", components, locate_child(place, "components"))
    return document


def report_malformed(what: str, value: Any, default: Place) -> Failure:
    """The failure for a part of a spec that is of the wrong type."""
    found = next((words for kinds, words in _KINDS if isinstance(value, kinds)), "nothing")
    hint = "mend the specification, or an overlay that changes it"
    return Failure(Diagnostic("spec/malformed", f"expected {what}, found {found}", get_place(value, default), hint))
