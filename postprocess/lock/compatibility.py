"""A lock against an earlier one: everything that was ever given is still there, and means what it meant.

A lock only grows. Its entries may be deprecated, come back, and be tied to another name of the spec; a number, name,
type, label or oneof that was given once is never given up, changed, or given to anything else, and new numbers come
after the ones that were given. Sources: protobuf language guide (proto3), updating a message type; AIP-180.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipeline.model.diagnostics import Diagnostic, Place
from pipeline.model.lock.model import (
    RETIRED,
    Lock,
    LockedEnum,
    LockedField,
    LockedMessage,
    LockedRpc,
    LockedValue,
    State,
)
from pipeline.model.profile.renames_and_acceptances import RPC_CHANGED

Path = tuple[str | int, ...]
Entry = LockedField | LockedValue


def forgotten(base: Lock, now: Lock, label: str) -> list[Diagnostic]:
    """Everything in which a lock does not keep what an earlier one has.

    Args:
        base: the earlier one.
        now: the lock.
        label: what the earlier one is called.

    Returns:
        Diagnostics whose places are pointers into the lock.
    """
    check = _Comparison(label)
    if base.package != now.package:
        check.add("history/package", f"the package was `{base.package}` and is `{now.package}`", ("package",))
    check.messages(base.messages, now.messages)
    check.enums(base.enums, now.enums)
    accepted = {item.element for item in now.accepted if item.code == RPC_CHANGED and item not in base.accepted}
    check.rpcs(base.rpcs, now.rpcs, accepted)
    for item in base.accepted:
        if item not in now.accepted:
            check.add("history/lost", f"the acceptance of `{item.element}` ({item.code}) is gone", ("accepted",))
    for option in base.extensions:
        if option not in now.extensions:
            check.add("history/lost", f"the option `{option.name} = {option.number}` is gone", ("extensions",))
    return sorted(check.diagnostics)


class _Comparison:
    def __init__(self, label: str) -> None:
        self.hint = f"restore the lock as it is in {label}, then build again; never edit it by hand"
        self.label = label
        self.diagnostics: list[Diagnostic] = []

    def add(self, code: str, message: str, path: Path) -> None:
        pointer = "".join(f"/{part}" for part in path)
        self.diagnostics.append(
            Diagnostic(code, f"{message} (against {self.label})", Place(pointer=pointer), self.hint)
        )

    def messages(self, base: Mapping[str, LockedMessage], now: Mapping[str, LockedMessage]) -> None:
        for name, entry in base.items():
            if self.there("message", name, entry, now.get(name)):
                self.entries(name, entry.fields, now[name].fields, ("messages", name, "fields"))
                self.cursor(name, entry, now[name], ("messages", name))
                self.fresh(name, entry.next, entry.fields, now[name].fields, ("messages", name, "fields"))

    def enums(self, base: Mapping[str, LockedEnum], now: Mapping[str, LockedEnum]) -> None:
        for name, entry in base.items():
            if self.there("enum", name, entry, now.get(name)):
                self.entries(name, entry.values, now[name].values, ("enums", name, "values"))
                self.cursor(name, entry, now[name], ("enums", name))
                self.fresh(name, entry.next, entry.values, now[name].values, ("enums", name, "values"))

    def there(
        self, kind: str, name: str, was: LockedMessage | LockedEnum, found: LockedMessage | LockedEnum | None
    ) -> bool:
        """Whether a message or enum is still in the lock, and in the protos if it was there."""
        if found is None:
            self.add("history/lost", f"{kind} `{name}` is gone", (f"{kind}s",))
        elif found.state in RETIRED and was.state not in RETIRED:
            self.add("history/lost", f"{kind} `{name}` was {was.state} and is {found.state}", (f"{kind}s", name))
        return found is not None

    def cursor(self, name: str, was: LockedMessage | LockedEnum, found: LockedMessage | LockedEnum, path: Path) -> None:
        if found.next < was.next:
            message = f"the next number of `{name}` was {was.next} and is {found.next}"
            self.add("history/cursor", message, (*path, "next"))

    def entries(self, owner: str, was: Sequence[Entry], now: Sequence[Entry], path: Path) -> None:
        """The fields of a message or the values of an enum, each against the entry that should keep it."""
        for entry in was:
            same = [(at, item) for at, item in enumerate(now) if item.number == entry.number]
            kept = [item for _, item in same if _meaning(item) == _meaning(entry) and _may_become(entry, item)]
            if kept:
                continue
            if not same:
                self.add("history/lost", f"number {entry.number} of `{owner}`, `{entry.name}`, is gone", path)
                continue
            at, found = next(((at, item) for at, item in same if item.name == entry.name), same[0])
            code = "history/changed" if found.name == entry.name else "history/reused"
            self.add(code, f"number {entry.number} of `{owner}` was {_told(entry)} and is {_told(found)}", (*path, at))

    def fresh(self, owner: str, cursor: int, was: Iterable[Entry], now: Sequence[Entry], path: Path) -> None:
        """What is new has a number that was never given."""
        given = {entry.number for entry in was}
        for at, entry in enumerate(now):
            if entry.number < cursor and entry.number not in given:
                message = f"`{owner}.{entry.name}` is new and has number {entry.number}, the next one was {cursor}"
                self.add("history/number", message, (*path, at))

    def rpcs(self, base: Iterable[LockedRpc], now: Sequence[LockedRpc], accepted: set[str]) -> None:
        found = {(rpc.service, rpc.name): (at, rpc) for at, rpc in enumerate(now)}
        for rpc in base:
            name = f"{rpc.service}/{rpc.name}"
            at, kept = found.get((rpc.service, rpc.name), (0, None))
            if kept is None:
                self.add("history/lost", f"rpc `{name}` is gone", ("rpcs",))
            elif name not in accepted and (_signature(rpc) != _signature(kept) or not _may_become(rpc, kept)):
                message = f"rpc `{name}` was {_signature(rpc)} and is {_signature(kept)}"
                self.add("history/changed", message, ("rpcs", at))


def _meaning(entry: Entry) -> tuple[object, ...]:
    """What must stay of a field or value for ever."""
    if isinstance(entry, LockedValue):
        return entry.name, entry.state is State.REPLACED
    return entry.name, entry.type, entry.label, entry.oneof, entry.json_name, entry.state is State.REPLACED


def _may_become(was: Entry | LockedRpc, now: Entry | LockedRpc) -> bool:
    """Whether the state of an entry may have changed so: what is in the protos stays there."""
    return was.state is now.state or (was.state is not State.REPLACED and now.state not in RETIRED)


def _told(entry: Entry) -> str:
    if isinstance(entry, LockedValue):
        return f"`{entry.name}`, {entry.state}"
    oneof = f" in oneof {entry.oneof}" if entry.oneof else ""
    spelled = f" [json_name = {entry.json_name!r}]" if entry.json_name else ""
    return f"`{entry.label} {entry.type} {entry.name}{oneof}{spelled}`, {entry.state}"


def _signature(rpc: LockedRpc) -> str:
    streams = "stream " if rpc.server_streaming else ""
    return f"({rpc.request}) returns ({streams}{rpc.response}) in {rpc.file}, {rpc.package}"


def forgotten_of_any(locks: Iterable[tuple[str, Lock]], now: Lock) -> Iterator[Diagnostic]:
    """What a lock does not keep of any of several earlier ones; each thing is told once, for the first of them."""
    seen: set[tuple[str, str]] = set()
    for label, base in locks:
        for diagnostic in forgotten(base, now, label):
            key = diagnostic.code, diagnostic.message.rpartition(" (against ")[0]
            if key not in seen:
                seen.add(key)
                yield diagnostic
