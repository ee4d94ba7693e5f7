"""Which protos work with which versions of the API, from the lock and the specification's own version marks.

Every release of the protos that the lock knows is held against every version of the API that the specification names:
how many of the release's rpcs that version serves, how many of its fields it does not know yet, and how many no longer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from pipeline.model.api_versions import ALWAYS, Marks, Span, Version, format_version
from pipeline.model.contract import Contract
from pipeline.model.diagnostics import Place
from pipeline.model.lock.model import Lock

THIS = "this build"


class _Member(NamedTuple):
    """A field, value or rpc: when the API has it, and which releases of the protos have it."""

    spans: tuple[Span, ...]
    since: Version | None
    is_rpc: bool = False

    def has(self, version: Version) -> bool:
        """Whether a version of the API has it, in one of its places."""
        return not self.spans or any(span.has(version) for span in self.spans)

    def is_new(self, version: Version) -> bool:
        """Whether a version of the API does not have it yet."""
        return bool(self.spans) and all(span.added is not None and span.added > version for span in self.spans)


def compatibility(
    contract: Contract, lock: Lock, marks: Marks, servers: Mapping[str, Iterable[str]] | None = None
) -> dict[str, Any]:
    """The matrix as plain data; without versions where the specification marks none.

    Args:
        contract: numbered.
        lock: as it will be after the build.
        marks: of the specification.
        servers: the rpcs that real servers answered, `Service/Rpc`, by their versions.

    Returns:
        `releases` of the protos, the oldest first, this build last; `versions` of the API, the newest first, each with
        one cell a release: `rpcs` served, `of` all, `new` fields that the version does not have yet, `gone` ones;
        `servers`: each with its `version`, the rpcs that it has `answered` and those that it has `not`.
    """
    members = Counter(_members(contract, lock, marks))
    releases = sorted({member.since for member in members if member.since})
    versions = _versions(members)
    columns = [
        (
            format_version(release),
            {member: count for member, count in members.items() if member.since and member.since <= release},
        )
        for release in releases
    ]
    columns.append((THIS, members))
    return {
        "releases": [name for name, _ in columns],
        "versions": [
            {"version": format_version(version), "cells": [_cell(version, found) for _, found in columns]}
            for version in reversed(versions)
        ],
        "servers": [_server(version, set(known), contract) for version, known in sorted((servers or {}).items())],
    }


def _server(version: str, known: set[str], contract: Contract) -> dict[str, Any]:
    rpcs = sorted(f"{rpc.service}/{rpc.name}" for rpc in contract.rpcs)
    return {
        "version": version,
        "answered": [name for name in rpcs if name in known],
        "not": [name for name in rpcs if name not in known],
    }


def server_text(server: Mapping[str, Any]) -> str:
    """What a server answers, in words."""
    answered, left = server["answered"], server["not"]
    told = f"A server of {server['version']} was asked over gRPC: it answers {len(answered)} of"
    rest = f", not {', '.join(f'`{name}`' for name in left)}" if left else ""
    return f"{told} {len(answered) + len(left)} rpcs{rest}."


def _versions(members: Iterable[_Member]) -> list[Version]:
    """The versions of the API, major and minor, in which something of the contract came or went."""
    named = {
        number[:2]
        for member in members
        for span in member.spans
        for number in (span.added, span.removed)
        if number is not None
    }
    return sorted(named)


def _cell(version: Version, members: Mapping[_Member, int]) -> dict[str, int]:
    cell = {"rpcs": 0, "of": 0, "new": 0, "gone": 0}
    # A patch release belongs to its minor one: what came in 2.17.1 is in 2.17.
    latest = (*version, *[0] * (2 - len(version)), 1 << 30)
    for member, count in members.items():
        there = member.has(latest)
        if member.is_rpc:
            cell["of"] += count
            cell["rpcs"] += count * there
        elif not there:
            cell["new" if member.is_new(latest) else "gone"] += count
    return cell


def _members(contract: Contract, lock: Lock, marks: Marks) -> Iterator[_Member]:
    fields = {
        (name, entry.number, entry.name): entry.since for name, held in lock.messages.items() for entry in held.fields
    }
    for name, message in contract.messages.items():
        for item in message.fields:
            since = _version(fields.get((name, item.number, item.name)))
            yield _Member(_spans(item.places, marks), since)
    values = {(name, entry.number): entry.since for name, held in lock.enums.items() for entry in held.values}
    for name, enum in contract.enums.items():
        for value in enum.values:
            yield _Member(_spans([value.place], marks), _version(values.get((name, value.number))))
    rpcs = {(entry.service, entry.name): entry.since for entry in lock.rpcs}
    for rpc in contract.rpcs:
        yield _Member(_spans(rpc.places, marks), _version(rpcs.get((rpc.service, rpc.name))), is_rpc=True)


def _spans(places: Iterable[Place], marks: Marks) -> tuple[Span, ...]:
    """The spans of all places, or of the schemas of parameters there; one without a mark is there always."""
    found = []
    for place in places:
        span = marks.get(place.pointer) or marks.get(f"{place.pointer}/schema")
        if span is None or span == ALWAYS:
            return ()
        found.append(span)
    return tuple(found)


def cell_text(cell: Mapping[str, int]) -> str:
    """One cell in words: `all`, or what is missing."""
    parts = [] if cell["rpcs"] == cell["of"] else [f"{cell['rpcs']} of {cell['of']} rpcs"]
    parts += [f"{cell[key]} {word}" for key, word in (("new", "newer"), ("gone", "gone")) if cell[key]]
    return ", ".join(parts) or "all"


def _version(text: str | None) -> Version | None:
    if text is None:
        return None
    parts = text.split(".")
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else None
