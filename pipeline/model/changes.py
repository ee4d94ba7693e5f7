"""Events: what a build changed in the contract, as data for the report."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pipeline.model.diagnostics import NOWHERE, Place


class Change(StrEnum):
    """What can happen to a message, field, enum value or rpc."""

    ADDED = "added"
    DEPRECATED = "deprecated"
    TYPE_CHANGED = "type-changed"
    RESTORED = "restored"
    MOVED = "moved"
    RENAMED = "renamed"
    ACCEPTED = "accepted"


@dataclass(frozen=True, order=True, slots=True)
class Event:
    """One change.

    Attributes:
        change: what happened.
        element: `Message`, `Message.field`, `Enum.VALUE` or `Service/Rpc`.
        detail: the declaration it has now, or the reason.
        place: where in the spec it comes from, if it is still there.
    """

    change: Change
    element: str
    detail: str
    place: Place = NOWHERE
