"""Convert component schemas and inline schemas to shapes, and where necessary to messages and enums."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pipeline.model.diagnostics import NOWHERE, Diagnostic, Failure, Place
from pipeline.model.document.located import LocatedMap, make_map
from preprocess.document.normalize import SPELLING
from preprocess.document.references import parse_component_key
from preprocess.document.subschemas import find_only_member
from preprocess.naming.hints import NameHint
from preprocess.schema.all_of import JSON_TYPES, TYPE_KEYS, find_json_types
from preprocess.schema.composition import convert_composition
from preprocess.schema.containers import declare_recursive_container, find_recursive_containers
from preprocess.schema.context import Context
from preprocess.schema.discriminator import build_subtype_union
from preprocess.schema.enums import RULE_ENUM, declare_enum, find_enum_values
from preprocess.schema.json_types import convert_json_type
from preprocess.schema.objects import declare_object
from preprocess.schema.scalars import parse_type_name
from preprocess.schema.shapes import NULL, Kind, Shape, add_rule, make_nullable


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
        self._recursive_containers = find_recursive_containers(self.schemas)

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
            shape = convert_composition(self, schema, hint) or convert_json_type(self, schema, hint)
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
            shape = declare_recursive_container(self, schema, hint)
            shape = make_nullable(shape) if _is_nullable(schema) else shape
        elif self.subtypes.get(key):
            shape = self.convert_schema(build_subtype_union(schema, self.subtypes[key]), hint)
        else:
            shape = self._convert_plain_component(key, schema, hint)
        self._components[key] = shape
        return shape

    def _convert_plain_component(self, key: str, schema: LocatedMap, hint: NameHint) -> Shape:
        """Convert a component that is neither a recursive container nor has subtypes.

        Raises:
            Failure: `spec/reference-cycle` if the component refers to itself but becomes no message.
        """
        self._open.add(key)
        wraps_base = key in self._extensions and find_only_member(schema)
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
