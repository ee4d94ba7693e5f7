"""The model of the lock: every name and number ever published. Nothing is ever deleted from it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field as Rule

from pipeline.model.contract import Label
from pipeline.model.document.validated import StrictModel

# Protobuf allows one more number, which the spelling notes of the codec use.
MAX_NUMBER = 536_870_910
FIRST_RESERVED, LAST_RESERVED = 19_000, 19_999


def skip_reserved_range(number: int) -> int:
    """Return the number itself, or the first one behind the range that protobuf reserves for itself."""
    return LAST_RESERVED + 1 if FIRST_RESERVED <= number <= LAST_RESERVED else number


class State(StrEnum):
    """The state of a name and its number.

    `reserved`: no longer in the protos, and never reused. `replaced`: the number was reused by an earlier release; the
    old meaning stays on record.
    """

    LIVE = "live"
    DEPRECATED = "deprecated"
    RESERVED = "reserved"
    REPLACED = "replaced"


STATES = tuple(State)
RETIRED = frozenset({State.RESERVED, State.REPLACED})
"""The states of elements that are no longer in the protos."""


class LockedField(StrictModel):
    """One published field; `json_name` is its option, None for the default JSON name."""

    number: Annotated[int, Rule(ge=1, le=MAX_NUMBER)]
    name: str
    type: str
    label: Label
    oneof: str | None = None
    source: str | None = None
    json_name: str | None = None
    state: State = State.LIVE
    reason: str | None = None
    since: str | None = None
    until: str | None = None
    formerly: str | None = None


class LockedMessage(StrictModel):
    """One message: its source schema, its fields and the next free number."""

    file: str
    schema_: str | None = Rule(default=None, alias="schema")
    state: State = State.LIVE
    reason: str | None = None
    next: Annotated[int, Rule(ge=1, le=MAX_NUMBER + 1)]
    fields: tuple[LockedField, ...] = ()

    @property
    def entries(self) -> tuple[LockedField, ...]:
        """The fields, under the name that messages and enums share."""
        return self.fields

    def replace_entries(self, entries: tuple[LockedField, ...], cursor: int) -> LockedMessage:
        """Return the message with other fields and another next number."""
        return self.model_copy(update={"fields": entries, "next": cursor})


class LockedValue(StrictModel):
    """One published enum value."""

    number: Annotated[int, Rule(ge=-(2**31), le=2**31 - 1)]
    name: str
    source: str | None = None
    state: State = State.LIVE
    reason: str | None = None
    since: str | None = None
    until: str | None = None


class LockedEnum(StrictModel):
    """One enum: its source schema, its values and the next free number."""

    file: str
    schema_: str | None = Rule(default=None, alias="schema")
    state: State = State.LIVE
    reason: str | None = None
    next: int
    values: tuple[LockedValue, ...] = ()

    @property
    def entries(self) -> tuple[LockedValue, ...]:
        """The values, under the name that messages and enums share."""
        return self.values

    def replace_entries(self, entries: tuple[LockedValue, ...], cursor: int) -> LockedEnum:
        """Return the enum with other values and another next number."""
        return self.model_copy(update={"values": entries, "next": cursor})


class LockedRpc(StrictModel):
    """One published rpc."""

    service: str
    name: str
    file: str
    package: str
    request: str
    response: str
    server_streaming: bool = False
    group: str | None = None
    state: State = State.LIVE
    reason: str | None = None
    since: str | None = None
    until: str | None = None


class LockedFile(StrictModel):
    """One proto file: its package and the options that generated code depends on."""

    package: str
    options: dict[str, str | bool] = Rule(default_factory=dict)


class LockedExtension(StrictModel):
    """One published custom option."""

    name: str
    extends: str
    number: int
    type: str
    file: str


class LockedAcceptance(StrictModel):
    """One accepted breaking change: the code of its diagnostic, the element, the change and the reason."""

    code: str
    element: str
    detail: str
    reason: str


class Lock(StrictModel):
    """The lock of one profile."""

    version: Literal[1]
    package: str
    baseline: str | None = None
    files: dict[str, LockedFile] = Rule(default_factory=dict)
    extensions: tuple[LockedExtension, ...] = ()
    messages: dict[str, LockedMessage] = Rule(default_factory=dict)
    enums: dict[str, LockedEnum] = Rule(default_factory=dict)
    rpcs: tuple[LockedRpc, ...] = ()
    accepted: tuple[LockedAcceptance, ...] = ()


def create_empty_lock(package: str) -> Lock:
    """Return a lock without entries."""
    return Lock(version=1, package=package)
