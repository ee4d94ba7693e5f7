"""Convert schemas without composition by their JSON type; several types are a union.

Source: JSON Schema validation 2020-12, section 6.1.1 (`type`).
"""

from __future__ import annotations

from typing import Any

from pipeline.model.document.located import LocatedMap, make_map
from preprocess.naming.hints import NameHint
from preprocess.schema.containers import convert_array, convert_map
from preprocess.schema.context import Context
from preprocess.schema.scalars import SCALAR_TYPES, convert_scalar
from preprocess.schema.shapes import Kind, Shape
from preprocess.schema.unions import convert_union

_OBJECT_KEYWORDS = frozenset(
    ("properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "required", "propertyNames")
)
_ARRAY_KEYWORDS = frozenset(("items", "prefixItems"))
_MAP_KEYWORDS = frozenset(("additionalProperties", "patternProperties"))
_CONTAINERS = {"array": convert_array, "object": convert_map}


def convert_json_type(context: Context, schema: LocatedMap, hint: NameHint) -> Shape:
    """Return the shape of a schema without composition; any JSON value if the schema has no type."""
    json_type: Any = schema.get("type")
    if isinstance(json_type, list):
        return _convert_type_array(context, schema, json_type, hint)
    json_type = _infer_type(schema) if json_type is None else json_type
    if json_type in SCALAR_TYPES:
        return convert_scalar(json_type, schema, context.options)
    convert = _CONTAINERS.get(json_type)
    return Shape(Kind.ANY) if convert is None else convert(context, schema, hint)


def _infer_type(schema: LocatedMap) -> str | None:
    """Return the JSON type that the keywords of a schema without `type` imply."""
    if not _ARRAY_KEYWORDS.isdisjoint(schema):
        return "array"
    return None if _MAP_KEYWORDS.isdisjoint(schema) else "object"


def _convert_type_array(context: Context, schema: LocatedMap, json_types: list[str], hint: NameHint) -> Shape:
    """Convert an OpenAPI 3.1 type array: null and one type are that type, several types are a union."""
    non_null = [json_type for json_type in json_types if json_type != "null"]
    if len(non_null) <= 1:
        return context.convert_schema(make_map({**schema, "type": (non_null or json_types)[0]}, schema.place), hint)
    variants = [_narrow_to_type(schema, json_type) for json_type in json_types]
    return convert_union(context, make_map({"oneOf": variants}, schema.place), "oneOf", hint)


def _narrow_to_type(schema: LocatedMap, json_type: str) -> LocatedMap:
    """Return the keywords of a schema of several types that apply to one of them; the title belongs to the whole."""
    foreign = _OBJECT_KEYWORDS if json_type != "object" else frozenset()
    foreign |= _ARRAY_KEYWORDS if json_type != "array" else frozenset()
    foreign |= {"title", "deprecated"}
    keywords = {key: value for key, value in schema.items() if key not in foreign}
    return make_map({**keywords, "type": json_type}, schema.place)
