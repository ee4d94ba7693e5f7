"""Whether one lock still remembers everything that an earlier one did, and what it has learnt since."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pipeline.model.diagnostics import Diagnostic, Place, Severity
from pipeline.model.lock.model import Lock, LockedField, LockedRpc, LockedValue

HINT = "restore the lock of the base branch and build again; nothing is ever deleted from a lock"


@dataclass(frozen=True, slots=True)
class Learnt:
    """What a lock has that an earlier one had not, by name, and what it no longer calls live."""

    added: tuple[str, ...]
    retired: tuple[str, ...]


def forgotten(before: Lock, now: Lock) -> list[Diagnostic]:
    """What the earlier lock gave out and the later one no longer knows, or knows as something else.

    A number keeps its name, type and label for ever; only its state may change (live, deprecated, reserved, replaced).
    """
    diagnostics = [*_members(_fields(before), _fields(now)), *_members(_values(before), _values(now))]
    known = {(rpc.service, rpc.name): _signature(rpc) for rpc in now.rpcs}
    for rpc in before.rpcs:
        name = f"{rpc.service}/{rpc.name}"
        if known.get((rpc.service, rpc.name)) != _signature(rpc):
            what = "has another signature" if (rpc.service, rpc.name) in known else "is no longer in the lock"
            diagnostics.append(_diagnostic("review/rpc", f"rpc `{name}` {what}", name))
    return sorted(diagnostics)


def learnt(before: Lock, now: Lock) -> Learnt:
    """What is new, and what is no longer live."""
    old, new = _live(before), _live(now)
    return Learnt(tuple(sorted(new - old)), tuple(sorted(old - new)))


def _fields(lock: Lock) -> dict[str, tuple[LockedField, ...]]:
    return {name: message.fields for name, message in lock.messages.items()}


def _values(lock: Lock) -> dict[str, tuple[LockedValue, ...]]:
    return {name: enum.values for name, enum in lock.enums.items()}


def _members(
    before: Mapping[str, Iterable[LockedField | LockedValue]], now: Mapping[str, Iterable[LockedField | LockedValue]]
) -> Iterator[Diagnostic]:
    for owner, entries in before.items():
        known = {_meaning(entry) for entry in now.get(owner, ())}
        numbers = {entry.number for entry in now.get(owner, ())}
        for entry in entries:
            if _meaning(entry) not in known:
                what = "means something else" if entry.number in numbers else "is no longer in the lock"
                yield _diagnostic("review/number", f"`{owner}.{entry.name}` = {entry.number} {what}", owner)


def _meaning(entry: LockedField | LockedValue) -> tuple[object, ...]:
    if isinstance(entry, LockedValue):
        return entry.number, entry.name
    return entry.number, entry.name, entry.type, entry.label, entry.oneof


def _signature(rpc: LockedRpc) -> tuple[object, ...]:
    return rpc.package, rpc.request, rpc.response, rpc.server_streaming


def _live(lock: Lock) -> set[str]:
    members = {
        f"{owner}.{entry.name}"
        for entries in (_fields(lock), _values(lock))
        for owner, listed in entries.items()
        for entry in listed
        if entry.state == "live"
    }
    return members | {f"{rpc.service}/{rpc.name}" for rpc in lock.rpcs if rpc.state == "live"}


def _diagnostic(code: str, message: str, element: str) -> Diagnostic:
    return Diagnostic(code, message, Place(pointer=element), HINT, Severity.DANGER)
