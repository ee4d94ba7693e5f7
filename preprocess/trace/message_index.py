"""List the elements that the protos have by the lock, and index the live fields of a message by their role in JSON."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from pipeline.model.contract import Field, JsonForm, JsonRole, Message
from pipeline.model.diagnostics import Place
from pipeline.model.lock.model import Lock, LockedEnum, LockedMessage, State

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
    rpcs = frozenset(f"{rpc.service}/{rpc.name}" for rpc in lock.rpcs if rpc.state in _ALIVE)
    return PresentElements(_list_numbers(lock.messages), _list_numbers(lock.enums), rpcs)


def _list_numbers(entries: Mapping[str, LockedMessage | LockedEnum]) -> frozenset[tuple[str, int]]:
    return frozenset(
        (name, item.number)
        for name, entry in entries.items()
        for item in entry.entries
        if item.source is not None and item.state in _ALIVE
    )


@dataclass(slots=True)
class MessageIndex:
    """One message of the contract with its live fields by role.

    Attributes:
        properties: the fields of properties, by JSON name.
        by_place: the fields by the places in the specification that they come from.
        additional: the field of undeclared keys (`additionalProperties`).
        content: the field that holds the list, map or entry, for a message that stands for one.
        positions: for a tuple, the fields of single items by position.
        further_items: for a tuple, the field of the items after the last position.
        has_key: whether a field holds the JSON key of the message itself.
    """

    definition: Message
    properties: dict[str, Field] = field(default_factory=dict)
    by_place: dict[Place, list[Field]] = field(default_factory=dict)
    additional: Field | None = None
    content: Field | None = None
    positions: dict[int | None, Field] = field(default_factory=dict)
    further_items: Field | None = None
    has_key: bool = False
    live: list[Field] = field(default_factory=list)

    def select_roles(self, roles: Container[JsonRole]) -> list[Field]:
        """Return the live fields that have one of the roles."""
        return [item for item in self.live if item.role in roles]


def index_message(message: Message, present: PresentElements) -> MessageIndex:
    """Index the fields of a message that the protos have."""
    index = MessageIndex(message)
    for item in message.fields:
        if item.is_retained or (message.name, item.number) not in present.fields:
            continue
        index.live.append(item)
        if item.role is JsonRole.PROPERTY:
            index.properties[item.json_name] = item
        elif item.role is JsonRole.REST:
            index.additional = item
        elif message.form is JsonForm.TUPLE and item.role is JsonRole.ITEM:
            index.positions[item.encoding.position] = item
        elif message.form is JsonForm.TUPLE:
            index.further_items = item
        elif item.role in {JsonRole.ITEMS, JsonRole.ENTRIES, JsonRole.VALUE}:
            index.content = item
        index.has_key |= item.role is JsonRole.KEY
        for place in item.places:
            index.by_place.setdefault(place, []).append(item)
    if message.form is JsonForm.ENTRY and not index.has_key:
        index.content = None
    return index
