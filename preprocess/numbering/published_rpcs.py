"""Rpcs and the lock: a published rpc keeps its name, messages and file; one whose operations are gone is deprecated."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipeline.model.changes import Change, Event
from pipeline.model.contract import Contract, Rpc
from pipeline.model.diagnostics import NOWHERE, Diagnostic, ExitCode, Failure
from pipeline.model.lock.model import RETIRED, Lock, LockedAcceptance, LockedRpc, State
from pipeline.model.profile.profile import Profile
from pipeline.model.profile.renames_and_acceptances import RPC_CHANGED, PendingAcceptances
from preprocess.numbering.retained import RULE_RETAINED


@dataclass(slots=True)
class AssignedRpcs:
    """The rpcs of a contract, what the lock remembers of them, what changed, and which breaks were let through."""

    rpcs: dict[tuple[str, str], Rpc] = field(default_factory=dict)
    known: dict[tuple[str, str], LockedRpc] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    accepted: list[LockedAcceptance] = field(default_factory=list)

    @property
    def listed(self) -> tuple[Rpc, ...]:
        """The rpcs in order."""
        return tuple(rpc for _, rpc in sorted(self.rpcs.items()))

    @property
    def locked(self) -> tuple[LockedRpc, ...]:
        """What the lock remembers, in order."""
        return tuple(entry for _, entry in sorted(self.known.items()))


def published_rpcs(lock: Lock, profile: Profile) -> list[LockedRpc]:
    """The published rpcs, each tied to its group: an imported one by the profile, as descriptors have no groups."""
    groups = {(service.name, rule.name): rule.group for service in profile.services for rule in service.rpcs}
    tied = [(rpc, rpc.group or groups.get((rpc.service, rpc.name))) for rpc in lock.rpcs]
    return [rpc.model_copy(update={"group": group}) for rpc, group in tied]


def assign_rpcs(contract: Contract, lock: Lock, profile: Profile, *, partial: bool) -> AssignedRpcs:
    """The rpcs of a contract, and those that only the lock still knows of.

    Args:
        contract: as converted.
        lock: what was published.
        profile: for the files of new services, and for changes that it accepts.
        partial: whether what the contract lacks stays as it was published, instead of being deprecated.

    Raises:
        Failure: `lock/rpc-changed` when a published rpc would take or give another message, or stream.
    """
    files = {rule.name: (rule.file, rule.package or profile.package) for rule in profile.services}
    accepting = PendingAcceptances(profile.accept, lock.accepted)
    done = AssignedRpcs(known={(entry.service, entry.name): entry for entry in lock.rpcs})
    diagnostics = []
    for rpc in contract.rpcs:
        key = rpc.service, rpc.name
        entry = done.known.get(key)
        diagnostics += _judged(rpc, entry, accepting, done.events)
        file, package = (entry.file, entry.package) if entry else files[rpc.service]
        done.rpcs[key] = rpc
        done.known[key] = LockedRpc(
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
    if diagnostics:
        raise Failure(diagnostics, ExitCode.REFUSED)
    done.accepted = accepting.used
    _keep(done, partial=partial)
    return done


def _judged(rpc: Rpc, entry: LockedRpc | None, accepting: PendingAcceptances, events: list[Event]) -> list[Diagnostic]:
    """What is to be said of an rpc against its entry in the lock: an event for the report, or a refusal."""
    name = f"{rpc.service}/{rpc.name}"
    place = rpc.places[0] if rpc.places else NOWHERE
    if entry is None:
        events.append(Event(Change.ADDED, name, f"rpc for `{rpc.group}`", place))
    elif (was := _signature(entry)) != (now := _signature(rpc)):
        if not accepting.take(RPC_CHANGED, name, f"was {was}, is {now}"):
            message = f"rpc `{name}` was published as {was}, the spec now makes it {now}"
            entry_text = f"`accept: [{{code: {RPC_CHANGED}, element: {name}, reason: …}}]`"
            hint = f"restore the old form by an overlay or by names in the profile, or let it through by {entry_text}"
            return [Diagnostic(RPC_CHANGED, message, place, hint)]
        events.append(Event(Change.ACCEPTED, name, f"was {was}, is {now}: {accepting.used[-1].reason}", place))
    elif entry.state is not State.LIVE:
        events.append(Event(Change.RESTORED, name, f"rpc for `{rpc.group}`, as before", place))
    return []


def _keep(done: AssignedRpcs, *, partial: bool) -> None:
    """Keep what only the lock still knows of: deprecated, or as it was under `partial`."""
    for key, entry in sorted(done.known.items()):
        if key in done.rpcs or entry.state in RETIRED:
            continue
        if partial:
            done.rpcs[key] = _locked_rpc(entry, entry.reason or "")
            continue
        reason = entry.reason or "the operation group is gone from the spec"
        if entry.state is State.LIVE:
            done.events.append(Event(Change.DEPRECATED, f"{entry.service}/{entry.name}", reason))
        done.rpcs[key] = _locked_rpc(entry, reason)
        done.known[key] = entry.model_copy(update={"state": State.DEPRECATED, "reason": reason})


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
        rules=(RULE_RETAINED,),
        deprecated=reason,
    )
