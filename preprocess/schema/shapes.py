"""Shapes: what a schema is once references, composition and unions are resolved."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from pipeline.model.contract import Rule
from pipeline.model.identifiers import format_snake
from preprocess.schema import well_known

RULE_GENERAL_NUMBER = Rule("number-without-format")


class Kind(StrEnum):
    """The kinds of shape; each becomes a field in its own way."""

    SCALAR = "scalar"
    OBJECT = "object"
    ANY = "any"
    DOCUMENT = "document"
    MESSAGE = "message"
    ENUM = "enum"
    ARRAY = "array"
    MAP = "map"
    ENTRY = "entry"
    NULL = "null"


@dataclass(frozen=True, slots=True)
class Shape:
    """The protobuf side of a schema. Two shapes are equal if they need the same field type.

    Attributes:
        kind: `object` is any JSON object, `any` any JSON value, `document` a JSON object stored as bytes,
            `entry` a map of exactly one key.
        name: the scalar type, or the name of the message or enum.
        item: the shape of the items or values of an array, a map or an entry.
        encoding: what the string of a scalar encodes: bytes (`base64`, `base64url`, `raw`) or the digits of a long
            `number`; empty if it encodes nothing.
        single: whether an array of one item may also be written as that item.
        nullable: whether null may replace the value.
        shorthand: the property of an object whose value may replace the whole object.
        quoted: whether a number or boolean may also be written as a string.
        widened: whether a parameter's schemas differ, so that its type holds the values of all of them.
        rules: the conversion rules that led to this shape.
    """

    kind: Kind
    name: str = ""
    item: Shape | None = None
    encoding: str = ""
    single: bool = field(default=False, compare=False)
    nullable: bool = field(default=False, compare=False)
    shorthand: str = field(default="", compare=False)
    quoted: bool = field(default=False, compare=False)
    widened: bool = field(default=False, compare=False)
    rules: tuple[Rule, ...] = field(default=(), compare=False)

    @property
    def inner(self) -> Shape:
        """The shape of the items or values; only for an array, a map or an entry."""
        if self.item is None:
            raise TypeError(self.kind)
        return self.item

    @property
    def is_free_form(self) -> bool:
        """Whether any JSON object or any JSON value fits."""
        return self.kind in {Kind.ANY, Kind.OBJECT}


GENERAL_NUMBER = Shape(Kind.MESSAGE, well_known.NUMBER, rules=(RULE_GENERAL_NUMBER,))
STRING = Shape(Kind.SCALAR, "string")
NULL = Shape(Kind.NULL, well_known.NULL_VALUE, rules=(well_known.RULE_NULL_VALUE,))


def add_rule(shape: Shape, rule: Rule) -> Shape:
    """Return a copy of a shape with one more conversion rule."""
    return replace(shape, rules=tuple(sorted({*shape.rules, rule})))


def make_nullable(shape: Shape) -> Shape:
    """Return a copy of a shape whose value may be null."""
    return replace(shape, nullable=True)


def name_after_type(shape: Shape) -> str:
    """Return the name of a union's field after its type: `string`, `null_value`, `string_array`, `geo_location_map`."""
    if shape.kind is Kind.ARRAY:
        return f"{name_after_type(shape.inner)}_array"
    if shape.kind is Kind.MAP:
        return f"{name_after_type(shape.inner)}_map"
    if shape.kind is Kind.ENTRY:
        return f"{name_after_type(shape.inner)}_single_map"
    if shape.is_free_form:
        return "object_map"
    return "bytes" if shape.kind is Kind.DOCUMENT else format_snake(shape.name)
