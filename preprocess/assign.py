"""The whole contract numbered: every message, enum and rpc, and what only the lock still knows of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from pipeline.model.contract import Contract, Enum, EnumValue, Exclusion, Field, JsonForm, Message, Rpc
from pipeline.model.events import Change, Event
from pipeline.model.findings import Failure, Finding, Place
from pipeline.model.lock import Lock, LockedEnum, LockedExtension, LockedFile, LockedMessage, LockedRpc, State
from pipeline.model.profile import Profile
from preprocess.enum_numbers import number_enum
from preprocess.numbers import MessageNumbers, reserved

UNUSED = "nothing in the spec refers to it any more"
_GONE = {State.RESERVED, State.REPLACED}


@dataclass(slots=True)
class Assigned:
    """A numbered contract, the lock that remembers it, and what changed."""

    contract: Contract
    lock: Lock
    events: list[Event] = field(default_factory=list)


def assign(contract: Contract, lock: Lock, profile: Profile) -> Assigned:
    """Give every field and enum value its number.

    Args:
        contract: as converted, without numbers.
        lock: what was published.
        profile: for the ties of the published contract, and for where files go.

    Raises:
        Failure: `lock/kind-changed`, `lock/rpc-changed`, `numbers/exhausted`.
    """
    _check_kinds(contract, lock)
    messages: dict[str, Message] = {}
    locked_messages = dict(lock.messages)
    events: list[Event] = []
    exclusions: list[Exclusion] = []
    fresh_events: dict[str, list[Event]] = {}
    for name, message in sorted(contract.messages.items()):
        known = lock.messages.get(name)
        placed = replace(message, file=profile.files.messages)
        keep = profile.conversion.unpublished_deprecated == "keep"
        numbered = MessageNumbers(placed, known, ties_of(profile, name), keep_deprecated=keep).run()
        messages[name] = numbered.message
        locked_messages[name] = numbered.locked
        exclusions += numbered.exclusions
        fresh_events[name] = list(numbered.events)
        if known is None or known.state in _GONE:
            fresh_events[name].insert(0, Event(Change.ADDED, name, f"message {name}", message.place))
    enums, locked_enums = _enums(contract, lock, profile, fresh_events)
    rpcs, locked_rpcs, rpc_events = _rpcs(contract, lock, profile)
    _keep_published(lock, messages, enums, locked_messages, locked_enums, events)
    used = reachable(messages, enums, rpcs, {*lock.messages, *lock.enums})
    events += [event for name, listed in fresh_events.items() if name in used for event in listed] + rpc_events
    result = Contract(
        {name: message for name, message in sorted(messages.items()) if name in used},
        {name: enum for name, enum in sorted(enums.items()) if name in used},
        rpcs,
        (*contract.exclusions, *exclusions),
    )
    new_lock = Lock(
        version=lock.version,
        package=lock.package,
        baseline=lock.baseline,
        files=_files(profile, lock),
        extensions=_extensions(profile, lock),
        messages={name: entry for name, entry in locked_messages.items() if name in used or name in lock.messages},
        enums={name: entry for name, entry in locked_enums.items() if name in used or name in lock.enums},
        rpcs=tuple(locked_rpcs),
    )
    return Assigned(result, new_lock, sorted(set(events)))


def _files(profile: Profile, lock: Lock) -> dict[str, LockedFile]:
    """The proto files, with the package and options that the profile gives them now."""
    files = dict(lock.files)
    files[profile.files.messages] = LockedFile(package=profile.package, options=profile.files.options)
    for service in profile.services:
        files[service.file] = LockedFile(package=service.package or profile.package, options=service.options)
    return files


def _extensions(profile: Profile, lock: Lock) -> tuple[LockedExtension, ...]:
    """The custom options that were published, and those of the profile."""
    known = {item.name: item for item in lock.extensions}
    for item in profile.extensions:
        known[item.name] = LockedExtension(**item.model_dump(), file=profile.files.messages)
    return tuple(item for _, item in sorted(known.items()))


def ties_of(profile: Profile, message: str) -> dict[str, str]:
    """The ties that a profile's baseline gives for one message: field name → source."""
    ties = profile.baseline.ties if profile.baseline else {}
    return {key.partition(".")[2]: source for key, source in ties.items() if key.partition(".")[0] == message}


def _check_kinds(contract: Contract, lock: Lock) -> None:
    findings = []
    live_messages = {name for name, entry in lock.messages.items() if entry.state not in _GONE}
    live_enums = {name for name, entry in lock.enums.items() if entry.state not in _GONE}
    hint = "give the schema another name in the profile: `names: {schemas: …}`"
    for name in sorted(live_enums & set(contract.messages)):
        place = contract.messages[name].place
        findings.append(Finding("lock/kind-changed", f"published enum `{name}` would become a message", place, hint))
    for name in sorted(live_messages & set(contract.enums)):
        place = contract.enums[name].place
        findings.append(Finding("lock/kind-changed", f"published message `{name}` would become an enum", place, hint))
    if findings:
        raise Failure(findings)


def _enums(
    contract: Contract, lock: Lock, profile: Profile, events: dict[str, list[Event]]
) -> tuple[dict[str, Enum], dict[str, LockedEnum]]:
    enums: dict[str, Enum] = {}
    locked = dict(lock.enums)
    for name, enum in sorted(contract.enums.items()):
        known = lock.enums.get(name)
        numbered = number_enum(replace(enum, file=profile.files.messages), known)
        enums[name] = numbered.enum
        locked[name] = numbered.locked
        events[name] = list(numbered.events)
        if known is None or known.state in _GONE:
            events[name] = [Event(Change.ADDED, name, f"enum {name} of {len(enum.values)} values", enum.place)]
    return enums, locked


