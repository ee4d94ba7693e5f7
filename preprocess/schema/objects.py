"""Objects: properties, composition with allOf, and what stands beside the properties.

An allOf is one message with the properties of all its members. A member's oneOf becomes a oneof of the message, a
member's anyOf plain fields; an object of at most one property is a oneof as a whole.
Sources: JSON Schema core 2020-12, sections 10.2.1 and 10.3.2; protobuf guide, oneof.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pipeline.model.contract import Field, JsonForm, JsonRole
from pipeline.model.document.located import LocatedMap, below
from pipeline.model.identifiers import field_name, snake
from preprocess.document.subschemas import RULE_PATTERN
from preprocess.naming.hints import NameHint
from preprocess.schema.discriminator import RULE_TAGGED
from preprocess.schema.object_members import Parts, Property, Spread, parts_of
from preprocess.schema.shapes import GENERAL_NUMBER, Kind, Shape, type_words

if TYPE_CHECKING:
    from preprocess.schema.converter import Converter

_REST = "additional_properties"
RULE_UNTITLED_REST = "untitled-rest"


@dataclass(frozen=True, slots=True)
class Filled:
    """What the schema of a message turned out to be."""

    form: JsonForm
    fields: tuple[Field, ...]
    excluded: tuple[tuple[str, str, str], ...] = ()


def fill(converter: Converter, schema: LocatedMap, hint: NameHint, message: str) -> Filled:
    """The fields of the message that an object schema becomes.

    Returns:
        Its form in JSON, its fields in order of their sources, without numbers, and what was left out.
    """
    parts = parts_of(converter, schema, hint)
    composed = ("all-of",) if "allOf" in schema else ()
    fields = [
        property_field(converter, item, message, item.name in parts.required, _oneof(message, item.group), composed)
        for _, item in sorted(parts.properties.items())
    ]
    fields += [_spread_field(converter, spread, _oneof(message, spread.group)) for spread in parts.spreads]
    rest = _rest_field(converter, parts)
    excluded = tuple(item for item in parts.excluded if item[0] not in parts.properties)
    return Filled(JsonForm.OBJECT, (*fields, *([rest] if rest else [])), excluded)


def _oneof(message: str, group: int) -> str | None:
    """The name of a oneof: that of the message, the further ones with their place."""
    return (snake(message) if group == 1 else f"{snake(message)}_{group}") if group else None


def property_field(
    converter: Converter, item: Property, message: str, required: bool, oneof: str | None, rules: tuple[str, ...] = ()
) -> Field:
    """The field of one property.

    Args:
        converter: for the shape of its schema.
        item: the property.
        message: the message it belongs to; some put the key of a one-key object into the value's message.
        required: whether the object must have it.
        oneof: the oneof it belongs to, or None.
        rules: what else led to it.
    """
    name = converter.field_name(item.name, item.schema)
    shape = converter.shape(item.schema, item.hint.property(item.name, name).titled(item.schema))
    if shape.kind is Kind.ENTRY and message in converter.choices.inline_entries_in and shape.inner.kind is Kind.MESSAGE:
        converter.keyed.add(shape.inner.name)
        shape = replace(shape.inner, rules=(*shape.inner.rules, *shape.rules, "entry-inline"))
        options: tuple[str, ...] = ("entry",)
    else:
        options = ()
    source = f"property:{item.name}" if ":" in item.name else item.name
    return converter.fields.make(
        source=source,
        name=name,
        json_name=item.name,
        shape=shape,
        required=required or item.schema.get("x-protobuf-required") is True,
        oneof=oneof,
        places=item.places,
        rules=(*rules, *item.rules),
        deprecated=converter.deprecation(item.schema),
        json_options=options,
        options=converter.options(item.schema),
    )


def _spread_field(converter: Converter, spread: Spread, oneof: str | None) -> Field:
    shape = converter.shape(spread.schema, spread.hint)
    title = str(spread.schema.get("title", ""))
    words = field_name(title) if title else type_words(shape)
    return converter.fields.make(
        source=f"variant:{title or words}",
        name=words,
        json_name="",
        shape=shape,
        required=False,
        role=JsonRole.SPREAD,
        oneof=oneof,
        places=(spread.schema.place,),
        rules=("union-in-object", *((RULE_TAGGED,) if spread.tags else ())),
        json_options=spread.tags,
        deprecated=converter.deprecation(spread.schema),
    )


def _rest_field(converter: Converter, parts: Parts) -> Field | None:
    """The field for all other keys of an object: named by its title, else by the message or enum of its values."""
    if parts.rest is None:
        return None
    schema, place, hint = parts.rest
    title = str(schema.get("title", "")) if isinstance(schema, LocatedMap) else ""
    shape = converter.shape(schema, hint.values(), place)
    if not title and shape.kind in {Kind.ANY, Kind.OBJECT}:
        if converter.choices.untitled_rest == "omit":
            own = place if isinstance(schema, LocatedMap) else below(place, "additionalProperties")
            converter.exclude(own, RULE_UNTITLED_REST, "additionalProperties without a title")
            return None
        title = _REST
    named = shape.kind in {Kind.MESSAGE, Kind.ENUM} and shape != GENERAL_NUMBER
    open_value = shape.kind in {Kind.ANY, Kind.OBJECT}
    return converter.fields.make(
        source=f"rest:{title}",
        name=field_name(title) if title else type_words(shape) if named else _REST,
        json_name="",
        shape=Shape(Kind.OBJECT) if open_value else Shape(Kind.MAP, item=shape),
        required=False,
        role=JsonRole.REST,
        places=(place,),
        rules=("rest-map", *((RULE_PATTERN,) if parts.patterns else ())),
    )
