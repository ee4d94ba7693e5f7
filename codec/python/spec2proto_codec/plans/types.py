"""Plans: what the codec has to know of each message and field, worked out once from descriptors and binding."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

Json = Any


class Label(Enum):
    """How often a field may stand."""

    ONE = "one"
    LIST = "list"
    MAP = "map"


@dataclass(slots=True)
class EnumPlan:
    """The JSON texts of an enum: number by text, texts by number (the first is written), null being None."""

    name: str
    numbers: dict[str | None, int]
    texts: dict[int, tuple[str | None, ...]]


@dataclass(slots=True, eq=False, repr=False)
class FieldPlan:
    """What a field is in JSON.

    Attributes:
        name: in the proto.
        number: its number.
        role: as in the binding (property, variant, spread, rest, key, …).
        key: its key in JSON, the parameter's name, or the position in a tuple.
        kind: `message`, `enum`, or the scalar type.
        label: how often it stands.
        oneof: the oneof it belongs to, empty where there is none.
        presence: whether the message knows if it is set.
        required: whether it is written though it holds nothing.
        optional: whether it has no presence and need not be written.
        writes_null: whether null is written where it is not set.
        single: whether one item may stand without its list.
        entry: whether its value stands under the one key of an object, which the value's message holds.
        coding: how bytes or texts stand for JSON: document, base64, base64url, raw, number, or empty.
        quoted: whether a number or boolean may be written as a text.
        shorthand: the property that may stand alone, empty where there is none.
        tags: property → its values, by which this variant is known.
        options: all options, for what only parameters have.
        message: the plan of its type, of a message.
        enum: the plan of its type, of an enum.
        takes_null: whether null is a value of its type.
        plain: the Python type of values that can be set as they are, None where each has to be looked at.
        rank: how special it is among variants of one JSON type; the lowest is chosen first.
    """

    name: str
    number: int
    role: str
    key: str
    kind: str
    label: Label
    oneof: str = ""
    presence: bool = False
    required: bool = False
    optional: bool = False
    writes_null: bool = False
    single: bool = False
    entry: bool = False
    coding: str = ""
    quoted: bool = False
    shorthand: str = ""
    tags: dict[str, frozenset[str]] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    message: MessagePlan | None = None
    enum: EnumPlan | None = None
    takes_null: bool = False
    plain: type | None = None
    rank: tuple[int, int, int] = (0, 0, 0)

    def __repr__(self) -> str:
        return f"<field {self.name}>"

    @property
    def takes_any_line(self) -> bool:
        """Whether the field of a line group takes any JSON value as its line."""
        return self.coding == "document" or (self.kind == "message" and self.plan.form == "any")

    @property
    def plan(self) -> MessagePlan:
        """The plan of its type."""
        assert self.message is not None, f"{self.name} is no message"  # noqa: S101 - the kind says so
        return self.message

    @property
    def texts(self) -> EnumPlan:
        """The texts of its type."""
        assert self.enum is not None, f"{self.name} is no enum"  # noqa: S101 - the kind says so
        return self.enum


@dataclass(slots=True, eq=False, repr=False)
class MessagePlan:
    """What a message is in JSON.

    Attributes:
        name: full name.
        form: as in the binding (object, union, array, …).
        fields: those that stand for something, by number.
        properties: fields by their key in JSON, of an object.
        parameters: fields of a request by the name of the parameter, of which a path and a query may have one each.
        variants: of a union or of a group of lines, in order of their numbers.
        spreads: fields whose properties stand in the object itself: those of one oneof together.
        rest: the field for all other keys.
        held: the field that holds the items, entries or value of an array, a map or an entry.
        key: the field that holds the one key of an entry.
        items: the fields of the positions of a tuple.
        needed: fields that are written though they hold nothing, or whose default has to be told from absence.
        known: keys that objects of this message may have, those of spreads included.
        open: whether any further key may stand.
        required: keys that must stand.
        constants: properties that are enums, which tell variants apart.
        excluded: keys that a rule left out, and which.
        direct: whether its fields are all properties.
    """

    name: str
    form: str
    fields: dict[int, FieldPlan] = field(default_factory=dict)
    properties: dict[str, FieldPlan] = field(default_factory=dict)
    parameters: dict[str, list[FieldPlan]] = field(default_factory=dict)
    variants: list[FieldPlan] = field(default_factory=list)
    spreads: list[list[FieldPlan]] = field(default_factory=list)
    rest: FieldPlan | None = None
    held: FieldPlan | None = None
    key: FieldPlan | None = None
    items: list[FieldPlan] = field(default_factory=list)
    needed: list[FieldPlan] = field(default_factory=list)
    known: frozenset[str] = frozenset()
    open: bool = False
    required: frozenset[str] = frozenset()
    constants: list[FieldPlan] = field(default_factory=list)
    excluded: dict[str, str] = field(default_factory=dict)
    direct: bool = False

    def __repr__(self) -> str:
        return f"<message {self.name}>"

    @property
    def content(self) -> FieldPlan:
        """The field that holds what an array, a map or an entry has."""
        assert self.held is not None, f"{self.name} holds nothing"  # noqa: S101 - by its form
        return self.held

    @property
    def short(self) -> str:
        """Its name without the package, for sentences."""
        return self.name.rpartition(".")[2]
