"""Shapes: what a schema is, once references, composition and unions are seen through."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from pipeline.model.identifiers import format_snake


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
    """What a schema is.

    Attributes:
        kind: `object` is any JSON object, `any` any JSON value, `document` a JSON object kept as bytes,
            `entry` a map of exactly one key.
        name: the scalar type, or the name of the message or enum.
        item: of an array, a map or an entry.
        single: an array that may also stand as its one item.
        nullable: null may stand in its place.
        shorthand: the property of an object that may stand in its place, written alone.
        encoding: what the text of a scalar stands for: `base64` or `base64url` or `raw` for bytes, `number` for the
            digits of a number that no scalar holds; empty where it stands for itself.
        quoted: a number or boolean that may also be written as a text.
        widened: a parameter whose schemas differ, so that its type takes the values of all of them.
        rules: the conversion rules that led here.
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
    rules: tuple[str, ...] = field(default=(), compare=False)

    @property
    def inner(self) -> Shape:
        """The item of an array, map or entry."""
        assert self.item is not None, f"{self.kind} has no item"  # noqa: S101 - the kinds with items always have one
        return self.item

    def json_types(self) -> frozenset[str]:
        """The JSON types (boolean, number, string, object, array, null) that its values can have."""
        kinds = {
            Kind.OBJECT: {"object"},
            Kind.DOCUMENT: {"object"},
            Kind.MESSAGE: {"boolean", "number", "string", "object", "array", "null"},
            Kind.ENUM: {"string"},
            Kind.ARRAY: {"array"},
            Kind.MAP: {"object"},
            Kind.ENTRY: {"object"},
            Kind.NULL: {"null"},
        }
        if self.encoding == "number":
            return frozenset({"number"})
        if self.kind is Kind.SCALAR:
            return frozenset({{"bool": "boolean", "string": "string", "bytes": "string"}.get(self.name, "number")})
        return frozenset(kinds.get(self.kind, {"boolean", "number", "string", "object", "array", "null"}))


GENERAL_NUMBER = Shape(Kind.MESSAGE, "GeneralNumber", rules=("number-without-format",))
STRING = Shape(Kind.SCALAR, "string")
NULL = Shape(Kind.NULL, "NullValue", rules=("null-value",))


def with_rule(found: Shape, rule: str) -> Shape:
    """The same shape, which one more rule led to."""
    return replace(found, rules=tuple(sorted({*found.rules, rule})))


def type_words(shape: Shape) -> str:
    """The name of a union's field after its type: `string`, `null_value`, `string_array`, `lat_lon_geo_location`."""
    if shape.kind is Kind.ARRAY:
        return f"{type_words(shape.inner)}_array"
    if shape.kind is Kind.MAP:
        return f"{type_words(shape.inner)}_map"
    if shape.kind is Kind.ENTRY:
        return f"{type_words(shape.inner)}_single_map"
    if shape.kind in {Kind.OBJECT, Kind.ANY}:
        return "object_map"
    if shape.kind is Kind.DOCUMENT:
        return "bytes"
    return format_snake(shape.name)
