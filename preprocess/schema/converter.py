"""Convert component schemas and inline schemas to shapes, and where necessary to messages and enums."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pipeline.model.diagnostics import NOWHERE, Diagnostic, Failure, Place
from pipeline.model.document.located import LocatedMap, make_map
from pipeline.model.profile.profile import Conversion
from preprocess.document import subschemas
from preprocess.document.normalize import SPELLING
from preprocess.document.references import parse_component_key
from preprocess.document.versions import VersionRule
from preprocess.naming.hints import NameHint
from preprocess.naming.message_names import Namer
from preprocess.schema import all_of, composition, containers, discriminator, enums, json_types, scalars
from preprocess.schema.context import ConversionContext
from preprocess.schema.objects import declare_object
from preprocess.schema.shapes import NULL, Kind, Shape, with_rule

_TYPE_KEYS = ("x-protobuf-data-type", "x-protobuf-type")


class Converter(ConversionContext):
    """Converts schemas by handing each to the module for its kind."""

    def __init__(
        self,
        schemas: dict[str, LocatedMap],
        namer: Namer,
        options: Conversion,
        version: VersionRule,
        subtypes: dict[str, tuple[str, ...]] | None = None,
    ) -> None:
        """Store the inputs of the conversion; nothing is converted yet."""
        super().__init__(schemas, namer, options, version, subtypes)
        self._extensions = frozenset(key for keys in self.subtypes.values() for key in keys)
        self._recursive = containers.recursive(schemas)
        self._components: dict[str, Shape] = {}
        self._open: list[str] = []
        self._met_again: dict[str, str] = {}

    def shape_of(self, schema: Any, hint: NameHint, place: Place | None = None) -> Shape:
        """See `ConversionContext.shape_of`."""
        if not isinstance(schema, LocatedMap):
            schema = make_map({}, place or NOWHERE)
        if "$ref" in schema:
            found = self._component(parse_component_key(schema["$ref"]))
            found = with_rule(found, schema[SPELLING]) if SPELLING in schema else found
            return nullable(found) if _allows_null(schema) else found
        for key in _TYPE_KEYS:
            if isinstance(schema.get(key), str):
                return self._named(schema, schema[key])
        values = enums.enum_values(schema)
        if values is None:
            found = composition.shape(self, schema, hint) or json_types.shape(self, schema, hint)
        else:
            found = NULL if values == [None] else self._enum(schema, hint, values)
        found = with_rule(found, schema[SPELLING]) if SPELLING in schema else found
        return nullable(found) if _allows_null(schema) and None not in (values or ()) else found

    def _component(self, key: str) -> Shape:
        """The shape of a component schema; one that is being looked at is a message of its own."""
        if key in self._components:
            return self._components[key]
        if key in self._open:
            self._met_again[key] = self.namer.claim(self.derive_hint(key), self.schemas[key].place)
            return Shape(Kind.MESSAGE, self._met_again[key])
        if key in self._recursive:
            self._components[key] = self._recursive_container(self.schemas[key], self.derive_hint(key))
            return self._components[key]
        if self.subtypes.get(key):
            own = discriminator.family(self.schemas[key], self.subtypes[key])
            self._components[key] = self.shape_of(own, self.derive_hint(key))
            return self._components[key]
        self._open.append(key)
        schema, hint = self.schemas[key], self.derive_hint(key)
        alone = key in self._extensions and subschemas.find_only_member(schema)
        found = declare_object(self, schema, hint) if alone else self.shape_of(schema, hint)
        self._open.pop()
        if key in self._met_again and self._met_again[key] not in self.messages:
            message, remedy = f"`{key}` leads back to itself with no object between", "put an object between"
            raise Failure(Diagnostic("spec/reference-cycle", message, schema.place, remedy))
        self._components[key] = found
        return found

    def _recursive_container(self, schema: LocatedMap, hint: NameHint) -> Shape:
        found = self.declare(schema, hint, lambda message: containers.fill_recursive(self, schema, hint, message))
        return nullable(found) if _allows_null(schema) else found

    def _named(self, schema: LocatedMap, name: str) -> Shape:
        """The shape that an extension names; what the schema itself takes may be texts of that type as well."""
        found = scalars.named(name)
        own = make_map({key: value for key, value in schema.items() if key not in _TYPE_KEYS}, schema.place)
        scalar = found.kind is Kind.SCALAR and found.name not in {"string", "bytes"}
        taken = all_of.kinds(self, own)
        return replace(found, quoted=scalar and "string" in taken and taken != all_of.KINDS)

    def _enum(self, schema: LocatedMap, hint: NameHint, values: list[str | None]) -> Shape:
        return enums.declare_enum(self, schema, hint, [(value, schema) for value in values], "enum-of-strings")


def nullable(found: Shape) -> Shape:
    """The same shape, in whose place null may stand."""
    return with_rule(replace(found, nullable=True), "nullable")


def _allows_null(schema: LocatedMap) -> bool:
    """Whether null may stand in place of the one type of a schema (OpenAPI 3.0 `nullable`, 3.1 type arrays)."""
    json_types = schema.get("type")
    return schema.get("nullable") is True or (
        isinstance(json_types, list) and "null" in json_types and len(set(json_types)) == 2  # noqa: PLR2004 - null and the type
    )
