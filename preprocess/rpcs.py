"""Rpcs and the lock: a published rpc keeps its name, messages and file; one whose operations are gone is deprecated."""

from __future__ import annotations

from pipeline.model.contract import Contract, Rpc
from pipeline.model.events import Change, Event
from pipeline.model.findings import Failure, Finding, Place
from pipeline.model.lock import Lock, LockedRpc, State
from pipeline.model.profile import Profile

_GONE = {State.RESERVED, State.REPLACED}


def published_rpcs(lock: Lock, profile: Profile) -> list[LockedRpc]:
    """The published rpcs, each tied to its group: an imported one by the profile, as descriptors have no groups."""
    groups = {(service.name, rule.name): rule.group for service in profile.services for rule in service.rpcs}
    tied = [(rpc, rpc.group or groups.get((rpc.service, rpc.name))) for rpc in lock.rpcs]
    return [rpc.model_copy(update={"group": group}) for rpc, group in tied]


def assign_rpcs(
    contract: Contract, lock: Lock, profile: Profile, *, partial: bool
) -> tuple[tuple[Rpc, ...], list[LockedRpc], list[Event]]:
    """The rpcs of a contract, and those that only the lock still knows of.

    Args:
        contract: as converted.
        lock: what was published.
        profile: for the files of new services.
        partial: whether what the contract lacks stays as it was published, instead of being deprecated.

    Returns:
        The rpcs, what the lock remembers of them now, and what changed.

    Raises:
        Failure: `lock/rpc-changed` when a published rpc would take or give another message.
    """
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
        if partial:
            rpcs[key] = _locked_rpc(entry, entry.reason or "")
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
