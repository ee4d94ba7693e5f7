"""Build the matrix of API versions and releases of the protos.

Rows are versions of the API, columns are releases of the protos that the lock remembers. A cell counts the rpcs of the
release that the version serves, the fields that it does not have yet, and those that it no longer has. Source: the
`x-version-*` marks of the specification.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from pipeline.model.api_versions import ALWAYS, Marks, Span, Version, format_version
from pipeline.model.contract import Contract
from pipeline.model.diagnostics import Place
from pipeline.model.lock.model import Lock

CURRENT = "this build"


class _Member(NamedTuple):
    """A field, enum value or rpc: the API versions that have it, and the first release of the protos with it."""

    spans: tuple[Span, ...]
    since: Version | None
    is_rpc: bool = False

    def has(self, version: Version) -> bool:
        """Return whether a version of the API has the member, in at least one of its places."""
        return not self.spans or any(span.has(version) for span in self.spans)

    def is_new(self, version: Version) -> bool:
        """Return whether a version of the API does not have the member yet."""
        return bool(self.spans) and all(span.added is not None and span.added > version for span in self.spans)


def build_version_matrix(
    contract: Contract, lock: Lock, marks: Marks, servers: Mapping[str, Iterable[str]] | None = None
) -> dict[str, Any]:
    """Return the matrix as plain data; it has no rows if the specification has no version marks.

    The `servers` list by version the rpcs that real servers answered, as `Service/Rpc`.

    Returns:
        `releases` of the protos, the oldest first and this build last; `versions` of the API, the newest first, each
        with one cell per release; and `servers`, each with its `version` and the rpcs `answered` and `not`. A cell has
        the `rpcs` served `of` all, and counts of `new` and `gone` members.
    """
    members = Counter(_list_members(contract, lock, marks))
    releases = sorted({member.since for member in members if member.since})
    versions = _collect_versions(members)
    columns = [
        (
            format_version(release),
            {member: count for member, count in members.items() if member.since and member.since <= release},
        )
        for release in releases
    ]
    columns.append((CURRENT, members))
    return {
        "releases": [name for name, _ in columns],
        "versions": [
            {"version": format_version(version), "cells": [_count_cell(version, column) for _, column in columns]}
            for version in reversed(versions)
        ],
        "servers": [
            _describe_server(version, set(rpcs), contract) for version, rpcs in sorted((servers or {}).items())
        ],
    }


def _describe_server(version: str, answered: set[str], contract: Contract) -> dict[str, Any]:
    rpcs = sorted(f"{rpc.service}/{rpc.name}" for rpc in contract.rpcs)
    return {
        "version": version,
        "answered": [name for name in rpcs if name in answered],
        "not": [name for name in rpcs if name not in answered],
    }


def format_server(server: Mapping[str, Any]) -> str:
    """Format in one sentence which rpcs a server answers."""
    answered, missing = server["answered"], server["not"]
    total = len(answered) + len(missing)
    exceptions = f", not {', '.join(f'`{name}`' for name in missing)}" if missing else ""
    version = server["version"]
    return f"A server of {version} was asked over gRPC: it answers {len(answered)} of {total} rpcs{exceptions}."


def _collect_versions(members: Iterable[_Member]) -> list[Version]:
    versions = {
        number[:2]
        for member in members
        for span in member.spans
        for number in (span.added, span.removed)
        if number is not None
    }
    return sorted(versions)


def _count_cell(version: Version, members: Mapping[_Member, int]) -> dict[str, int]:
    cell = {"rpcs": 0, "of": 0, "new": 0, "gone": 0}
    # A patch release belongs to its minor version: a member added in 2.17.1 is in 2.17.
    latest = (*version, *[0] * (2 - len(version)), 1 << 30)
    for member, count in members.items():
        present = member.has(latest)
        if member.is_rpc:
            cell["of"] += count
            cell["rpcs"] += count * present
        elif not present:
            cell["new" if member.is_new(latest) else "gone"] += count
    return cell


def _list_members(contract: Contract, lock: Lock, marks: Marks) -> Iterator[_Member]:
    fields = {
        (name, entry.number, entry.name): entry.since
        for name, message in lock.messages.items()
        for entry in message.fields
    }
    for name, message in contract.messages.items():
        for item in message.fields:
            since = _parse_version(fields.get((name, item.number, item.name)))
            yield _Member(_collect_spans(item.places, marks), since)
    values = {(name, entry.number): entry.since for name, enum in lock.enums.items() for entry in enum.values}
    for name, enum in contract.enums.items():
        for value in enum.values:
            yield _Member(_collect_spans([value.place], marks), _parse_version(values.get((name, value.number))))
    rpcs = {(entry.service, entry.name): entry.since for entry in lock.rpcs}
    for rpc in contract.rpcs:
        yield _Member(_collect_spans(rpc.places, marks), _parse_version(rpcs.get((rpc.service, rpc.name))), is_rpc=True)


def _collect_spans(places: Iterable[Place], marks: Marks) -> tuple[Span, ...]:
    """Return the version spans of all places; none if one place has no mark, because that place exists always."""
    spans = []
    for place in places:
        span = marks.get(place.pointer) or marks.get(f"{place.pointer}/schema")
        if span is None or span == ALWAYS:
            return ()
        spans.append(span)
    return tuple(spans)


def format_cell(cell: Mapping[str, int]) -> str:
    """Format one cell: `all`, or the counts of missing members."""
    parts = [] if cell["rpcs"] == cell["of"] else [f"{cell['rpcs']} of {cell['of']} rpcs"]
    parts += [f"{cell[key]} {word}" for key, word in (("new", "newer"), ("gone", "gone")) if cell[key]]
    return ", ".join(parts) or "all"


def _parse_version(text: str | None) -> Version | None:
    if text is None:
        return None
    parts = text.split(".")
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else None
