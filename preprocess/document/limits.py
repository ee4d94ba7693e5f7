"""Limits: what a spec may have much of, but not without end. Seen before anything is converted."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.model.diagnostics import Failure, Finding, Place
from pipeline.model.document.located import Mapping, below, place_of, walk
from pipeline.model.profile.profile import Limits

_MEMBERS = frozenset({"properties", "enum", "oneOf", "anyOf", "allOf", "prefixItems", "parameters"})


def check_limits(document: Mapping, limits: Limits) -> None:
    """Refuse a document with more schemas, or larger ones, than the profile allows.

    Raises:
        Failure: `limits/schemas`, `limits/members`.
    """
    findings = [*_schemas(document, limits.schemas), *_members(document, limits.members)]
    if findings:
        raise Failure(findings)


def _schemas(document: Mapping, most: int) -> Iterator[Finding]:
    components = document.get("components")
    schemas = components.get("schemas") if isinstance(components, Mapping) else None
    if isinstance(schemas, Mapping) and len(schemas) > most:
        yield _finding("schemas", f"{len(schemas)} schemas, {most} are allowed", schemas.place)


def _members(document: Mapping, most: int) -> Iterator[Finding]:
    for node in walk(document):
        for key in [] if _MEMBERS.isdisjoint(node) else sorted(_MEMBERS & node.keys()):
            value = node[key]
            if isinstance(value, dict | list) and len(value) > most:
                place = place_of(value, below(node.place, key))
                yield _finding("members", f"{len(value)} members of `{key}`, {most} are allowed", place)


def _finding(limit: str, message: str, place: Place) -> Finding:
    hint = f"split it; if it has to be as large, raise `limits.{limit}` in the profile"
    return Finding(f"limits/{limit}", message, place, hint)
