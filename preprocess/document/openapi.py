"""Check that a document is OpenAPI 3.0 or 3.1 (OpenAPI 3.1.0, section 4.8.1), and within the limits of the profile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipeline.model.diagnostics import Diagnostic, Failure, Place
from pipeline.model.document.located import LocatedMap, get_place, locate_child, walk_maps
from pipeline.model.profile.profile import Limits

# `bool` comes first, because Python's booleans are integers.
_TYPES: dict[str, Any] = {
    "a boolean": bool,
    "a number": int | float,
    "a string": str,
    "a list": list,
    "an object": dict,
}
_MEMBERS = frozenset({"properties", "enum", "oneOf", "anyOf", "allOf", "prefixItems", "parameters"})
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
    actual = next((name for name, types in _TYPES.items() if isinstance(value, types)), "nothing")
    hint = "fix the specification, or an overlay that changes it"
    message = f"expected {expected}, found {actual}"
    return Failure(Diagnostic("spec/malformed", message, get_place(value, default), hint))


def get_component_schemas(document: LocatedMap) -> LocatedMap:
    """Return the component schemas of a document that may be malformed; empty if it has none."""
    components = document.get("components")
    schemas = components.get("schemas") if isinstance(components, LocatedMap) else None
    return schemas if isinstance(schemas, LocatedMap) else LocatedMap()


def check_limits(document: LocatedMap, limits: Limits) -> None:
    """Refuse a document with more schemas, or larger ones, than the profile allows.

    Raises:
        Failure: `limits/schemas`, `limits/members`.
    """
    diagnostics = [*_check_schemas(document, limits.schemas), *_check_members(document, limits.members)]
    if diagnostics:
        raise Failure(diagnostics)


def _check_schemas(document: LocatedMap, most: int) -> Iterator[Diagnostic]:
    schemas = get_component_schemas(document)
    if len(schemas) > most:
        yield _report_limit("schemas", f"found {len(schemas)} schemas, expected at most {most}", schemas.place)


def _check_members(document: LocatedMap, most: int) -> Iterator[Diagnostic]:
    for node in walk_maps(document):
        for key in [] if _MEMBERS.isdisjoint(node) else sorted(_MEMBERS & node.keys()):
            value = node[key]
            if isinstance(value, dict | list) and len(value) > most:
                place = get_place(value, locate_child(node.place, key))
                yield _report_limit("members", f"found {len(value)} members of `{key}`, expected at most {most}", place)


def _report_limit(limit: str, message: str, place: Place) -> Diagnostic:
    hint = f"split it; if it has to be this large, raise `limits.{limit}` in the profile"
    return Diagnostic(f"limits/{limit}", message, place, hint)
