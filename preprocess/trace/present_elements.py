"""List the fields, enum values and rpcs that the protos have by the lock."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipeline.model.lock.model import Lock, State

_ALIVE = {State.LIVE, State.DEPRECATED}


@dataclass(frozen=True, slots=True)
class PresentElements:
    """The elements of the protos that represent something in the specification.

    Fields and enum values are given by message or enum name and number, rpcs as `Service/Rpc`.
    """

    fields: frozenset[tuple[str, int]] = field(default_factory=frozenset)
    values: frozenset[tuple[str, int]] = field(default_factory=frozenset)
    rpcs: frozenset[str] = field(default_factory=frozenset)


def collect_locked_elements(lock: Lock) -> PresentElements:
    """Return the live elements of a lock that represent something in the specification."""
    fields = {
        (name, item.number)
        for name, entry in lock.messages.items()
        for item in entry.fields
        if item.source is not None and item.state in _ALIVE
    }
    values = {
        (name, value.number)
        for name, entry in lock.enums.items()
        for value in entry.values
        if value.source is not None and value.state in _ALIVE
    }
    rpcs = {f"{rpc.service}/{rpc.name}" for rpc in lock.rpcs if rpc.state in _ALIVE}
    return PresentElements(frozenset(fields), frozenset(values), frozenset(rpcs))
