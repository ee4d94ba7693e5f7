"""Plans: what the codec knows of each message and field, computed once from descriptors and binding.

No other module reads the strings in which the binding writes the options of a field.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Literal, get_args

Coding = Literal["", "document", "base64", "base64url", "raw", "number"]
"""How a `bytes` or `string` field represents a JSON value; empty for the usual way of its type."""
_CODINGS: dict[str, Coding] = {coding: coding for coding in get_args(Coding) if coding}
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
    """The options that the binding gives a field, parsed."""

    required: bool = False  # A list or map is written in JSON although it is empty.
    optional: bool = False  # A field without presence may be absent in JSON.
    writes_null: bool = False  # Null is written while the field is not set.
    nullable: bool = False  # Null may stand in place of the value.
    single: bool = False  # One item may stand without its list.
    entry: bool = False  # The value stands under the only key of an object; the value's message holds that key.
    quoted: bool = False  # A number or boolean may be written as a string.
    coding: Coding = ""
    shorthand: str = ""  # Key of the property that may stand alone in place of the whole object, or empty.
    tags: dict[str, frozenset[str]] = field(default_factory=dict)  # Values by property that identify this variant.
    position: int | None = None  # Index of a tuple item.
    style: str = "form"  # OpenAPI's `style` of a parameter.
    explode: bool = True  # OpenAPI's `explode` of a parameter.
    holds_json: bool = False  # The value of a parameter is one JSON text, as OpenAPI's `content` says.
    in_header: bool = False  # A parameter stands in a header.


@cache
def parse_options(options: tuple[str, ...]) -> FieldOptions:
    """Parse options such as `single`, `shorthand:value` and `tag:type=text`; unknown options are ignored.

    Most fields share a few sets of options, so equal options share one record.
    """
    flags = {option for option in options if ":" not in option}
    arguments: dict[str, str] = {}
    tags: dict[str, set[str]] = {}
    for option in options:
        name, colon, argument = option.partition(":")
        if name == "tag":
            key, _, value = argument.partition("=")
            tags.setdefault(key, set()).add(value)
        elif colon:
            arguments.setdefault(name, argument)
    style = arguments.get("style", "form")
    return FieldOptions(
        required="required" in flags,
        optional="optional" in flags,
        writes_null="null" in flags,
        nullable="nullable" in flags,
        single="single" in flags,
        entry="entry" in flags,
        quoted="quoted" in flags,
        coding=next((_CODINGS[flag] for flag in options if flag in _CODINGS), ""),
        shorthand=arguments.get("shorthand", ""),
        tags={key: frozenset(values) for key, values in tags.items()},
        position=int(arguments["at"]) if "at" in arguments else None,
        style=style,
        explode={"true": True, "false": False}.get(arguments.get("explode", ""), style == "form"),
        holds_json=arguments.get("content", "").endswith("json"),
        in_header=arguments.get("in") == "header",
    )


@dataclass(slots=True)
class EnumPlan:
    """The JSON strings of an enum; the string None stands for JSON null."""

    name: str  # Full name of the enum.
    numbers: dict[str | None, int]
    texts: dict[int, tuple[str | None, ...]]  # By number; the encoder accepts all, the decoder writes the first.


@dataclass(slots=True, eq=False, repr=False)
class FieldPlan:
    """How a field is represented in JSON."""

    name: str  # Name in the proto.
    number: int
    role: str  # Role in the binding, such as `property`, `variant`, `spread`, `rest` or `key`.
    key: str  # Key in JSON, name of the parameter, or position in a tuple.
    kind: str  # `message`, `enum`, or the name of the scalar type.
    label: Label
    options: FieldOptions
    oneof: str = ""  # Name of the oneof that contains the field, or empty.
    has_presence: bool = False  # The message records that the field is set.
    optional: bool = False  # The field has no presence and may be absent in JSON.
    wrapped: bool = False  # JSON may hold the message under a key (`entry`) or as one property (`shorthand`).
    message: MessagePlan | None = None  # Plan of the field's message type.
    enum: EnumPlan | None = None  # Plan of the field's enum type.
    takes_null: bool = False  # Null is a value of the field's type.
    plain: type | None = None  # Python type of values to assign unconverted; None if each value needs a check.
    rank: Rank = (0, 0, 0)  # How special the field is among variants of one JSON type; the lowest is preferred.

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
    """How a message is represented in JSON."""

    name: str  # Full name.
    form: str  # Form in the binding, such as `object`, `union` or `array`.
    fields: dict[int, FieldPlan] = field(default_factory=dict)  # Those that represent something in JSON, by number.
    properties: dict[str, FieldPlan] = field(default_factory=dict)  # Fields of an object, by JSON key.
    parameters: dict[str, list[FieldPlan]] = field(default_factory=dict)  # Two if a path and a query share a name.
    variants: list[FieldPlan] = field(default_factory=list)  # By number; of a line group, in the order of its lines.
    spreads: list[list[FieldPlan]] = field(default_factory=list)  # Fields whose keys stand in the object, by oneof.
    rest_field: FieldPlan | None = None  # Field for all keys that no other field takes.
    content_field: FieldPlan | None = None  # Field that holds the items, entries or value of an array, map or entry.
    key_field: FieldPlan | None = None  # Field that holds the only key of an entry.
    items: list[FieldPlan] = field(default_factory=list)  # Fields of a tuple, by position.
    always_written: list[FieldPlan] = field(default_factory=list)  # Written although empty or at their default.
    known_keys: frozenset[str] = frozenset()  # Keys that objects may have, including those of spreads.
    is_open: bool = False  # Objects may have further keys.
    required_keys: frozenset[str] = frozenset()  # Keys that objects must have.
    constants: list[FieldPlan] = field(default_factory=list)  # Properties of one enum value; they tell variants apart.
    excluded: dict[str, str] = field(default_factory=dict)  # Rule by key, for keys that a rule excluded.
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
