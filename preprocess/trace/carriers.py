"""Define carriers: the places of the contract that hold the values of one schema.

A carrier is a field, the items or values inside a field, or a whole message.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from pipeline.model.contract import Label
from pipeline.model.json_encoding import PLAIN, JsonEncoding
from pipeline.model.source import FieldSource

DYNAMIC_TYPES = frozenset({"ObjectMap", "ObjectMap.Value"})
NULL_ENUM = "NullValue"
CONTAINERS = frozenset({Label.REPEATED, Label.MAP})


class CarrierState(StrEnum):
    """What became of something in the specification, from the best state to the worst."""

    LIVE = "live"
    DEPRECATED = "deprecated"
    REPLACED = "replaced"
    EXCLUDED = "excluded"
    LOST = "lost"


_RANKS = {state: rank for rank, state in enumerate(CarrierState)}


@dataclass(frozen=True, eq=False, slots=True)
class Carrier:
    """One place of the contract that holds the values of a schema; `ContractIndex` interns all carriers.

    Attributes:
        state: whether there is a field; if not, the reason.
        full_name: `Message.field`, or `Message` for a whole message.
        type: the type of one value.
        path: the steps `items` and `values` from the field to the value.
        encoding: the part of the field's encoding that applies to this value.
        is_beside_null: whether the value stands in a message of its own, next to a field for null.
        has_key_outside: whether the key of an entry stands in the message around the entry, not in that of its value.
        is_widened: whether the field is a parameter of several types; in the URL each value is a string.
        is_narrowed: whether a narrower schema of the same value decided the type.
        rule: the id of the rule that excludes it.
    """

    state: CarrierState
    full_name: str = ""
    type: str = ""
    label: Label = Label.SINGULAR
    path: tuple[str, ...] = ()
    encoding: JsonEncoding = PLAIN
    is_beside_null: bool = False
    has_key_outside: bool = False
    is_widened: bool = False
    in_oneof: bool = False
    is_narrowed: bool = False
    in_free_form: bool = False
    rule: str = ""
    source: FieldSource | None = None

    @property
    def is_dynamic(self) -> bool:
        """Whether the value can be of any type, or is stored as the bytes of its JSON."""
        return (self.type in DYNAMIC_TYPES or self.encoding.is_document) and self.label not in CONTAINERS

    @property
    def is_container(self) -> bool:
        """Whether the place holds a list, a map or a single map entry."""
        return self.label in CONTAINERS or self.encoding.is_entry


ALIVE = frozenset({CarrierState.LIVE, CarrierState.DEPRECATED})
LOST = Carrier(CarrierState.LOST)
REPLACED = Carrier(CarrierState.REPLACED)


def choose_best_state(states: Iterable[CarrierState]) -> CarrierState:
    """Return the best of several states."""
    return min(states, key=_RANKS.__getitem__)
