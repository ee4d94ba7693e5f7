"""Changes that a build made to the contract, as data for the report."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pipeline.model.diagnostics import NOWHERE, Place


class Change(StrEnum):
    """The kinds of change to a message, field, enum value or rpc."""

    ADDED = "added"
    DEPRECATED = "deprecated"
    TYPE_CHANGED = "type-changed"
    RESTORED = "restored"
    MOVED = "moved"
    RENAMED = "renamed"
    ACCEPTED = "accepted"


@dataclass(frozen=True, order=True, slots=True)
class Event:
    """One change of the contract.

    Attributes:
        element: `Message`, `Message.field`, `Enum.VALUE` or `Service/Rpc`.
        detail: the new declaration, or the reason of the change.
        place: the origin of the element in the specification; `NOWHERE` if it is gone.
    """

    change: Change
    element: str
    detail: str
    place: Place = NOWHERE