def _keep_published(
    lock: Lock,
    messages: dict[str, Message],
    enums: dict[str, Enum],
    locked_messages: dict[str, LockedMessage],
    locked_enums: dict[str, LockedEnum],
    events: list[Event],
) -> None:
    """Keep what was published and is in the spec no longer, deprecated as a whole."""
    for name, entry in sorted(lock.messages.items()):
        if name in messages or entry.state in _GONE:
            continue
        messages[name] = locked_message(name, entry, entry.reason or UNUSED)
        locked_messages[name] = entry.model_copy(update={"state": State.DEPRECATED, "reason": entry.reason or UNUSED})
        if entry.state is State.LIVE:
            events.append(Event(Change.DEPRECATED, name, UNUSED))
    for name, enum in sorted(lock.enums.items()):
        if name in enums or enum.state in _GONE:
            continue
        enums[name] = locked_enum(name, enum, enum.reason or UNUSED)
        locked_enums[name] = enum.model_copy(update={"state": State.DEPRECATED, "reason": enum.reason or UNUSED})
        if enum.state is State.LIVE:
            events.append(Event(Change.DEPRECATED, name, UNUSED))


def locked_message(name: str, entry: LockedMessage, deprecated: str) -> Message:
    """A message as the lock remembers it."""
    fields = tuple(
        Field(
            source=item.source or f"gone:{item.name}",
            name=item.name,
            type=item.type,
            label=item.label,
            oneof=item.oneof,
            rules=("kept-by-lock",),
            deprecated=(item.reason or "deprecated in the published contract")
            if item.state is State.DEPRECATED
            else "",
            number=item.number,
        )
        for item in entry.fields
        if item.state not in _GONE
    )
    kept = reserved((item.number, item.name, item.state) for item in entry.fields)
    return Message(
        name,
        entry.schema_ or f"gone:{name}",
        JsonForm.OBJECT,
        fields,
        rules=("kept-by-lock",),
        reserved=kept,
        deprecated=deprecated,
        file=entry.file,
    )


def locked_enum(name: str, entry: LockedEnum, deprecated: str) -> Enum:
    """An enum as the lock remembers it."""
    values = tuple(
        EnumValue(
            item.name,
            deprecated=(item.reason or "deprecated in the published contract")
            if item.state is State.DEPRECATED
            else "",
            number=item.number,
        )
        for item in entry.values
        if item.state not in _GONE
    )
    kept = reserved((item.number, item.name, item.state) for item in entry.values)
    return Enum(
        name,
        entry.schema_ or f"gone:{name}",
        values,
        rules=("kept-by-lock",),
        reserved=kept,
        deprecated=deprecated,
        file=entry.file,
    )


def _rpcs(contract: Contract, lock: Lock, profile: Profile) -> tuple[tuple[Rpc, ...], list[LockedRpc], list[Event]]:
    files = {rule.name: (rule.file, rule.package or profile.package) for rule in profile.services}
    known = {(entry.service, entry.name): entry for entry in lock.rpcs}
    rpcs: dict[tuple[str, str], Rpc] = {}
    events: list[Event] = []
    for rpc in contract.rpcs:
        key = rpc.service, rpc.name
        place = rpc.places[0] if rpc.places else Place()
        entry = known.get(key)
        if entry is None:
            events.append(Event(Change.ADDED, f"{rpc.service}/{rpc.name}", f"rpc for `{rpc.group}`", place))
        elif (entry.request, entry.response, entry.server_streaming) != (
            rpc.request,
            rpc.response,
            rpc.server_streaming,
        ):
            was, now = _signature(entry), _signature(rpc)
            message = f"rpc `{rpc.service}/{rpc.name}` was published as {was}, the spec now makes it {now}"
            hint = "add an rpc of another name for the new form, or restore the old names in the profile"
            raise Failure(Finding("lock/rpc-changed", message, place, hint))
        file, package = (entry.file, entry.package) if entry else files[rpc.service]
        rpcs[key] = rpc
        known[key] = LockedRpc(
            service=rpc.service,
            name=rpc.name,
            file=file,
            package=package,
            request=rpc.request,
            response=rpc.response,
            server_streaming=rpc.server_streaming,
            group=rpc.group,
            since=entry.since if entry else None,
        )
    for key, entry in sorted(known.items()):
        if key in rpcs or entry.state in _GONE:
            continue
        reason = entry.reason or "the operation group is gone from the spec"
        if entry.state is State.LIVE:
            events.append(Event(Change.DEPRECATED, f"{entry.service}/{entry.name}", reason))
        rpcs[key] = _locked_rpc(entry, reason)
        known[key] = entry.model_copy(update={"state": State.DEPRECATED, "reason": reason})
    return tuple(rpc for _, rpc in sorted(rpcs.items())), [entry for _, entry in sorted(known.items())], events


def _signature(rpc: LockedRpc | Rpc) -> str:
    return f"({rpc.request}) returns ({'stream ' if rpc.server_streaming else ''}{rpc.response})"


def _locked_rpc(entry: LockedRpc, reason: str) -> Rpc:
    return Rpc(
        entry.service,
        entry.name,
        entry.group or "",
        entry.request,
        entry.response,
        entry.server_streaming,
        rules=("kept-by-lock",),
        deprecated=reason,
    )


def reachable(
    messages: dict[str, Message], enums: dict[str, Enum], rpcs: Iterable[Rpc], published: set[str]
) -> set[str]:
    """The messages and enums that an rpc needs, and all that were published."""
    waiting = [name for rpc in rpcs for name in (rpc.request, rpc.response)]
    waiting += [name for name in published if name in messages or name in enums]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        waiting += [item.type for item in messages[name].fields if not item.is_scalar] if name in messages else []
        parent = name.rpartition(".")[0]
        waiting += [parent] if parent else []
    return found
