"""Accepted breaks: what the profile lets through of what compares with the published contract.

A changed rpc is accepted where rpcs get their place in the lock, so buf compares with a contract that has it already;
what buf itself refuses (files, packages, options) is accepted here, by rule and file.
"""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.model.changes import Change, Event
from pipeline.model.diagnostics import Diagnostic, Severity
from pipeline.model.lock.model import Lock, LockedAcceptance
from pipeline.model.profile.profile import Profile
from pipeline.model.profile.renames_and_acceptances import RPC_CHANGED, PendingAcceptances


def with_accepted(published: Lock, now: Lock) -> Lock:
    """What was published, with the rpcs that a build lets change as they are now.

    Args:
        published: before the build.
        now: after it.
    """
    made = [item for item in now.accepted if item not in published.accepted and item.code == RPC_CHANGED]
    changed = {item.element for item in made}
    current = {(rpc.service, rpc.name): rpc for rpc in now.rpcs}
    rpcs = [current[rpc.service, rpc.name] if f"{rpc.service}/{rpc.name}" in changed else rpc for rpc in published.rpcs]
    known = {name: message for name, message in now.messages.items() if changed and name not in published.messages}
    enums = {name: enum for name, enum in now.enums.items() if changed and name not in published.enums}
    update = {"rpcs": tuple(rpcs), "messages": known | published.messages, "enums": enums | published.enums}
    return published.model_copy(update=update | {"files": {**now.files, **published.files}} if changed else {})


def let_through(
    diagnostics: Iterable[Diagnostic], accepting: PendingAcceptances
) -> tuple[list[Diagnostic], list[Event]]:
    """The diagnostics that still refuse a build, and an event for each that is accepted.

    Args:
        diagnostics: of buf; the element of each is the proto file that it is about.
        accepting: the acceptances that are left; what they let through is on record there.
    """
    left, events = [], []
    for diagnostic in diagnostics:
        if diagnostic.code.startswith("buf/") and accepting.take(
            diagnostic.code, diagnostic.place.file, diagnostic.message
        ):
            reason = accepting.used[-1].reason
            events.append(
                Event(Change.ACCEPTED, diagnostic.place.file, f"{diagnostic.message}: {reason}", diagnostic.place)
            )
        else:
            left.append(diagnostic)
    return left, events


def unused(accepting: PendingAcceptances, made: Iterable[LockedAcceptance], profile: Profile) -> list[Diagnostic]:
    """A warning for each acceptance that let nothing through: it would do so another day, with the same reason."""
    taken = {(item.code, item.element, item.reason) for item in made}
    hint = "remove it from the profile, or mend its element"
    return [
        Diagnostic(
            "accept/unused",
            f"nothing of `{item.element}` is refused as {item.code}",
            profile.locate("accept", profile.accept.index(item)),
            hint,
            Severity.WARNING,
        )
        for item in accepting.unused
        if (item.code, item.element, item.reason) not in taken
    ]
