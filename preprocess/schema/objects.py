"""Objects: properties, composition with allOf, and what stands beside the properties.

An allOf is one message with the properties of all its members. A member's oneOf becomes a oneof of the message, a
member's anyOf plain fields; an object of at most one property is a oneof as a whole.
Sources: JSON Schema core 2020-12, sections 10.2.1 and 10.3.2; protobuf guide, oneof.
"""

from __future__ import annotations

from dataclasses import replace

from pipeline.model.contract import Field, JsonRole, Message
from pipeline.model.document.located import LocatedMap, locate_child
from pipeline.model.identifiers import derive_field_name, format_snake
from pipeline.model.json_encoding import PLAIN, JsonEncoding
from pipeline.model.source import FieldKind, FieldSource
from preprocess.document.subschemas import RULE_PATTERN
from preprocess.naming.hints import NameHint
from preprocess.schema.context import ConversionContext
from preprocess.schema.discriminator import RULE_TAGGED
from preprocess.schema.field_options import field_name_of, field_options
from preprocess.schema.fields import make_field
from preprocess.schema.object_members import Parts, Property, Spread, parts_of
from preprocess.schema.shapes import GENERAL_NUMBER, Kind, Shape, type_words

_REST = "additional_properties"
RULE_UNTITLED_REST = "untitled-rest"
_ENTRY = JsonEncoding(is_entry=True)


def declare_object(context: ConversionContext, schema: LocatedMap, hint: NameHint) -> Shape:
    """Declare the message of an object."""
    return context.declare(schema, hint, lambda message: fill(context, schema, hint, message))


def fill(context: ConversionContext, schema: LocatedMap, hint: NameHint, message: Message) -> Message:
    """Add the fields of an object to its message, in order of their sources, without numbers."""
    parts = parts_of(context, schema, hint)
    composed = ("all-of",) if "allOf" in schema else ()
    fields = [
        property_field(
            context, item, message.name, item.name in parts.required, _oneof(message.name, item.group), composed
        )
        for _, item in sorted(parts.properties.items())
    ]
    fields += [_spread_field(context, spread, _oneof(message.name, spread.group)) for spread in parts.spreads]
    rest = _rest_field(context, parts)
    excluded = tuple(item for item in parts.excluded if item[0].name not in parts.properties)
    return message._replace(fields=(*fields, *([rest] if rest else [])), excluded=excluded)


def _oneof(message: str, group: int) -> str | None:
    """The name of a oneof: that of the message, the further ones with their place."""
    return (format_snake(message) if group == 1 else f"{format_snake(message)}_{group}") if group else None


def property_field(
    context: ConversionContext,
    item: Property,
    message: str,
    required: bool,
    oneof: str | None,
    rules: tuple[str, ...] = (),
) -> Field:
    """The field of one property.

    Args:
        context: for the shape of its schema.
        item: the property.
        message: the message it belongs to; some put the key of a one-key object into the value's message.
        required: whether the object must have it.
        oneof: the oneof it belongs to, or None.
        rules: what else led to it.
    """
    name = field_name_of(item.name, item.schema)
    shape = context.shape_of(item.schema, item.hint.property(item.name, name).titled(item.schema))
    if shape.kind is Kind.ENTRY and message in context.options.inline_entries_in and shape.inner.kind is Kind.MESSAGE:
        context.entry_values.add(shape.inner.name)
        shape = replace(shape.inner, rules=(*shape.inner.rules, *shape.rules, "entry-inline"))
        encoding = _ENTRY
    else:
        encoding = PLAIN
    return make_field(
        context,
        source=FieldSource.for_property(item.name),
        name=name,
        json_name=item.name,
        shape=shape,
        required=required or item.schema.get("x-protobuf-required") is True,
        oneof=oneof,
        places=item.places,
        rules=(*rules, *item.rules),
        deprecated=context.version.get_deprecation(item.schema),
        encoding=encoding,
        options=field_options(item.schema),
    )


def _spread_field(context: ConversionContext, spread: Spread, oneof: str | None) -> Field:
    shape = context.shape_of(spread.schema, spread.hint)
    title = str(spread.schema.get("title", ""))
    words = derive_field_name(title) if title else type_words(shape)
    return make_field(
        context,
        source=FieldSource.for_variant(title or words),
        name=words,
        json_name="",
        shape=shape,
        required=False,
        role=JsonRole.SPREAD,
        oneof=oneof,
        places=(spread.schema.place,),
        rules=("union-in-object", *((RULE_TAGGED,) if spread.tags else ())),
        encoding=JsonEncoding(tags=spread.tags),
        deprecated=context.version.get_deprecation(spread.schema),
    )


def _rest_field(context: ConversionContext, parts: Parts) -> Field | None:
    """The field for all other keys of an object: named by its title, else by the message or enum of its values."""
    if parts.rest is None:
        return None
    schema, place, hint = parts.rest
    title = str(schema.get("title", "")) if isinstance(schema, LocatedMap) else ""
    shape = context.shape_of(schema, hint.values(), place)
    if not title and shape.kind in {Kind.ANY, Kind.OBJECT}:
        if context.options.untitled_rest == "omit":
            own = place if isinstance(schema, LocatedMap) else locate_child(place, "additionalProperties")
            context.exclude(own, RULE_UNTITLED_REST, "additionalProperties without a title")
            return None
        title = _REST
    named = shape.kind in {Kind.MESSAGE, Kind.ENUM} and shape != GENERAL_NUMBER
    open_value = shape.kind in {Kind.ANY, Kind.OBJECT}
    return make_field(
        context,
        source=FieldSource(FieldKind.REST, title),
        name=derive_field_name(title) if title else type_words(shape) if named else _REST,
        json_name="",
        shape=Shape(Kind.OBJECT) if open_value else Shape(Kind.MAP, item=shape),
        required=False,
        role=JsonRole.REST,
        places=(place,),
        rules=("rest-map", *((RULE_PATTERN,) if parts.patterns else ())),
    )
