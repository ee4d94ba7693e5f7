"""Accepted breaking changes: those that the profile lists under `accept`, and that the lock has on record.

An accepted change of an rpc is recorded while rpcs are numbered; buf then compares with a contract that has it already.
What buf itself reports (files, packages, options) is accepted here, by rule and file.
"""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.model.changes import Change, Event
from pipeline.model.diagnostics import Diagnostic, Severity
from pipeline.model.lock.model import Lock, LockedAcceptance
from pipeline.model.profile.profile import Profile
from pipeline.model.profile.renames_and_acceptances import RPC_CHANGED, PendingAcceptances


def find_new_acceptances(base: Lock, head: Lock) -> list[LockedAcceptance]:
    """Return the acceptances that only the later of two locks has."""
    return [item for item in head.accepted if item not in base.accepted]


def list_accepted_rpcs(base: Lock, head: Lock) -> set[str]:
    """Return the rpcs, as `Service/Rpc`, whose change was accepted between two locks."""
    return {item.element for item in find_new_acceptances(base, head) if item.code == RPC_CHANGED}


def apply_accepted_rpcs(base: Lock, head: Lock) -> Lock:
    """Return the published lock with the accepted rpc changes of the lock after a build."""
    changed = list_accepted_rpcs(base, head)
    if not changed:
        return base
    current = {(rpc.service, rpc.name): rpc for rpc in head.rpcs}
    rpcs = [current[rpc.service, rpc.name] if f"{rpc.service}/{rpc.name}" in changed else rpc for rpc in base.rpcs]
    # The changed rpcs may use new messages, and these new enums and files.
    update = {
        "rpcs": tuple(rpcs),
        "messages": {**head.messages, **base.messages},
        "enums": {**head.enums, **base.enums},
        "files": {**head.files, **base.files},
    }
    return base.model_copy(update=update)


def apply_acceptances(
    diagnostics: Iterable[Diagnostic], accepting: PendingAcceptances
) -> tuple[list[Diagnostic], list[Event]]:
    """Split diagnostics into those that still refuse the result, and an event for each accepted one.

    The file of a diagnostic of buf is the element to accept. `accepting` records the acceptances that are used.
    """
    refusing, events = [], []
    for diagnostic in diagnostics:
        file = diagnostic.place.file
        if diagnostic.code.startswith("buf/") and accepting.take(diagnostic.code, file, diagnostic.message):
            detail = f"{diagnostic.message}: {accepting.used[-1].reason}"
            events.append(Event(Change.ACCEPTED, file, detail, diagnostic.place))
        else:
            refusing.append(diagnostic)
    return refusing, events


def warn_unused_acceptances(
    accepting: PendingAcceptances, recorded: Iterable[LockedAcceptance], profile: Profile
) -> list[Diagnostic]:
    """Return a warning for each acceptance of the profile that no change used; a later change could use it unseen."""
    used = {(item.code, item.element, item.reason) for item in recorded}
    return [
        Diagnostic(
            "accept/unused",
            f"no {item.code} was found for `{item.element}`",
            profile.locate("accept", profile.accept.index(item)),
            "remove the entry from the profile, or correct its element",
            Severity.WARNING,
        )
        for item in accepting.unused
        if (item.code, item.element, item.reason) not in used
    ]
