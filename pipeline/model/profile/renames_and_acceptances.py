"""Renames in the specification, and breaking changes that the owner of a profile accepts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field as Rule

from pipeline.model.document.validated import StrictModel
from pipeline.model.lock.model import LockedAcceptance

RPC_CHANGED = "lock/rpc-changed"
Member = Annotated[str, Rule(pattern=r"^[^.]+\..+$")]


class Renames(StrictModel):
    """Elements that were renamed in the specification. They keep their published name and number in the protos.

    Attributes:
        schemas: old key → new key of a component schema.
        groups: old name → new name of an operation group.
        properties: `Message.old` → new property, parameter or variant title; `*.old` applies to every message.
        values: `Enum.old` → new string of an enum value; `*.old` applies to every enum.
    """

    schemas: dict[str, str] = Rule(default_factory=dict)
    groups: dict[str, str] = Rule(default_factory=dict)
    properties: dict[Member, str] = Rule(default_factory=dict)
    values: dict[Member, str] = Rule(default_factory=dict)


class Acceptance(StrictModel):
    """A breaking change that is accepted once.

    Attributes:
        code: the code of the diagnostic: `lock/rpc-changed` or one of `buf/…`.
        element: the element that the diagnostic names: `Service/Rpc`, or the proto file for diagnostics of buf.
        reason: why clients can cope with it. A later change of the same code and element needs another reason.
    """

    code: Annotated[str, Rule(pattern=r"^(lock/rpc-changed|buf/[A-Z0-9_]+)$")]
    element: Annotated[str, Rule(min_length=1)]
    reason: Annotated[str, Rule(min_length=10)]


class PendingAcceptances:
    """The acceptances of a profile that the lock does not contain, and those `used` by this build."""

    def __init__(self, accept: Iterable[Acceptance], spent: Iterable[LockedAcceptance]) -> None:
        locked = {(item.code, item.element, item.reason) for item in spent}
        self.pending = [item for item in accept if (item.code, item.element, item.reason) not in locked]
        self.used: list[LockedAcceptance] = []

    def take(self, code: str, element: str, detail: str) -> bool:
        """Return whether a change is accepted; if so, record the acceptance as used."""
        item = next((item for item in self.pending if (item.code, item.element) == (code, element)), None)
        if item is not None:
            self.used.append(LockedAcceptance(code=code, element=element, reason=item.reason, detail=detail))
        return item is not None

    @property
    def unused(self) -> list[Acceptance]:
        """The acceptances that this build did not use."""
        used = {(item.code, item.element, item.reason) for item in self.used}
        return [item for item in self.pending if (item.code, item.element, item.reason) not in used]
