"""Fields: from a shape to a type and a label, with a message around what protobuf cannot nest.

A list or map may stand neither in a oneof nor in another list or map, so it gets a message of its own: `StringArray`,
`FloatMap`, `SortOrderSingleMap`, one for each element type. Source: protobuf guide, field labels, maps, oneof.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.model.contract import Field, JsonForm, JsonRole, Label, Message
from pipeline.model.findings import Place
from preprocess import support
from preprocess.shapes import Hint, Kind, Shape
from preprocess.texts import pascal, snake

if TYPE_CHECKING:
    from preprocess.convert import Converter

_RULES = {Kind.OBJECT: "free-form", Kind.ANY: "free-form", Kind.DOCUMENT: "document-bytes", Kind.NULL: "null-value"}
_WRAPPERS = {
    Kind.ARRAY: ("Array", JsonForm.ARRAY, JsonRole.ITEMS, "array-wrapper"),
    Kind.MAP: ("Map", JsonForm.MAP, JsonRole.ENTRIES, "map-wrapper"),
    Kind.ENTRY: ("SingleMap", JsonForm.ENTRY, JsonRole.VALUE, "entry-wrapper"),
}


class Fields:
    """Makes fields, and the wrapping messages that these need."""

    def __init__(self, converter: Converter) -> None:
        """Hold the converter, which keeps the messages."""
        self.converter = converter

    def make(  # noqa: PLR0913 - the attributes of one field, by name
        self,
        *,
        source: str,
        name: str,
        json_name: str,
        shape: Shape,
        required: bool,
        role: JsonRole = JsonRole.PROPERTY,
        oneof: str | None = None,
        places: tuple[Place, ...] = (),
        rules: tuple[str, ...] = (),
        deprecated: str = "",
        json_options: tuple[str, ...] = (),
        options: tuple[tuple[str, str], ...] = (),
    ) -> Field:
        """One field of a shape; the arguments are those of `Field`, `required` says whether JSON must have it."""
        place = places[0] if places else Place()
        label, element = self._label(shape, required, oneof)
        extra = {"single"} if shape.single else set()
        extra |= {"document"} if element.kind is Kind.DOCUMENT else set()
        extra |= {"nullable"} if shape.nullable else set()
        extra |= {f"shorthand:{element.shorthand}"} if element.shorthand else set()
        return Field(
            source=source,
            name=name,
            type=self.element(element, place),
            label=label,
            role=role,
            oneof=oneof,
            json_name=json_name,
            json_options=tuple(sorted({*json_options, *extra})),
            places=places,
            rules=tuple(sorted({*rules, *self._rules(shape)})),
            deprecated=deprecated,
            options=options,
        )

    def _label(self, shape: Shape, required: bool, oneof: str | None) -> tuple[Label, Shape]:
        if oneof is not None:
            return Label.SINGULAR, shape
        if shape.kind is Kind.ARRAY:
            return Label.REPEATED, shape.inner
        if shape.kind is Kind.MAP:
            return Label.MAP, shape.inner
        return (Label.SINGULAR if required and not shape.nullable else Label.OPTIONAL), shape

    def _rules(self, shape: Shape) -> set[str]:
        found = set(shape.rules) | ({_RULES[shape.kind]} if shape.kind in _RULES else set())
        if shape.item is not None:
            found |= self._rules(shape.item)
            found |= {"arrays"} if shape.kind is Kind.ARRAY else {"maps"} if shape.kind is Kind.MAP else set()
        return found

    def element(self, shape: Shape, place: Place) -> str:
        """The type that stands for a shape where one value stands; lists, maps and entries get a message."""
        if shape.kind in _WRAPPERS:
            return self._wrapper(shape, place)
        if shape.kind is Kind.OBJECT or (shape.kind is Kind.ANY and self.converter.choices.any_value == "object"):
            return support.OBJECT_MAP
        if shape.kind is Kind.ANY:
            return support.VALUE
        return "bytes" if shape.kind is Kind.DOCUMENT else shape.name

    def _wrapper(self, shape: Shape, place: Place) -> str:
        suffix, form, role, rule = _WRAPPERS[shape.kind]
        inner = shape.inner
        element = self.element(inner, place)
        label = {Kind.ARRAY: Label.REPEATED, Kind.MAP: Label.MAP}.get(shape.kind, Label.SINGULAR)
        stem = "Document" if inner.kind is Kind.DOCUMENT else pascal(element)
        name = self.converter.namer.claim(
            Hint(f"wrapper:{stem}{suffix}", stem + suffix, f"{stem}{suffix}Wrapper"), place
        )
        if name not in self.converter.messages:
            options = ("document",) if inner.kind is Kind.DOCUMENT else ()
            value_name = snake(stem) if shape.kind is Kind.ENTRY else snake(stem + suffix)
            value = Field(f"{role}:", value_name, element, label, role, json_options=options, rules=(rule,))
            key = Field("key", "field", "string", Label.SINGULAR, JsonRole.KEY, rules=(rule,))
            fields = (key, value) if shape.kind is Kind.ENTRY else (value,)
            message = Message(name, f"wrapper:{stem}{suffix}", form, fields, rules=(rule,))
            self.converter.messages[name] = message
        return name
