"""Merge two locks that grew apart: the published side stays as it is, the new numbers of the other side follow.

What either side changed of what both had (deprecated, back again, tied to another name) is merged as version control
would, the published side deciding where both did. What the two sides call alike and mean differently is left out: the
next build finds it in the specification and gives it a name and a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pipeline.model.lock.model import (
    FIRST_RESERVED,
    LAST_RESERVED,
    RETIRED,
    STATES,
    Lock,
    LockedEnum,
    LockedField,
    LockedMessage,
    LockedRpc,
    LockedValue,
)

Entry = TypeVar("Entry", LockedField, LockedValue)
Element = TypeVar("Element", LockedMessage, LockedEnum)
Value = TypeVar("Value")
_CHANGING = ("state", "reason", "source", "until")
_OF_ELEMENT = ("state", "reason", "schema_", "file")
_OF_RPC = ("state", "reason", "group", "until")


@dataclass(slots=True)
class Merged:
    """A merged lock, and what was done to the side that is not published.

    Attributes:
        lock: the result.
        renumbered: element, old number, new number.
        left_out: what the next build has to give its place.
    """

    lock: Lock
    renumbered: list[tuple[str, int, int]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def merge_locks(base: Lock, published: Lock, other: Lock) -> Merged:
    """Merge two locks.

    Args:
        base: what both began with.
        published: the side all of whose numbers stay.
        other: the side that nobody has seen yet.
    """
    merge = _Merge(Merged(published))
    messages = merge.elements(base.messages, published.messages, other.messages, {*published.enums})
    enums = merge.elements(base.enums, published.enums, other.enums, {*published.messages, *messages})
    merge.forget_unknown_types(messages, enums)
    rpcs = merge.rpcs(base.rpcs, published.rpcs, other.rpcs, messages)
    update: dict[str, Any] = {
        "messages": messages,
        "enums": enums,
        "rpcs": rpcs,
        "files": {**other.files, **published.files},
        "extensions": _united(published.extensions, other.extensions, "name"),
        "accepted": tuple(dict.fromkeys((*published.accepted, *other.accepted))),
    }
    merge.done.lock = published.model_copy(update=update)
    return merge.done


class _Merge:
    def __init__(self, done: Merged) -> None:
        self.done = done
        enums = done.lock.enums.values()
        # The values of all enums share a scope (protobuf guide, enumerations).
        self.value_names = {value.name for enum in enums for value in enum.values}

    def elements(
        self,
        base: Mapping[str, Element],
        published: Mapping[str, Element],
        other: Mapping[str, Element],
        taken: set[str],
    ) -> dict[str, Element]:
        """The messages, or the enums, of both sides.

        Args:
            base: of both.
            published: of the published side.
            other: of the other side.
            taken: names that are of the other kind on the published side.
        """
        found = dict(published)
        for name, entry in sorted(other.items()):
            if name in published:
                found[name] = self.element(name, base.get(name), published[name], entry)
            elif name in taken or (isinstance(entry, LockedEnum) and self.clashes(entry)):
                self.done.left_out.append(name)
            else:
                found[name] = entry
        return found

    def clashes(self, enum: LockedEnum) -> bool:
        """Whether a value of a new enum is called like a published one; if not, its names are taken now."""
        names = {value.name for value in enum.values}
        clash = bool(names & self.value_names)
        self.value_names |= set() if clash else names
        return clash

    def element(self, name: str, base: Element | None, published: Element, other: Element) -> Element:
        """One message or enum that both sides have."""
        update = _three_ways(_OF_ELEMENT, base, published, other)
        if isinstance(published, LockedMessage) and isinstance(other, LockedMessage):
            before = base.fields if isinstance(base, LockedMessage) else ()
            fields, cursor = self.entries(name, before, published.fields, other.fields, published.next)
            update |= {"fields": fields, "next": cursor}
        elif isinstance(published, LockedEnum) and isinstance(other, LockedEnum):
            earlier = base.values if isinstance(base, LockedEnum) else ()
            values, cursor = self.entries(name, earlier, published.values, other.values, published.next)
            update |= {"values": values, "next": cursor}
        return published.model_copy(update=update)

    def entries(
        self, owner: str, base: Sequence[Entry], published: Sequence[Entry], other: Sequence[Entry], cursor: int
    ) -> tuple[tuple[Entry, ...], int]:
        """The fields of a message or values of an enum: the published ones, then the other side's new ones."""
        before = {_identity(entry): entry for entry in base}
        theirs = {_identity(entry): entry for entry in other if _identity(entry) in before}
        found = [
            entry.model_copy(update=_three_ways(_CHANGING, before.get(key), entry, theirs.get(key, entry)))
            for entry in published
            for key in [_identity(entry)]
        ]
        known = {_meaning(entry) for entry in found}
        names = {entry.name for entry in found} | {entry.oneof for entry in found if isinstance(entry, LockedField)}
        for entry in other:
            if _identity(entry) in before or _meaning(entry) in known or entry.state in RETIRED:
                continue
            if entry.name in names or (isinstance(entry, LockedValue) and entry.name in self.value_names):
                self.done.left_out.append(f"{owner}.{entry.name}")
                continue
            number = LAST_RESERVED + 1 if FIRST_RESERVED <= cursor <= LAST_RESERVED else cursor
            cursor = number + 1
            found.append(entry.model_copy(update={"number": number}))
            if number != entry.number:
                self.done.renumbered.append((f"{owner}.{entry.name}", entry.number, number))
        found.sort(key=lambda entry: (entry.number, STATES.index(entry.state), entry.name))
        return tuple(found), cursor

    def forget_unknown_types(self, messages: dict[str, LockedMessage], enums: Mapping[str, LockedEnum]) -> None:
        """Leave out new fields of types that were left out."""
        gone = {name for name in self.done.left_out if "." not in name} - messages.keys() - enums.keys()
        for name, message in messages.items():
            kept = tuple(item for item in message.fields if item.type not in gone)
            self.done.left_out += [f"{name}.{item.name}" for item in message.fields if item.type in gone]
            messages[name] = message.model_copy(update={"fields": kept})

    def rpcs(
        self,
        base: Sequence[LockedRpc],
        published: Sequence[LockedRpc],
        other: Sequence[LockedRpc],
        messages: Mapping[str, LockedMessage],
    ) -> tuple[LockedRpc, ...]:
        """The rpcs of both sides."""
        before = {(rpc.service, rpc.name): rpc for rpc in base}
        theirs = {(rpc.service, rpc.name): rpc for rpc in other}
        found = {
            key: rpc.model_copy(update=_three_ways(_OF_RPC, before.get(key), rpc, theirs.get(key, rpc)))
            for rpc in published
            for key in [(rpc.service, rpc.name)]
        }
        for key, rpc in theirs.items():
            if key not in found and {rpc.request, rpc.response} <= messages.keys():
                found[key] = rpc
            elif key not in found:
                self.done.left_out.append("/".join(key))
        return tuple(rpc for _, rpc in sorted(found.items()))


def _identity(entry: LockedField | LockedValue) -> tuple[Any, ...]:
    """What tells an entry of one lock from the others."""
    return entry.number, *_meaning(entry)


def _meaning(entry: LockedField | LockedValue) -> tuple[Any, ...]:
    """What an entry is, whatever its number."""
    if isinstance(entry, LockedValue):
        return (entry.name,)
    return entry.name, entry.type, entry.label, entry.oneof


def _three_ways(names: Sequence[str], base: Any, published: Any, other: Any) -> dict[str, Any]:
    """What only the other side has changed."""
    if base is None:
        return {}
    unchanged = all(getattr(base, name) == getattr(published, name) for name in names)
    return {name: getattr(other, name) for name in names} if unchanged else {}


def _united(published: Sequence[Value], other: Sequence[Value], name: str) -> tuple[Value, ...]:
    """The items of both sides, the published one where both have one of a name."""
    found = {getattr(item, name): item for item in other} | {getattr(item, name): item for item in published}
    return tuple(item for _, item in sorted(found.items()))
