"""Convert component schemas and inline schemas to shapes, and where necessary to messages and enums.

Sources: JSON Schema core 2020-12, sections 10.2.1 (in-place applicators) and 10.3.2.1 (properties); JSON Schema
validation 2020-12, section 6.1.1 (`type`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pipeline.model.contract import Rule
from pipeline.model.diagnostics import NOWHERE, Diagnostic, Failure, Place
from pipeline.model.document.located import LocatedMap, make_map
from preprocess.document import subschemas
from preprocess.document.normalize import SPELLING
from preprocess.document.references import parse_component_key
from preprocess.naming.hints import NameHint
from preprocess.schema import containers
from preprocess.schema.all_of import JSON_TYPES, RULE_ALL_OF, TYPE_KEYS, find_json_types, is_object, merge_all_of
from preprocess.schema.context import Context
from preprocess.schema.discriminator import build_subtype_union
from preprocess.schema.enums import RULE_ENUM, declare_enum, find_enum_values
from preprocess.schema.objects import declare_object
from preprocess.schema.scalars import SCALAR_TYPES, convert_scalar, parse_type_name
from preprocess.schema.shapes import NULL, Kind, Shape, add_rule, make_nullable
from preprocess.schema.unions import convert_union, is_union_of_subtypes

RULE_SINGLE_MEMBER = Rule("single-member")
_OBJECT_KEYWORDS = frozenset(
    ("properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "required", "propertyNames")
)
_ARRAY_KEYWORDS = frozenset(("items", "prefixItems"))
_MAP_KEYWORDS = frozenset(("additionalProperties", "patternProperties"))
_CONTAINERS = {"array": containers.convert_array, "object": containers.convert_map}


@dataclass(eq=False)
class Converter(Context):
    """Converts each schema with the module for its kind, and each component once."""

    _components: dict[str, Shape] = field(default_factory=dict)
    _open: set[str] = field(default_factory=set)
    _recursive_messages: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Find the components that need a message in any case."""
        super().__post_init__()
        self._extensions = frozenset(key for keys in self.subtypes.values() for key in keys)
        self._recursive_containers = containers.find_recursive_containers(self.schemas)

    def convert_schema(self, schema: Any, hint: NameHint, place: Place | None = None) -> Shape:
        """Return the shape of a schema; see `Context.convert_schema`."""
        if not isinstance(schema, LocatedMap):
            schema = make_map({}, place or NOWHERE)
        if "$ref" in schema:
            return _apply_marks(schema, self._convert_component(parse_component_key(schema["$ref"])))
        for key in TYPE_KEYS:
            if isinstance(schema.get(key), str):
                return self._convert_named_type(schema, schema[key])
        values = find_enum_values(schema)
        if values is None:
            shape = _convert_composition(self, schema, hint) or _convert_json_type(self, schema, hint)
            return _apply_marks(schema, shape)
        if values == [None]:
            return _apply_marks(schema, NULL, lists_null=True)
        shape = declare_enum(self, schema, hint, [(value, schema) for value in values], RULE_ENUM)
        return _apply_marks(schema, shape, lists_null=None in values)

    def _convert_component(self, key: str) -> Shape:
        """Return the shape of a component schema; inside itself, a component is always a message."""
        if key in self._components:
            return self._components[key]
        schema, hint = self.schemas[key], self.derive_hint(key)
        if key in self._open:
            self._recursive_messages[key] = self.namer.claim(hint, schema.place)
            return Shape(Kind.MESSAGE, self._recursive_messages[key])
        if key in self._recursive_containers:
            shape = containers.declare_recursive_container(self, schema, hint)
            shape = make_nullable(shape) if _is_nullable(schema) else shape
        elif self.subtypes.get(key):
            shape = self.convert_schema(build_subtype_union(schema, self.subtypes[key]), hint)
        else:
            shape = self._convert_plain_component(key, schema, hint)
        self._components[key] = shape
        return shape

    def _convert_plain_component(self, key: str, schema: LocatedMap, hint: NameHint) -> Shape:
        """Convert any other component; refuse one that refers to itself but becomes no message."""
        self._open.add(key)
        wraps_base = key in self._extensions and subschemas.find_only_member(schema)
        shape = declare_object(self, schema, hint) if wraps_base else self.convert_schema(schema, hint)
        self._open.discard(key)
        if key in self._recursive_messages and self._recursive_messages[key] not in self.messages:
            message = f"`{key}` refers to itself without an object in between"
            remedy = "give the cycle a schema with properties"
            raise Failure(Diagnostic("spec/reference-cycle", message, schema.place, remedy))
        return shape

    def _convert_named_type(self, schema: LocatedMap, name: str) -> Shape:
        """Return the shape that a vendor extension names; the schema may also allow strings of that type."""
        shape = parse_type_name(name)
        declared = make_map({key: value for key, value in schema.items() if key not in TYPE_KEYS}, schema.place)
        json_types = find_json_types(self, declared)
        scalar = shape.kind is Kind.SCALAR and shape.name not in {"string", "bytes"}
        return replace(shape, quoted=scalar and "string" in json_types and json_types != JSON_TYPES)


def _apply_marks(schema: LocatedMap, shape: Shape, *, lists_null: bool = False) -> Shape:
    """Return a shape with the rule that normalized its schema, and nullable unless its values list null already."""
    shape = add_rule(shape, schema[SPELLING]) if SPELLING in schema else shape
    return make_nullable(shape) if not lists_null and _is_nullable(schema) else shape


def _is_nullable(schema: LocatedMap) -> bool:
    """Return whether null may replace a value of one type (OpenAPI 3.0 `nullable`, 3.1 type arrays)."""
    types = schema.get("type")
    type_and_null = isinstance(types, list) and "null" in types and len(set(types) - {"null"}) == 1
    return schema.get("nullable") is True or type_and_null


def _convert_composition(context: Context, schema: LocatedMap, hint: NameHint) -> Shape | None:
    """Return the shape of a schema with properties or composition; None for any other schema."""
    union_keywords = subschemas.find_unions(schema)
    members = subschemas.select_members(schema)
    unions = [make_map({keyword: schema[keyword]}, schema.place) for keyword in union_keywords]
    combined = [*members, *unions]
    if union_keywords and is_union_of_subtypes(context, schema, union_keywords[0], hint):
        return convert_union(context, schema, union_keywords[0], hint)
    if _is_object_composition(context, schema, members, combined):
        return declare_object(context, schema, hint)
    if union_keywords and len(combined) == 1:
        return convert_union(context, schema, union_keywords[0], hint)
    if len(combined) == 1 and "additionalProperties" not in schema:
        return add_rule(context.convert_schema(combined[0], hint), RULE_SINGLE_MEMBER)
    return add_rule(context.convert_schema(merge_all_of(context, combined), hint), RULE_ALL_OF) if combined else None


def _is_object_composition(
    context: Context, schema: LocatedMap, members: list[LocatedMap], combined: list[LocatedMap]
) -> bool:
    """Return whether a schema has properties, alone or together with the parts that it is composed of."""
    if schema.get("properties"):
        return bool(combined) or len(subschemas.get_types(schema)) <= 1
    if any(is_object(context, condition) for condition in subschemas.iterate_conditional(schema)):
        return True
    has_values = isinstance(schema.get("additionalProperties"), LocatedMap)
    combines = len(combined) > 1 or has_values or (members and "additionalProperties" in schema)
    return bool(combines) and any(is_object(context, schema) for schema in combined)


def _convert_json_type(context: Context, schema: LocatedMap, hint: NameHint) -> Shape:
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
