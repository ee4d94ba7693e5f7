"""Keep published rpcs: their names, messages and files. An rpc without operations is deprecated."""

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
    """The rpcs of a contract and their lock entries by service and name, the changes, and the accepted changes."""

    by_name: dict[tuple[str, str], Rpc] = field(default_factory=dict)
    locked_by_name: dict[tuple[str, str], LockedRpc] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    accepted: list[LockedAcceptance] = field(default_factory=list)

    @property
    def rpcs(self) -> tuple[Rpc, ...]:
        """The rpcs, by service and name."""
        return tuple(rpc for _, rpc in sorted(self.by_name.items()))

    @property
    def locked(self) -> tuple[LockedRpc, ...]:
        """The lock entries, by service and name."""
        return tuple(entry for _, entry in sorted(self.locked_by_name.items()))


def list_published_rpcs(lock: Lock, profile: Profile) -> list[LockedRpc]:
    """Return the published rpcs with their groups; an imported rpc has its group from the profile."""
    groups = {(service.name, rule.name): rule.group for service in profile.services for rule in service.rpcs}
    return [rpc.model_copy(update={"group": rpc.group or groups.get((rpc.service, rpc.name))}) for rpc in lock.rpcs]


def assign_rpcs(contract: Contract, lock: Lock, profile: Profile, *, partial: bool) -> AssignedRpcs:
    """Return the rpcs of a contract, and those that only the lock has; these are deprecated unless `partial`.

    Raises:
        Failure: `lock/rpc-changed` if a published rpc would have another request or response, or stream.
    """
    files = {rule.name: (rule.file, rule.package or profile.package) for rule in profile.services}
    acceptances = PendingAcceptances(profile.accept, lock.accepted)
    assigned = AssignedRpcs(locked_by_name={(entry.service, entry.name): entry for entry in lock.rpcs})
    diagnostics = []
    for rpc in contract.rpcs:
        key = rpc.service, rpc.name
        entry = assigned.locked_by_name.get(key)
        diagnostics += _compare(rpc, entry, acceptances, assigned.events)
        file, package = (entry.file, entry.package) if entry else files[rpc.service]
        assigned.by_name[key] = rpc
        assigned.locked_by_name[key] = LockedRpc(
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
    assigned.accepted = acceptances.used
    _retain_rpcs(assigned, partial=partial)
    return assigned


def _compare(
    rpc: Rpc, entry: LockedRpc | None, acceptances: PendingAcceptances, events: list[Event]
) -> list[Diagnostic]:
    """Compare an rpc with its lock entry: add an event, or return a diagnostic for a change nobody accepts."""
    name = f"{rpc.service}/{rpc.name}"
    place = rpc.places[0] if rpc.places else NOWHERE
    if entry is None:
        events.append(Event(Change.ADDED, name, f"rpc for `{rpc.group}`", place))
        return []
    published, converted = _format_signature(entry), _format_signature(rpc)
    if published != converted:
        if not acceptances.take(RPC_CHANGED, name, f"was {published}, is {converted}"):
            message = f"rpc `{name}` was published as {published}, the spec now makes it {converted}"
            acceptance = f"`accept: [{{code: {RPC_CHANGED}, element: {name}, reason: …}}]`"
            hint = f"restore the old form by an overlay or by names in the profile, or let it through by {acceptance}"
            return [Diagnostic(RPC_CHANGED, message, place, hint)]
        reason = acceptances.used[-1].reason
        events.append(Event(Change.ACCEPTED, name, f"was {published}, is {converted}: {reason}", place))
    elif entry.state is not State.LIVE:
        events.append(Event(Change.RESTORED, name, f"rpc for `{rpc.group}`, as before", place))
    return []


def _retain_rpcs(assigned: AssignedRpcs, *, partial: bool) -> None:
    for key, entry in sorted(assigned.locked_by_name.items()):
        if key in assigned.by_name or entry.state in RETIRED:
            continue
        reason = entry.reason or ""
        if not partial:
            reason = reason or "the operation group is gone from the spec"
            if entry.state is State.LIVE:
                assigned.events.append(Event(Change.DEPRECATED, f"{entry.service}/{entry.name}", reason))
            update = {"state": State.DEPRECATED, "reason": reason}
            assigned.locked_by_name[key] = entry.model_copy(update=update)
        assigned.by_name[key] = _retain_rpc(entry, reason)


def _format_signature(rpc: LockedRpc | Rpc) -> str:
    return f"({rpc.request}) returns ({'stream ' if rpc.server_streaming else ''}{rpc.response})"


def _retain_rpc(entry: LockedRpc, reason: str) -> Rpc:
    signature = entry.request, entry.response, entry.server_streaming
    return Rpc(entry.service, entry.name, entry.group or "", *signature, rules=(RULE_RETAINED,), deprecated=reason)
