"""Convert arrays, tuples and maps, and the component schemas among them that contain themselves.

Sources: JSON Schema core 2020-12, sections 10.3.1 (items, prefixItems) and 10.3.2 (properties by pattern or any name).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx

from pipeline.model.contract import Field, JsonForm, JsonRole, Message, Rule
from pipeline.model.document.located import LocatedMap
from pipeline.model.identifiers import derive_field_name, format_snake
from pipeline.model.json_encoding import JsonEncoding
from pipeline.model.source import FieldKind, FieldSource
from preprocess.document.references import parse_component_key
from preprocess.document.subschemas import RULE_PATTERN, get_additional_schema
from preprocess.naming.hints import NameHint
from preprocess.schema.context import Context
from preprocess.schema.fields import make_field
from preprocess.schema.objects import declare_object
from preprocess.schema.shapes import Kind, Shape, add_rule

RULE_ENTRY = Rule("map-of-one-key")
RULE_TUPLE = Rule("tuple")
RULE_RECURSIVE = Rule("recursive-container")
_OTHER_KEYS = {"additionalProperties", "patternProperties", "unevaluatedProperties"}
_FORMS = {Kind.ARRAY: (JsonForm.ARRAY, JsonRole.ITEMS), Kind.MAP: (JsonForm.MAP, JsonRole.ENTRIES)}


def convert_array(context: Context, schema: LocatedMap, hint: NameHint) -> Shape:
    """Return the shape of an array: a list of one type, or a tuple message if positions have different types."""
    prefix = schema.get("prefixItems")
    if not prefix:
        return Shape(Kind.ARRAY, item=_convert_items(context, schema, hint, schema.get("items", True)))
    shapes = [_convert_position(context, schema, hint, index) for index in range(len(prefix))]
    if schema.get("items", False) is not False:
        shapes.append(_convert_items(context, schema, hint, schema["items"]))
    if all(shape == shapes[0] for shape in shapes):
        return Shape(Kind.ARRAY, item=shapes[0])
    return context.declare(schema, hint, lambda message: _fill_tuple(context, schema, hint, message))


def _convert_items(context: Context, schema: LocatedMap, hint: NameHint, items: Any) -> Shape:
    """Return the shape of the items of an array, of a tuple those after the last position."""
    return context.convert_schema(items, hint.items().titled(items), schema.place)


def _convert_position(context: Context, schema: LocatedMap, hint: NameHint, index: int) -> Shape:
    position = schema["prefixItems"][index]
    position_hint = NameHint(hint.source.append_position(index), f"{hint.name}Item{index + 1}")
    return context.convert_schema(position, position_hint.titled(position), schema.place)


def _fill_tuple(context: Context, schema: LocatedMap, hint: NameHint, message: Message) -> Message:
    fields = [_make_position_field(context, schema, hint, index) for index in range(len(schema["prefixItems"]))]
    if schema.get("items", False) is not False:
        further = make_field(
            context,
            source=FieldSource(FieldKind.ITEMS),
            name="further_items",
            shape=Shape(Kind.ARRAY, item=_convert_items(context, schema, hint, schema["items"])),
            role=JsonRole.ITEMS,
            places=(schema.place,),
            rules=(RULE_TUPLE,),
        )
        fields.append(further)
    return message._replace(form=JsonForm.TUPLE, fields=tuple(fields))


def _make_position_field(context: Context, schema: LocatedMap, hint: NameHint, index: int) -> Field:
    """Return the field of one position of a tuple; its name is the title or the number of the position."""
    position, min_items = schema["prefixItems"][index], schema.get("minItems", 0)
    title = str(position.get("title", "")) if isinstance(position, LocatedMap) else ""
    return make_field(
        context,
        source=FieldSource(FieldKind.POSITION, str(index)),
        name=derive_field_name(title) if title else f"item{index + 1}",
        shape=_convert_position(context, schema, hint, index),
        required=isinstance(min_items, int) and index < min_items,
        role=JsonRole.ITEM,
        places=(getattr(position, "place", schema.place),),
        rules=(RULE_TUPLE,),
        encoding=JsonEncoding(position=index),
    )


def convert_map(context: Context, schema: LocatedMap, hint: NameHint) -> Shape:
    """Return the shape of an object without properties: a map, an entry of one key, any object, or an empty message."""
    values = get_additional_schema(schema)
    if values is False or ("properties" in schema and not set(schema) & _OTHER_KEYS):
        return declare_object(context, schema, hint)
    if not isinstance(values, LocatedMap):
        return Shape(Kind.OBJECT)
    value = context.convert_schema(values, hint.values().titled(values), schema.place)
    if schema.get("minProperties") == 1 and schema.get("maxProperties") == 1:
        return Shape(Kind.ENTRY, item=value, rules=(RULE_ENTRY,))
    shape = Shape(Kind.OBJECT) if value.is_free_form else Shape(Kind.MAP, item=value)
    return add_rule(shape, RULE_PATTERN) if schema.get("patternProperties") else shape


def find_recursive_containers(schemas: dict[str, LocatedMap]) -> frozenset[str]:
    """Return the component schemas that contain themselves with only arrays and maps in between."""
    contents = [(key, inner) for key, schema in schemas.items() for inner in _iterate_contents(schema)]
    graph: nx.DiGraph[str] = nx.DiGraph(contents)
    cycles = [part for part in nx.strongly_connected_components(graph) if len(part) > 1]
    recursive = set(nx.nodes_with_selfloops(graph)).union(*cycles)
    return frozenset(key for key in recursive if _is_container(schemas[key]))


def _is_container(schema: LocatedMap) -> bool:
    contains = isinstance(schema.get("items"), LocatedMap) or isinstance(get_additional_schema(schema), LocatedMap)
    return contains and not any(schema.get(key) for key in ("$ref", "properties", "allOf", "oneOf", "anyOf"))


def _iterate_contents(schema: Any) -> Iterator[str]:
    """Yield the components that the items or values of a container refer to; for an alias, its target."""
    if not isinstance(schema, dict) or schema.get("properties") or schema.get("oneOf") or schema.get("anyOf"):
        return
    if schema.get("$ref"):
        yield parse_component_key(schema["$ref"])
    members = schema.get("allOf", [])
    inner = [schema.get("items"), schema.get("additionalProperties"), *schema.get("patternProperties", {}).values()]
    for item in [*inner, *(members if len(members) == 1 else [])]:
        yield from _iterate_contents(item)


def declare_recursive_container(context: Context, schema: LocatedMap, hint: NameHint) -> Shape:
    """Declare the message of a container that contains itself."""
    return context.declare(schema, hint, lambda message: _fill_recursive_container(context, schema, hint, message))


def _fill_recursive_container(context: Context, schema: LocatedMap, hint: NameHint, message: Message) -> Message:
    shape = convert_array(context, schema, hint) if "items" in schema else convert_map(context, schema, hint)
    shape = Shape(Kind.MAP, item=shape.inner) if shape.kind is Kind.ENTRY else shape
    form, role = _FORMS[shape.kind]
    field = make_field(
        context,
        source=FieldSource(FieldKind(role)),
        name=format_snake(message.name),
        shape=shape,
        role=role,
        places=(schema.place,),
        rules=(RULE_RECURSIVE,),
    )
    return message._replace(form=form, fields=(field,))
