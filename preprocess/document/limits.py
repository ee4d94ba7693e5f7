"""Check that a specification stays within the limits of the profile, before it is converted."""

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
    diagnostics = [*_check_schemas(document, limits.schemas), *_check_members(document, limits.members)]
    if diagnostics:
        raise Failure(diagnostics)


def _check_schemas(document: LocatedMap, most: int) -> Iterator[Diagnostic]:
    components = document.get("components")
    schemas = components.get("schemas") if isinstance(components, LocatedMap) else None
    if isinstance(schemas, LocatedMap) and len(schemas) > most:
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
