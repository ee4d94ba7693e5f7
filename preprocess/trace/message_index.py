"""Views: the live fields of a message by what they stand for in the spec."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

from pipeline.model.contract import Field, JsonForm, JsonRole, Message
from pipeline.model.diagnostics import Place
from preprocess.trace.present_fields import PresentElements


@dataclass(slots=True)
class View:
    """One message of the contract, its live fields by what they stand for.

    Attributes:
        message: with all its fields.
        by_name: the fields of properties, by their names.
        by_place: fields by where in the spec they come from.
        rest: the field of further keys.
        inner: the field of the list, map or entry that the message is.
        positions: of a tuple, by the position.
        further: of a tuple, the field of the items after these.
        keyed: whether it has a field for the key that it stands under.
        live: all live fields.
    """

    message: Message
    by_name: dict[str, Field] = field(default_factory=dict)
    by_place: dict[Place, list[Field]] = field(default_factory=dict)
    rest: Field | None = None
    inner: Field | None = None
    positions: dict[str, Field] = field(default_factory=dict)
    further: Field | None = None
    keyed: bool = False
    live: list[Field] = field(default_factory=list)

    def by_role(self, roles: Container[JsonRole]) -> list[Field]:
        """Its fields of some roles."""
        return [item for item in self.live if item.role in roles]


def view_of(message: Message, compiled: PresentElements) -> View:
    """A message seen so, without what the compiled protos do not have.

    Args:
        message: as the build made it.
        compiled: which of its fields protoc knows.
    """
    view = View(message)
    for item in message.fields:
        if "kept-by-lock" in item.rules or (message.name, item.number) not in compiled.fields:
            continue
        view.live.append(item)
        if item.role is JsonRole.PROPERTY:
            view.by_name[item.json_name] = item
        elif item.role is JsonRole.REST:
            view.rest = item
        elif message.form is JsonForm.TUPLE and item.role is JsonRole.ITEM:
            view.positions[_position(item)] = item
        elif message.form is JsonForm.TUPLE:
            view.further = item
        elif item.role in {JsonRole.ITEMS, JsonRole.ENTRIES, JsonRole.VALUE}:
            view.inner = item
        view.keyed |= item.role is JsonRole.KEY
        for place in item.places:
            view.by_place.setdefault(place, []).append(item)
    if message.form is JsonForm.ENTRY and not view.keyed:
        view.inner = None
    return view


def _position(item: Field) -> str:
    """At which position of a tuple a field's item stands."""
    return next((option.removeprefix("at:") for option in item.json_options if option.startswith("at:")), "")
