"""Types: what a schema without composition is, by its `type`; several types are a union.

Source: JSON Schema validation 2020-12, section 6.1.1 (`type`).
"""

from __future__ import annotations

from typing import Any

from pipeline.model.document.located import LocatedMap, make_map
from preprocess.naming.hints import NameHint
from preprocess.schema import containers, scalars, unions
from preprocess.schema.context import ConversionContext
from preprocess.schema.shapes import Kind, Shape

_OF_OBJECTS = frozenset(
    ("properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "required", "propertyNames")
)
_OF_ARRAYS = frozenset(("items", "prefixItems"))


def shape(context: ConversionContext, schema: LocatedMap, hint: NameHint) -> Shape:
    """The shape of a schema that only its type tells."""
    kind = schema.get("type")
    if isinstance(kind, list):
        return _several(context, schema, kind, hint)
    return _one(context, schema, kind, hint)


def _several(context: ConversionContext, schema: LocatedMap, kinds: list[str], hint: NameHint) -> Shape:
    """OpenAPI 3.1 type arrays: null beside one type is nullable, several types are a union."""
    plain = [kind for kind in kinds if kind != "null"]
    if len(plain) <= 1:
        return context.shape_of(make_map({**schema, "type": (plain or kinds)[0]}, schema.place), hint)
    variants = [_of_kind(schema, kind) for kind in kinds]
    return unions.shape(context, make_map({"oneOf": variants}, schema.place), "oneOf", hint)


def _of_kind(schema: LocatedMap, kind: str) -> LocatedMap:
    """What a schema of several types says of one of them; its title and its constants are those of the whole."""
    foreign = (_OF_OBJECTS if kind != "object" else frozenset()) | (_OF_ARRAYS if kind != "array" else frozenset())
    foreign |= {"title", "deprecated"}
    return make_map({**{key: value for key, value in schema.items() if key not in foreign}, "type": kind}, schema.place)


def _one(context: ConversionContext, schema: LocatedMap, kind: Any, hint: NameHint) -> Shape:
    if kind == "array" or (kind is None and set(schema) & _OF_ARRAYS):
        return containers.array(context, schema, hint)
    if kind == "object" or (kind is None and set(schema) & {"additionalProperties", "patternProperties"}):
        return containers.keyed(context, schema, hint)
    if kind in {"boolean", "integer", "number", "string"}:
        return scalars.scalar(kind, schema, context.options)
    return Shape(Kind.ANY)
