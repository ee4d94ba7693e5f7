"""Containers: arrays, tuples and maps, and the component schemas among them that contain themselves.

Sources: JSON Schema core 2020-12, sections 10.3.1 (items, prefixItems) and 10.3.2 (properties by pattern or any name).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipeline.model.contract import JsonForm, JsonRole, Message
from pipeline.model.document.located import LocatedMap
from pipeline.model.identifiers import derive_field_name, format_snake
from pipeline.model.json_encoding import JsonEncoding
from pipeline.model.source import FieldKind, FieldSource
from preprocess.document.references import parse_component_key
from preprocess.document.subschemas import RULE_PATTERN, get_additional_schema
from preprocess.naming.hints import NameHint
from preprocess.schema.context import ConversionContext
from preprocess.schema.fields import make_field
from preprocess.schema.objects import declare_object
from preprocess.schema.shapes import Kind, Shape, with_rule

RULE_TUPLE = "tuple"
RULE_RECURSIVE = "recursive-container"
_OTHER_KEYS = {"additionalProperties", "patternProperties", "unevaluatedProperties"}
_FORMS = {
    Kind.ARRAY: (JsonForm.ARRAY, JsonRole.ITEMS),
    Kind.MAP: (JsonForm.MAP, JsonRole.ENTRIES),
}


def array(context: ConversionContext, schema: LocatedMap, hint: NameHint) -> Shape:
    """The shape of an array: a list of one type, or a tuple where positions have types of their own."""
    prefix = schema.get("prefixItems")
    if not prefix:
        items = schema.get("items", True)
        return Shape(Kind.ARRAY, item=context.shape_of(items, hint.items().titled(items), schema.place))
    shapes = [context.shape_of(item, _position(hint, at).titled(item), schema.place) for at, item in enumerate(prefix)]
    after = schema.get("items", False)
    if after is not False:
        shapes.append(context.shape_of(after, hint.items().titled(after), schema.place))
    if all(found == shapes[0] for found in shapes):
        return Shape(Kind.ARRAY, item=shapes[0])
    return context.declare(schema, hint, lambda message: _tuple(context, schema, hint, message))


def _position(hint: NameHint, at: int) -> NameHint:
    return NameHint(hint.source.append_position(at), f"{hint.name}Item{at + 1}")


def _tuple(context: ConversionContext, schema: LocatedMap, hint: NameHint, message: Message) -> Message:
    """The fields of a tuple: one a position, and one for the items that may follow."""
    least = schema.get("minItems", 0)
    fields = []
    for at, item in enumerate(schema["prefixItems"]):
        title = str(item.get("title", "")) if isinstance(item, LocatedMap) else ""
        made = make_field(
            context,
            source=FieldSource(FieldKind.POSITION, str(at)),
            name=derive_field_name(title) if title else f"item{at + 1}",
            json_name="",
            shape=context.shape_of(item, _position(hint, at).titled(item), schema.place),
            required=isinstance(least, int) and at < least,
            role=JsonRole.ITEM,
            places=(getattr(item, "place", schema.place),),
            rules=(RULE_TUPLE,),
            encoding=JsonEncoding(position=at),
        )
        fields.append(made)
    after = schema.get("items", False)
    if after is not False:
        further = make_field(
            context,
            source=FieldSource(FieldKind.ITEMS),
            name="further_items",
            json_name="",
            shape=Shape(Kind.ARRAY, item=context.shape_of(after, hint.items().titled(after), schema.place)),
            required=False,
            role=JsonRole.ITEMS,
            places=(schema.place,),
            rules=(RULE_TUPLE,),
        )
        fields.append(further)
    return message._replace(form=JsonForm.TUPLE, fields=tuple(fields))


def keyed(context: ConversionContext, schema: LocatedMap, hint: NameHint) -> Shape:
    """The shape of an object without properties: a map, an entry of exactly one key, any object, or an empty one."""
    values = get_additional_schema(schema)
    if values is False or ("properties" in schema and not set(schema) & _OTHER_KEYS):
        return declare_object(context, schema, hint)
    if not isinstance(values, LocatedMap):
        return Shape(Kind.OBJECT)
    value = context.shape_of(values, hint.values().titled(values), schema.place)
    if schema.get("minProperties") == 1 and schema.get("maxProperties") == 1:
        return Shape(Kind.ENTRY, item=value, rules=("map-of-one-key",))
    open_value = value.kind in {Kind.ANY, Kind.OBJECT}
    found = Shape(Kind.OBJECT) if open_value else Shape(Kind.MAP, item=value)
    return with_rule(found, RULE_PATTERN) if schema.get("patternProperties") else found


def recursive(schemas: dict[str, LocatedMap]) -> frozenset[str]:
    """The component schemas that contain themselves with nothing but arrays and maps between."""
    leads = {key: set(_contents(schema)) for key, schema in schemas.items()}
    return frozenset(key for key in schemas if _is_container(schemas[key]) and _returns(key, leads))


def _is_container(schema: LocatedMap) -> bool:
    held = isinstance(schema.get("items"), LocatedMap) or isinstance(get_additional_schema(schema), LocatedMap)
    return held and not any(schema.get(key) for key in ("$ref", "properties", "allOf", "oneOf", "anyOf"))


def _contents(schema: Any) -> Iterator[str]:
    """The components that the items or values of a container lead to, or that an alias stands for."""
    if not isinstance(schema, dict) or schema.get("properties") or schema.get("oneOf") or schema.get("anyOf"):
        return
    if schema.get("$ref"):
        yield parse_component_key(schema["$ref"])
    members = schema.get("allOf", [])
    inner = [schema.get("items"), schema.get("additionalProperties"), *schema.get("patternProperties", {}).values()]
    for item in [*inner, *(members if len(members) == 1 else [])]:
        yield from _contents(item)


def _returns(key: str, leads: dict[str, set[str]]) -> bool:
    waiting, seen = list(leads[key]), set()
    while waiting:
        at = waiting.pop()
        if at == key:
            return True
        if at not in seen:
            seen.add(at)
            waiting += leads.get(at, ())
    return False


def fill_recursive(context: ConversionContext, schema: LocatedMap, hint: NameHint, message: Message) -> Message:
    """The one field of the message of a container that contains itself."""
    found = array(context, schema, hint) if "items" in schema else keyed(context, schema, hint)
    found = Shape(Kind.MAP, item=found.inner) if found.kind is Kind.ENTRY else found
    form, role = _FORMS[found.kind]
    made = make_field(
        context,
        source=FieldSource(FieldKind(role)),
        name=format_snake(message.name),
        json_name="",
        shape=found,
        required=False,
        role=role,
        places=(schema.place,),
        rules=(RULE_RECURSIVE,),
    )
    return message._replace(form=form, fields=(made,))
