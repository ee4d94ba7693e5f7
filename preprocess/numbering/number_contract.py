"""Number a whole contract: its messages, enums and rpcs, and the elements that only the lock has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pipeline.model.changes import Change, Event
from pipeline.model.contract import Contract, Enum, Exclusion, Message, Rpc
from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.lock.model import RETIRED, Lock, LockedEnum, LockedExtension, LockedFile, LockedMessage, State
from pipeline.model.profile.defaults import choose_file_options
from pipeline.model.profile.profile import Profile
from preprocess.naming.json_names import assign_json_names
from preprocess.naming.renames import select_renames
from preprocess.numbering.enum_numbers import derive_zero_name, number_enum
from preprocess.numbering.field_numbers import MessageNumbers
from preprocess.numbering.file_layout import assign_files
from preprocess.numbering.published_rpcs import AssignedRpcs, assign_rpcs
from preprocess.numbering.retained import UNUSED, Entry, retain_elements


class NumberedContract(NamedTuple):
    """A numbered contract, the lock that records it, and the changes."""

    contract: Contract
    lock: Lock
    events: list[Event]


def number_contract(contract: Contract, lock: Lock, profile: Profile, *, partial: bool = False) -> NumberedContract:
    """Give every field and enum value its number, and every message and enum its file.

    If `partial`, elements that the contract lacks stay as they were published, instead of being deprecated.

    Raises:
        Failure: `lock/kind-changed`, `lock/rpc-changed`, `numbers/exhausted`.
    """
    _check_kinds(contract, lock)
    numbers = _ContractNumbers(lock, profile)
    numbers.number_messages(contract)
    numbers.number_enums(contract)
    assigned = assign_rpcs(contract, lock, profile, partial=partial)
    numbers.retain_published(partial=partial)
    used = collect_reachable(numbers.messages, numbers.enums, assigned.rpcs, {*lock.messages, *lock.enums})
    numbered = Contract(
        {name: message for name, message in sorted(numbers.messages.items()) if name in used},
        {name: enum for name, enum in sorted(numbers.enums.items()) if name in used},
        assigned.rpcs,
        (*contract.exclusions, *numbers.exclusions),
    )
    files = assign_files(numbered, lock, profile)
    placed = replace(
        numbered,
        messages={name: message._replace(file=files[name]) for name, message in numbered.messages.items()},
        enums={name: enum._replace(file=files[name]) for name, enum in numbered.enums.items()},
    )
    events = {*numbers.list_events(used), *assigned.events, *_list_moves(lock, files)}
    return NumberedContract(placed, numbers.build_lock(assigned, used, files), sorted(events))


@dataclass(slots=True)
class _ContractNumbers:
    """The numbered elements of a contract, their lock entries, and the changes.

    Attributes:
        events: the changes of the messages and enums that are converted, by name.
        deprecations: the messages and enums that leave the specification with this build.
    """

    lock: Lock
    profile: Profile
    messages: dict[str, Message] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    locked_messages: dict[str, LockedMessage] = field(default_factory=dict)
    locked_enums: dict[str, LockedEnum] = field(default_factory=dict)
    events: dict[str, list[Event]] = field(default_factory=dict)
    deprecations: list[Event] = field(default_factory=list)
    exclusions: list[Exclusion] = field(default_factory=list)

    def number_messages(self, contract: Contract) -> None:
        """Number the fields of all messages, and assign their JSON names."""
        conversion, file = self.profile.conversion, self.profile.files.messages
        keep_deprecated = conversion.unpublished_deprecated == "keep"
        for name, message in sorted(contract.messages.items()):
            published = self.lock.messages.get(name)
            ties, renames = _select_ties(self.profile, name), select_renames(self.profile.renames.properties, name)
            placed = message._replace(file=file)
            numbered = MessageNumbers(
                placed, published, ties, contract.enums, keep_deprecated=keep_deprecated, renames=renames
            ).run()
            self.messages[name], self.locked_messages[name] = assign_json_names(
                numbered.message, numbered.locked, published, conversion.json_names
            )
            self.exclusions += numbered.exclusions
            is_new = published is None or published.state in RETIRED
            added = [Event(Change.ADDED, name, "message", message.place)] if is_new else []
            self.events[name] = [*added, *numbered.events]

    def number_enums(self, contract: Contract) -> None:
        """Number the values of all enums."""
        used = {value.name for enum in self.lock.enums.values() for value in enum.values}
        used |= {derive_zero_name(name) for name in contract.enums}
        for name, enum in sorted(contract.enums.items()):
            published = self.lock.enums.get(name)
            renames = select_renames(self.profile.renames.values, name)
            numbered = number_enum(enum._replace(file=self.profile.files.messages), published, used, renames)
            self.enums[name], self.locked_enums[name] = numbered.enum, numbered.locked
            self.events[name] = list(numbered.events)
            if published is None or published.state in RETIRED:
                count = f"{len(enum.values)} value{'' if len(enum.values) == 1 else 's'}"
                self.events[name] = [Event(Change.ADDED, name, f"enum of {count}", enum.place)]

    def retain_published(self, *, partial: bool) -> None:
        """Add the published messages and enums that the contract lacks; deprecate them unless `partial`."""
        retained = retain_elements(self.lock, self.messages, self.enums, partial=partial)
        entries: list[tuple[str, LockedMessage | LockedEnum]] = [*self.lock.messages.items(), *self.lock.enums.items()]
        live = {name for name, entry in entries if entry.state is State.LIVE}
        missing = set() if partial else live & {*retained.messages, *retained.enums}
        self.deprecations = [Event(Change.DEPRECATED, name, UNUSED) for name in sorted(missing)]
        self.messages |= retained.messages
        self.enums |= retained.enums
        self.locked_messages = {**self.lock.messages, **self.locked_messages, **retained.locked_messages}
        self.locked_enums = {**self.lock.enums, **self.locked_enums, **retained.locked_enums}

    def list_events(self, used: Set[str]) -> Iterator[Event]:
        """Yield the changes of messages and enums that the protos contain."""
        yield from self.deprecations
        yield from (event for name, events in self.events.items() if name in used for event in events)

    def build_lock(self, assigned: AssignedRpcs, used: Set[str], files: dict[str, str]) -> Lock:
        """Return the new lock."""
        lock = self.lock
        return Lock(
            version=lock.version,
            package=lock.package,
            baseline=lock.baseline,
            files=_list_files(self.profile, lock, files.values()),
            extensions=_list_extensions(self.profile, lock),
            messages=_set_files(self.locked_messages, used | lock.messages.keys(), files),
            enums=_set_files(self.locked_enums, used | lock.enums.keys(), files),
            rpcs=assigned.locked,
            accepted=(*lock.accepted, *assigned.accepted),
        )


def _set_files(entries: dict[str, Entry], names: Set[str], files: dict[str, str]) -> dict[str, Entry]:
    return {
        name: entry if entry.file == files.get(name, entry.file) else entry.model_copy(update={"file": files[name]})
        for name, entry in entries.items()
        if name in names
    }


def _list_moves(lock: Lock, files: dict[str, str]) -> Iterator[Event]:
    entries: list[tuple[str, LockedMessage | LockedEnum]] = [*lock.messages.items(), *lock.enums.items()]
    for name, entry in entries:
        if entry.state not in RETIRED and files.get(name, entry.file) != entry.file:
            yield Event(Change.MOVED, name, f"from {entry.file} to {files[name]}")


def _list_files(profile: Profile, lock: Lock, used: Iterable[str]) -> dict[str, LockedFile]:
    files = dict(lock.files)
    for name in {profile.files.messages, *used}:
        files[name] = LockedFile(package=profile.package, options=choose_file_options(name, profile))
    for service in profile.services:
        files[service.file] = LockedFile(package=service.package or profile.package, options=service.options)
    return files


def _list_extensions(profile: Profile, lock: Lock) -> tuple[LockedExtension, ...]:
    extensions = {item.name: item for item in lock.extensions}
    for item in profile.extensions:
        extensions[item.name] = LockedExtension(**item.model_dump(), file=profile.files.messages)
    return tuple(item for _, item in sorted(extensions.items()))


def _select_ties(profile: Profile, message: str) -> dict[str, str]:
    """Return the ties of the profile's baseline for one message: field name to source."""
    ties = profile.baseline.ties if profile.baseline else {}
    return {key.partition(".")[2]: source for key, source in ties.items() if key.partition(".")[0] == message}


