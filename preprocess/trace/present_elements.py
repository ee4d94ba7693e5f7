"""List the fields, enum values and rpcs that the protos have, by compiled descriptors or by the lock."""

from __future__ import annotations

from dataclasses import dataclass, field

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.descriptors import iterate_enums, iterate_messages, iterate_methods
from pipeline.model.lock.model import Lock, State

_ALIVE = {State.LIVE, State.DEPRECATED}


@dataclass(frozen=True, slots=True)
class PresentElements:
    """The elements of the protos that represent something in the specification.

    Attributes:
        fields: the message name and number of each field.
        values: the enum name and number of each enum value.
        rpcs: each rpc as `Service/Rpc`.
    """

    fields: frozenset[tuple[str, int]] = field(default_factory=frozenset)
    values: frozenset[tuple[str, int]] = field(default_factory=frozenset)
    rpcs: frozenset[str] = field(default_factory=frozenset)


def collect_compiled_elements(descriptors: FileDescriptorSet, lock: Lock) -> PresentElements:
    """Return the elements of compiled descriptors that the lock ties to the specification.

    Args:
        descriptors: the descriptors of the protos.
        lock: the lock of the same contract.
    """
    files = descriptors.file
    fields = {(name, item.number) for _, name, message in iterate_messages(files) for item in message.field}
    values = {(name, value.number) for _, name, enum in iterate_enums(files) for value in enum.value}
    rpcs = frozenset(name for name, _ in iterate_methods(files))
    return PresentElements(
        frozenset(fields & _list_locked_fields(lock)), frozenset(values & _list_locked_values(lock)), rpcs
    )


def collect_locked_elements(lock: Lock) -> PresentElements:
    """Return the elements that protos generated from the lock will have."""
    rpcs = frozenset(f"{rpc.service}/{rpc.name}" for rpc in lock.rpcs if rpc.state in _ALIVE)
    return PresentElements(frozenset(_list_locked_fields(lock)), frozenset(_list_locked_values(lock)), rpcs)


def _list_locked_fields(lock: Lock) -> set[tuple[str, int]]:
    return {
        (name, item.number)
        for name, entry in lock.messages.items()
        for item in entry.fields
        if item.source is not None and item.state in _ALIVE
    }


def _list_locked_values(lock: Lock) -> set[tuple[str, int]]:
    return {
        (name, value.number)
        for name, entry in lock.enums.items()
        for value in entry.values
        if value.source is not None and value.state in _ALIVE
    }
