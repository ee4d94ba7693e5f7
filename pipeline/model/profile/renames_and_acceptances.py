"""What a profile says of changes: names that the spec has changed, and breaks that its owner lets through."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field as Rule

from pipeline.model.document.validated import StrictModel
from pipeline.model.lock.model import LockedAcceptance

RPC_CHANGED = "lock/rpc-changed"
Member = Annotated[str, Rule(pattern=r"^[^.]+\..+$")]


class Renames(StrictModel):
    """What the spec calls otherwise than when it was published: each keeps its name and number in the protos.

    Attributes:
        schemas: old key → new key of a component schema.
        groups: old name → new name of an operation group.
        properties: `Message.old` → new property, parameter or title of a variant; `*.old` in every message.
        values: `Enum.old` → new text of an enum value; `*.old` in every enum.
    """

    schemas: dict[str, str] = Rule(default_factory=dict)
    groups: dict[str, str] = Rule(default_factory=dict)
    properties: dict[Member, str] = Rule(default_factory=dict)
    values: dict[Member, str] = Rule(default_factory=dict)


class Acceptance(StrictModel):
    """A change that breaks clients and is let through, once, with its reason.

    Attributes:
        code: of the diagnostic that refuses it, `lock/rpc-changed` or one of `buf/…`.
        element: what it is about, as the diagnostic names it: `Service/Rpc`; the proto file for diagnostics of buf.
        reason: why clients can bear it; a change of the same code and element later on needs another reason.
    """

    code: Annotated[str, Rule(pattern=r"^(lock/rpc-changed|buf/[A-Z0-9_]+)$")]
    element: Annotated[str, Rule(min_length=1)]
    reason: Annotated[str, Rule(min_length=10)]


class PendingAcceptances:
    """The acceptances of a profile that are still to be used: each lets one build through."""

    def __init__(self, accept: Iterable[Acceptance], spent: Iterable[LockedAcceptance]) -> None:
        """Begin with those that the lock does not have.

        Args:
            accept: of the profile.
            spent: of the lock.
        """
        used = {(item.code, item.element, item.reason) for item in spent}
        self.pending = [item for item in accept if (item.code, item.element, item.reason) not in used]
        self.used: list[LockedAcceptance] = []

    def take(self, code: str, element: str, detail: str) -> bool:
        """Whether a change is accepted; if so, it is on record from now on."""
        found = next((item for item in self.pending if (item.code, item.element) == (code, element)), None)
        if found is not None:
            self.used.append(LockedAcceptance(code=code, element=element, reason=found.reason, detail=detail))
        return found is not None

    @property
    def unused(self) -> list[Acceptance]:
        """Those that let nothing through."""
        used = {(item.code, item.element, item.reason) for item in self.used}
        return [item for item in self.pending if (item.code, item.element, item.reason) not in used]