def _check_kinds(contract: Contract, lock: Lock) -> None:
    messages = {name for name, entry in lock.messages.items() if entry.state not in RETIRED}
    enums = {name for name, entry in lock.enums.items() if entry.state not in RETIRED}
    changes = [(contract.messages[name].place, "enum", name, "a message") for name in enums & contract.messages.keys()]
    changes += [(contract.enums[name].place, "message", name, "an enum") for name in messages & contract.enums.keys()]
    hint = "give the schema another name in the profile: `names: {schemas: …}`"
    diagnostics = [
        Diagnostic("lock/kind-changed", f"published {kind} `{name}` would become {element}", place, hint)
        for place, kind, name, element in sorted(changes, key=lambda change: change[1:])
    ]
    if diagnostics:
        raise Failure(diagnostics)


def collect_reachable(
    messages: dict[str, Message], enums: dict[str, Enum], rpcs: Iterable[Rpc], published: Set[str]
) -> set[str]:
    """Return the names of the messages and enums that an rpc needs, and of all published ones."""
    waiting = [name for rpc in rpcs for name in (rpc.request, rpc.response)]
    waiting += [name for name in published if name in messages or name in enums]
    reachable: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in reachable:
            continue
        reachable.add(name)
        waiting += [item.type for item in messages[name].fields if not item.is_scalar] if name in messages else []
        outer = name.rpartition(".")[0]
        waiting += [outer] if outer else []
    return reachable
