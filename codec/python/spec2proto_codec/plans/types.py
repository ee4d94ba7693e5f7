"""Plans: what the codec knows of each message and field, computed once from descriptors and binding."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

Coding = Literal["", "document", "base64", "base64url", "raw", "number"]
"""How a `bytes` or `string` field represents a JSON value; empty for the usual way of its type."""
PLAIN_TYPES = {"string": str, "bool": bool, "int32": int, "int64": int, "uint32": int, "uint64": int}
"""Python type of JSON values that a scalar field takes without conversion, by kind."""
Rank = tuple[int, int, int]


class Label(Enum):
    """How many values a field holds."""

    ONE = "one"
    LIST = "list"
    MAP = "map"


@dataclass(frozen=True, slots=True)
class FieldOptions:
    """The options that the binding gives a field, parsed.

    Attributes:
        required: whether a list or map is written in JSON although it is empty.
        optional: whether a field without presence may be absent in JSON.
        writes_null: whether null is written while the field is not set.
        nullable: whether null may stand in place of the value.
        single: whether one item may stand without its list.
        entry: whether the value stands under the only key of an object; the value's message holds that key.
        quoted: whether a number or boolean may be written as a string.
        coding: how the field represents JSON; see `Coding`.
        shorthand: key of the property that may stand alone in place of the whole object, or empty.
        tags: values by property; an object with one of these values is this union variant.
        position: index of a tuple item, None for other fields.
        style: OpenAPI's `style` of a parameter.
        explode: OpenAPI's `explode` of a parameter.
        holds_json: whether the value of a parameter is one JSON text, as OpenAPI's `content` says.
        in_header: whether a parameter stands in a header.
    """

    required: bool = False
    optional: bool = False
    writes_null: bool = False
    nullable: bool = False
    single: bool = False
    entry: bool = False
    quoted: bool = False
    coding: Coding = ""
    shorthand: str = ""
    tags: dict[str, frozenset[str]] = field(default_factory=dict)
    position: int | None = None
    style: str = "form"
    explode: bool = True
    holds_json: bool = False
    in_header: bool = False


@dataclass(slots=True)
class EnumPlan:
    """The JSON strings of an enum.

    Attributes:
        name: full name of the enum.
        numbers: number by JSON string; None stands for JSON null.
        texts: JSON strings by number; the encoder accepts all, the decoder writes the first.
    """

    name: str
    numbers: dict[str | None, int]
    texts: dict[int, tuple[str | None, ...]]


@dataclass(slots=True, eq=False, repr=False)
class FieldPlan:
    """How a field is represented in JSON.

    Attributes:
        name: name in the proto.
        number: field number.
        role: role in the binding, such as `property`, `variant`, `spread`, `rest` or `key`.
        key: key in JSON, name of the parameter, or position in a tuple.
        kind: `message`, `enum`, or the name of the scalar type.
        label: how many values the field holds.
        options: options in the binding.
        oneof: name of the oneof that contains the field, or empty.
        has_presence: whether the message records that the field is set.
        optional: whether the field has no presence and may be absent in JSON.
        wrapped: whether JSON may hold the field's message under a key (`entry`) or as one property (`shorthand`).
        message: plan of the field's message type, None for other types.
        enum: plan of the field's enum type, None for other types.
        takes_null: whether null is a value of the field's type.
        plain: Python type of the values that can be assigned without conversion; None if each value needs a check.
        rank: how special the field is among variants of one JSON type; the chooser prefers the lowest.
    """

    name: str
    number: int
    role: str
    key: str
    kind: str
    label: Label
    options: FieldOptions
    oneof: str = ""
    has_presence: bool = False
    optional: bool = False
    wrapped: bool = False
    message: MessagePlan | None = None
    enum: EnumPlan | None = None
    takes_null: bool = False
    plain: type | None = None
    rank: Rank = (0, 0, 0)

    def __repr__(self) -> str:
        return f"<field {self.name}>"

    @property
    def takes_any_line(self) -> bool:
        """Whether the field of a line group takes any JSON value as its line."""
        return self.options.coding == "document" or (self.kind == "message" and self.plan.form == "any")

    @property
    def plan(self) -> MessagePlan:
        """Plan of the field's message type; raises `TypeError` for other types."""
        if self.message is None:
            raise TypeError(f"the field `{self.name}` holds no message")
        return self.message

    @property
    def texts(self) -> EnumPlan:
        """Plan of the field's enum type; raises `TypeError` for other types."""
        if self.enum is None:
            raise TypeError(f"the field `{self.name}` holds no enum value")
        return self.enum


@dataclass(slots=True, eq=False, repr=False)
class MessagePlan:
    """How a message is represented in JSON.

    Attributes:
        name: full name.
        form: form in the binding, such as `object`, `union` or `array`.
        fields: fields that represent something in JSON, by number.
        properties: fields of an object, by JSON key.
        parameters: fields of a request by parameter name; a path and a query may have one parameter of the same name.
        variants: fields of a union by number; of a line group in the order of its lines.
        spreads: fields whose properties stand in the object itself; fields of one oneof form one group.
        rest_field: field for all keys that no other field takes.
        content_field: field that holds the items, entries or value of an array, map or entry.
        key_field: field that holds the only key of an entry.
        items: fields of a tuple, by position.
        always_written: fields that are written although they are empty, or whose default differs from absence.
        known_keys: keys that objects of this message may have, including those of spreads.
        is_open: whether objects may have further keys.
        required_keys: keys that objects must have.
        constants: properties that hold one enum value; they tell variants apart.
        excluded: rule by key, for keys that a rule excluded.
        has_only_properties: whether all fields are properties.
    """

    name: str
    form: str
    fields: dict[int, FieldPlan] = field(default_factory=dict)
    properties: dict[str, FieldPlan] = field(default_factory=dict)
    parameters: dict[str, list[FieldPlan]] = field(default_factory=dict)
    variants: list[FieldPlan] = field(default_factory=list)
    spreads: list[list[FieldPlan]] = field(default_factory=list)
    rest_field: FieldPlan | None = None
    content_field: FieldPlan | None = None
    key_field: FieldPlan | None = None
    items: list[FieldPlan] = field(default_factory=list)
    always_written: list[FieldPlan] = field(default_factory=list)
    known_keys: frozenset[str] = frozenset()
    is_open: bool = False
    required_keys: frozenset[str] = frozenset()
    constants: list[FieldPlan] = field(default_factory=list)
    excluded: dict[str, str] = field(default_factory=dict)
    has_only_properties: bool = False

    def __repr__(self) -> str:
        return f"<message {self.name}>"

    @property
    def content(self) -> FieldPlan:
        """Field that holds the content of an array, map or entry; raises `TypeError` for other forms."""
        if self.content_field is None:
            raise TypeError(f"the message `{self.name}` has no field for its content")
        return self.content_field

    @property
    def short(self) -> str:
        """Name without the package, for error messages."""
        return self.name.rpartition(".")[2]
