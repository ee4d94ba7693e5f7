"""Limits: what a spec may have much of, but not without end. Seen before anything is converted."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.model.diagnostics import Diagnostic, Failure, Place
from pipeline.model.document.located import LocatedMap, get_place, locate_child, walk_maps
from pipeline.model.profile.profile import Limits

_MEMBERS = frozenset({"properties", "enum", "oneOf", "anyOf", "allOf", "prefixItems", "parameters"})


def check_limits(document: LocatedMap, limits: Limits) -> None:
    """Refuse a document with more schemas, or larger ones, than the profile allows.

    Raises:
        Failure: `limits/schemas`, `limits/members`.
    """
    diagnostics = [*_schemas(document, limits.schemas), *_members(document, limits.members)]
    if diagnostics:
        raise Failure(diagnostics)


def _schemas(document: LocatedMap, most: int) -> Iterator[Diagnostic]:
    components = document.get("components")
    schemas = components.get("schemas") if isinstance(components, LocatedMap) else None
    if isinstance(schemas, LocatedMap) and len(schemas) > most:
        yield _diagnostic("schemas", f"{len(schemas)} schemas, {most} are allowed", schemas.place)


def _members(document: LocatedMap, most: int) -> Iterator[Diagnostic]:
    for node in walk_maps(document):
        for key in [] if _MEMBERS.isdisjoint(node) else sorted(_MEMBERS & node.keys()):
            value = node[key]
            if isinstance(value, dict | list) and len(value) > most:
                place = get_place(value, locate_child(node.place, key))
                yield _diagnostic("members", f"{len(value)} members of `{key}`, {most} are allowed", place)


def _diagnostic(limit: str, message: str, place: Place) -> Diagnostic:
    hint = f"split it; if it has to be as large, raise `limits.{limit}` in the profile"
    return Diagnostic(f"limits/{limit}", message, place, hint)
