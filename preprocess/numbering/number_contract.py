"""The whole contract numbered: every message, enum and rpc, and what only the lock still knows of."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, field, replace

from pipeline.model.changes import Change, Event
from pipeline.model.contract import Contract, Enum, Exclusion, Message, Rpc
from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.lock.model import Lock, LockedEnum, LockedExtension, LockedFile, LockedMessage, State
from pipeline.model.profile.defaults import file_options
from pipeline.model.profile.profile import Profile
from preprocess.naming.json_names import assign_json_names
from preprocess.naming.renames import select_renames
from preprocess.numbering.enum_numbers import number_enum, zero_of
from preprocess.numbering.field_numbers import MessageNumbers
from preprocess.numbering.file_layout import place
from preprocess.numbering.published_rpcs import assign_rpcs
from preprocess.numbering.retained import UNUSED, Entry, kept_as_published

_GONE = {State.RESERVED, State.REPLACED}


@dataclass(slots=True)
class Assigned:
    """A numbered contract, the lock that remembers it, and what changed."""

    contract: Contract
    lock: Lock
    events: list[Event] = field(default_factory=list)


def assign(contract: Contract, lock: Lock, profile: Profile, *, partial: bool = False) -> Assigned:
    """Give every field and enum value its number.

    Args:
        contract: as converted, without numbers.
        lock: what was published.
        profile: for the ties of the published contract, and for where files go.
        partial: whether what the contract lacks stays as it was published, instead of being deprecated.

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
        placed = message._replace(file=profile.files.messages)
        keep = profile.conversion.unpublished_deprecated == "keep"
        renames = select_renames(profile.renames.properties, name)
        ties = ties_of(profile, name)
        numbered = MessageNumbers(placed, known, ties, contract.enums, keep_deprecated=keep, renames=renames).run()
        choice = profile.conversion.json_names
        messages[name], locked_messages[name] = assign_json_names(numbered.message, numbered.locked, known, choice)
        exclusions += numbered.exclusions
        fresh_events[name] = list(numbered.events)
        if known is None or known.state in _GONE:
            fresh_events[name].insert(0, Event(Change.ADDED, name, "message", message.place))
    enums, locked_enums = _enums(contract, lock, profile, fresh_events)
    done = assign_rpcs(contract, lock, profile, partial=partial)
    rpcs = done.listed
    kept_messages, kept_enums, locked = kept_as_published(lock, messages, enums, partial=partial)
    messages |= kept_messages
    enums |= kept_enums
    locked_messages |= locked.messages
    locked_enums |= locked.enums
    was_live = {name for name, entry in lock.messages.items() if entry.state is State.LIVE}
    was_live |= {name for name, enum in lock.enums.items() if enum.state is State.LIVE}
    gone = [] if partial else sorted(was_live & {*locked.messages, *locked.enums})
    events += [Event(Change.DEPRECATED, name, UNUSED) for name in gone]
    used = reachable(messages, enums, rpcs, {*lock.messages, *lock.enums})
    events += [event for name, listed in fresh_events.items() if name in used for event in listed] + done.events
    result = Contract(
        {name: message for name, message in sorted(messages.items()) if name in used},
        {name: enum for name, enum in sorted(enums.items()) if name in used},
        rpcs,
        (*contract.exclusions, *exclusions),
    )
    files = place(result, lock, profile)
    new_lock = Lock(
        version=lock.version,
        package=lock.package,
        baseline=lock.baseline,
        files=_files(profile, lock, files.values()),
        extensions=_extensions(profile, lock),
        messages=_placed(locked_messages, used | lock.messages.keys(), files),
        enums=_placed(locked_enums, used | lock.enums.keys(), files),
        rpcs=done.locked,
        accepted=(*lock.accepted, *done.accepted),
    )
    events += _moved(lock, files)
    complete = replace(
        result,
        messages={name: message._replace(file=files[name]) for name, message in result.messages.items()},
        enums={name: enum._replace(file=files[name]) for name, enum in result.enums.items()},
    )
    return Assigned(complete, new_lock, sorted(set(events)))


def _placed(entries: dict[str, Entry], kept: Set[str], placed: dict[str, str]) -> dict[str, Entry]:
    """What the lock remembers from now on, in the files that were chosen."""
    return {
        name: entry if entry.file == placed.get(name, entry.file) else entry.model_copy(update={"file": placed[name]})
        for name, entry in entries.items()
        if name in kept
    }


def _moved(lock: Lock, placed: dict[str, str]) -> Iterable[Event]:
    """What stands in another file than it was published in."""
    entries: list[tuple[str, LockedMessage | LockedEnum]] = [*lock.messages.items(), *lock.enums.items()]
    for name, entry in entries:
        if entry.state not in _GONE and placed.get(name, entry.file) != entry.file:
            yield Event(Change.MOVED, name, f"from {entry.file} to {placed[name]}")


def _files(profile: Profile, lock: Lock, used: Iterable[str]) -> dict[str, LockedFile]:
    """The proto files, with the package and options that the profile gives them now."""
    files = dict(lock.files)
    for name in {profile.files.messages, *used}:
        files[name] = LockedFile(package=profile.package, options=file_options(name, profile))
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
    diagnostics = []
    live_messages = {name for name, entry in lock.messages.items() if entry.state not in _GONE}
    live_enums = {name for name, entry in lock.enums.items() if entry.state not in _GONE}
    hint = "give the schema another name in the profile: `names: {schemas: …}`"
    for name in sorted(live_enums & set(contract.messages)):
        place = contract.messages[name].place
        diagnostics.append(
            Diagnostic("lock/kind-changed", f"published enum `{name}` would become a message", place, hint)
        )
    for name in sorted(live_messages & set(contract.enums)):
        place = contract.enums[name].place
        diagnostics.append(
            Diagnostic("lock/kind-changed", f"published message `{name}` would become an enum", place, hint)
        )
    if diagnostics:
        raise Failure(diagnostics)


def _enums(
    contract: Contract, lock: Lock, profile: Profile, events: dict[str, list[Event]]
) -> tuple[dict[str, Enum], dict[str, LockedEnum]]:
    enums: dict[str, Enum] = {}
    locked = dict(lock.enums)
    taken = {value.name for enum in lock.enums.values() for value in enum.values}
    taken |= {zero_of(name) for name in contract.enums}
    for name, enum in sorted(contract.enums.items()):
        known = lock.enums.get(name)
        renames = select_renames(profile.renames.values, name)
        numbered = number_enum(enum._replace(file=profile.files.messages), known, taken, renames)
        enums[name] = numbered.enum
        locked[name] = numbered.locked
        events[name] = list(numbered.events)
        if known is None or known.state in _GONE:
            count = f"{len(enum.values)} value{'' if len(enum.values) == 1 else 's'}"
            events[name] = [Event(Change.ADDED, name, f"enum of {count}", enum.place)]
    return enums, locked


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
