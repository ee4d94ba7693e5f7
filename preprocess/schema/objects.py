"""Convert objects: a field for each property, for each spread variant, and for the additional properties.

An `allOf` is one message with the properties of all its members. A member's `oneOf` becomes a oneof of the message, a
member's `anyOf` plain fields. An object of at most one property is a oneof as a whole.
Sources: JSON Schema core 2020-12, sections 10.2.1 and 10.3.2; protobuf guide, oneof.
"""

from __future__ import annotations

from dataclasses import replace

from pipeline.model.contract import Field, JsonRole, Message, Rule
from pipeline.model.document.located import LocatedMap, locate_child
from pipeline.model.identifiers import derive_field_name, format_snake
from pipeline.model.json_encoding import PLAIN, JsonEncoding
from pipeline.model.source import FieldKind, FieldSource
from preprocess.document.subschemas import RULE_PATTERN
from preprocess.naming.hints import NameHint
from preprocess.schema.all_of import RULE_ALL_OF
from preprocess.schema.context import RULE_ENTRY_INLINE, Context
from preprocess.schema.discriminator import RULE_TAGGED
from preprocess.schema.fields import choose_field_name, make_field, read_field_options
from preprocess.schema.object_members import ObjectMembers, Property, SpreadVariant, collect_members
from preprocess.schema.shapes import GENERAL_NUMBER, Kind, Shape, name_after_type

RULE_REST_MAP = Rule("rest-map")
RULE_UNION_IN_OBJECT = Rule("union-in-object")
_ADDITIONAL = "additional_properties"
_ENTRY = JsonEncoding(is_entry=True)
RULE_UNTITLED_REST = Rule("untitled-rest")


def declare_object(context: Context, schema: LocatedMap, hint: NameHint) -> Shape:
    """Declare the message of an object."""
    return context.declare(schema, hint, lambda message: fill_object(context, schema, hint, message))


def fill_object(context: Context, schema: LocatedMap, hint: NameHint, message: Message) -> Message:
    """Return the message of an object with its fields, in order of their sources and without numbers."""
    members = collect_members(context, schema, hint)
    rules = (RULE_ALL_OF,) if "allOf" in schema else ()
    fields = [
        _make_property_field(context, message.name, declared, declared.name in members.required, rules)
        for _, declared in sorted(members.properties.items())
    ]
    fields += [_make_spread_field(context, message.name, spread) for spread in members.spreads]
    additional = _make_additional_field(context, members)
    excluded = tuple(entry for entry in members.excluded if entry[0].name not in members.properties)
    return message._replace(fields=(*fields, *([additional] if additional else [])), excluded=excluded)


def _name_oneof(message: str, group: int) -> str | None:
    return (format_snake(message) if group == 1 else f"{format_snake(message)}_{group}") if group else None


def _make_property_field(
    context: Context, message: str, declared: Property, required: bool, rules: tuple[Rule, ...]
) -> Field:
    name = choose_field_name(declared.name, declared.schema)
    shape = context.convert_schema(declared.schema, declared.hint.property(declared.name, name).titled(declared.schema))
    is_inline_entry = _is_inline_entry(context, message, shape)
    if is_inline_entry:
        context.entry_values.add(shape.inner.name)
        shape = replace(shape.inner, rules=(*shape.inner.rules, *shape.rules, RULE_ENTRY_INLINE))
    field = make_field(
        context,
        source=FieldSource.for_property(declared.name),
        name=name,
        json_name=declared.name,
        shape=shape,
        required=required or declared.schema.get("x-protobuf-required") is True,
        oneof=_name_oneof(message, declared.group),
        places=declared.places,
        rules=(*rules, *declared.rules),
        deprecated=context.version.get_deprecation(declared.schema),
        encoding=_ENTRY if is_inline_entry else PLAIN,
        options=read_field_options(declared.schema),
    )
    return field._replace(in_property_oneof=True) if declared.is_alone else field


def _is_inline_entry(context: Context, message: str, shape: Shape) -> bool:
    """Return whether the profile wants the key of a one-key object as a field in the message of its value."""
    is_listed = shape.kind is Kind.ENTRY and message in context.options.inline_entries_in
    return is_listed and shape.inner.kind is Kind.MESSAGE


def _make_spread_field(context: Context, message: str, spread: SpreadVariant) -> Field:
    """Return the field of a variant whose properties are keys of the object itself."""
    shape = context.convert_schema(spread.schema, spread.hint)
    title = str(spread.schema.get("title", ""))
    name = derive_field_name(title) if title else name_after_type(shape)
    return make_field(
        context,
        source=FieldSource.for_variant(title or name),
        name=name,
        shape=shape,
        role=JsonRole.SPREAD,
        oneof=_name_oneof(message, spread.group),
        places=(spread.schema.place,),
        rules=(RULE_UNION_IN_OBJECT, *((RULE_TAGGED,) if spread.tags else ())),
        encoding=JsonEncoding(tags=spread.tags),
        deprecated=context.version.get_deprecation(spread.schema),
    )


def _make_additional_field(context: Context, members: ObjectMembers) -> Field | None:
    """Return the field for all other keys of an object; its name is the title or the type of the values."""
    if members.additional is None:
        return None
    schema, place, hint = members.additional
    title = str(schema.get("title", "")) if isinstance(schema, LocatedMap) else ""
    shape = context.convert_schema(schema, hint.values(), place)
    if not title and shape.is_free_form:
        if context.options.untitled_rest == "omit":
            keyword_place = place if isinstance(schema, LocatedMap) else locate_child(place, "additionalProperties")
            context.exclude(keyword_place, RULE_UNTITLED_REST, "additionalProperties without a title")
            return None
        title = _ADDITIONAL
    has_type_name = shape.kind in {Kind.MESSAGE, Kind.ENUM} and shape != GENERAL_NUMBER
    return make_field(
        context,
        source=FieldSource(FieldKind.REST, title),
        name=derive_field_name(title) if title else name_after_type(shape) if has_type_name else _ADDITIONAL,
        shape=Shape(Kind.OBJECT) if shape.is_free_form else Shape(Kind.MAP, item=shape),
        role=JsonRole.REST,
        places=(place,),
        rules=(RULE_REST_MAP, *((RULE_PATTERN,) if members.has_patterns else ())),
    )
