"""Conversion: component schemas and inline ones become shapes, and where they must, messages and enums."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pipeline.model.contract import Enum, Exclusion, Field, JsonForm, JsonRole, Label, Message
from pipeline.model.diagnostics import NOWHERE, Diagnostic, Failure, Place
from pipeline.model.document.located import LocatedMap, below, located
from pipeline.model.identifiers import field_name
from pipeline.model.profile.profile import Conversion
from preprocess.document import subschemas
from preprocess.document.normalize import SPELLING
from preprocess.document.openapi import component_key
from preprocess.document.versions import VersionRule
from preprocess.naming.hints import NameHint
from preprocess.naming.message_names import Element, Namer
from preprocess.schema import (
    all_of,
    composition,
    containers,
    discriminator,
    enums,
    json_types,
    objects,
    scalars,
    unions,
)
from preprocess.schema.field_options import field_options
from preprocess.schema.fields import Fields
from preprocess.schema.inner_references import pointer_hint
from preprocess.schema.shapes import NULL, Kind, Shape, with_rule

_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_TYPE_KEYS = ("x-protobuf-data-type", "x-protobuf-type")


class Converter:
    """Sees through schemas, and keeps the messages and enums that they become.

    Attributes:
        schemas: the component schemas in scope, by key.
        messages: what was declared so far, by name.
        enums: as above.
        keyed: messages whose JSON stands under a key that is a field of theirs.
        lines: messages that the lines of an NDJSON body are; one with several kinds of lines is a group of these.
        exclusions: what was left out while converting.
        heirs: components with a discriminator, each with those that extend it.
        extending: all that extend one.
        bodies: what the bodies of operations are called, by the pointers of their schemas.
        recursive: components that contain themselves with no object between.
    """

    def __init__(
        self,
        schemas: dict[str, LocatedMap],
        namer: Namer,
        choices: Conversion,
        version: VersionRule,
        heirs: dict[str, tuple[str, ...]] | None = None,
    ) -> None:
        """Hold what conversion depends on; nothing is converted yet."""
        self.schemas = schemas
        self.namer = namer
        self.choices = choices
        self.version = version
        self.messages: dict[str, Message] = {}
        self.enums: dict[str, Enum] = {}
        self.keyed: set[str] = set()
        self.lines: set[str] = set()
        self.exclusions: list[Exclusion] = []
        self.bodies: dict[str, NameHint] = {}
        self.fields = Fields(self)
        self.heirs = {key: tuple(item for item in below if item in schemas) for key, below in (heirs or {}).items()}
        self.extending = frozenset(item for below in self.heirs.values() for item in below)
        self.recursive = containers.recursive(schemas)
        self._components: dict[str, Shape] = {}
        self._open: list[str] = []
        self._met_again: dict[str, str] = {}
        self._pending: deque[Callable[[], None]] = deque()

    def hint_of(self, key: str) -> NameHint:
        """What a component schema, or one that a reference leads to elsewhere, is called."""
        if key.startswith("#/"):
            return pointer_hint(key, self.hint_of, self.choices.schema_separator, self.bodies).titled(self.schemas[key])
        name = self.namer.names.get(key) or self.namer.short(key)
        return NameHint(key, name)

    def field_name(self, name: str, schema: LocatedMap) -> str:
        """The field name of a property or parameter: `x-protobuf-name`, else by rule."""
        chosen = schema.get("x-protobuf-name")
        if chosen is None:
            return field_name(name)
        if not isinstance(chosen, str) or not _FIELD.fullmatch(chosen):
            place, hint = below(schema.place, "x-protobuf-name"), "write it in lower case, with `_` between words"
            raise Failure(Diagnostic("names/invalid", f"`{chosen}` cannot be the name of a field", place, hint))
        return chosen

    def deprecation(self, schema: LocatedMap) -> str:
        """Why a schema is deprecated; empty where it is not."""
        return self.version.deprecation(schema)

    def options(self, schema: LocatedMap) -> tuple[tuple[str, str], ...]:
        """The field options that `x-proto-options` gives, name and literal."""
        return field_options(schema)

    def exclude(self, place: Place, rule: str, reason: str) -> None:
        """Put on record that something gets no field."""
        self.exclusions.append(Exclusion(place, rule, reason))

    def component(self, key: str) -> Shape:
        """The shape of a component schema; one that is being looked at is a message of its own."""
        if key in self._components:
            return self._components[key]
        if key in self._open:
            self._met_again[key] = self.namer.claim(self.hint_of(key), self.schemas[key].place)
            return Shape(Kind.MESSAGE, self._met_again[key])
        if key in self.recursive:
            self._components[key] = self._recursive(self.schemas[key], self.hint_of(key))
            return self._components[key]
        if self.heirs.get(key):
            own = discriminator.family(self.schemas[key], self.heirs[key])
            self._components[key] = self.shape(own, self.hint_of(key))
            return self._components[key]
        self._open.append(key)
        schema, hint = self.schemas[key], self.hint_of(key)
        alone = key in self.extending and subschemas.only_member(schema)
        found = self.declare_object(schema, hint) if alone else self.shape(schema, hint)
        self._open.pop()
        if key in self._met_again and self._met_again[key] not in self.messages:
            message, remedy = f"`{key}` leads back to itself with no object between", "put an object between"
            raise Failure(Diagnostic("spec/reference-cycle", message, schema.place, remedy))
        self._components[key] = found
        return found

    def _recursive(self, schema: LocatedMap, hint: NameHint) -> Shape:
        found = self.declare(schema, hint, lambda name: containers.fill_recursive(self, schema, hint, name))
        return nullable(found) if _allows_null(schema) else found

    def shape(self, schema: Any, hint: NameHint, place: Place | None = None) -> Shape:
        """The shape of a schema.

        Args:
            schema: an object or a boolean schema.
            hint: what a message or enum for it would be called.
            place: where it stands, for boolean schemas.
        """
        if not isinstance(schema, LocatedMap):
            schema = located({}, place or NOWHERE)
        if "$ref" in schema:
            found = self.component(component_key(schema["$ref"]))
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

    def _named(self, schema: LocatedMap, name: str) -> Shape:
        """The shape that an extension names; what the schema itself takes may be texts of that type as well."""
        found = scalars.named(name)
        own = located({key: value for key, value in schema.items() if key not in _TYPE_KEYS}, schema.place)
        scalar = found.kind is Kind.SCALAR and found.name not in {"string", "bytes"}
        taken = all_of.kinds(self, own)
        return replace(found, quoted=scalar and "string" in taken and taken != all_of.KINDS)

    def _enum(self, schema: LocatedMap, hint: NameHint, values: list[str | None]) -> Shape:
        return self.declare_enum(schema, hint, [(value, schema) for value in values], "enum-of-strings")

    def declare_enum(
        self, schema: LocatedMap, hint: NameHint, values: list[tuple[str | None, LocatedMap]], rule: str
    ) -> Shape:
        """The enum of a list of texts, made when first met."""
        name = self.namer.claim(hint, schema.place, Element.ENUM)
        if name not in self.enums:
            one_value = self.choices.case_variants == "one_value"
            made = enums.build(name, hint.source, values, schema, self.deprecation, one_value=one_value)
            self.enums[name] = made._replace(rules=tuple(sorted({*made.rules, rule})))
        return Shape(Kind.ENUM, name, rules=(rule,))

    def declare_object(self, schema: LocatedMap, hint: NameHint) -> Shape:
        """The message of an object; its fields are made later, so that schemas may refer to each other."""
        return self.declare(schema, hint, lambda name: objects.fill(self, schema, hint, name))

    def declare_union(self, schema: LocatedMap, key: str, hint: NameHint) -> Shape:
        """The message of a union; its fields are made later."""
        return self.declare(schema, hint, lambda name: unions.fill(self, schema, key, hint, name))

    def declare(self, schema: LocatedMap, hint: NameHint, fill: Callable[[str], objects.Filled]) -> Shape:
        """A message whose fields are made later, from the name that it has."""
        name = self.namer.claim(hint, schema.place)
        if name not in self.messages:
            description = str(schema.get("description", ""))
            empty = Message(name, hint.source, JsonForm.OBJECT, place=schema.place, description=description)
            deprecated = self.deprecation(schema)
            self.messages[name] = empty._replace(deprecated=deprecated)
            self._pending.append(lambda: self._fill(name, fill))
        return Shape(Kind.MESSAGE, name)

    def _fill(self, name: str, fill: Callable[[str], objects.Filled]) -> None:
        filled = fill(name)
        message = self.messages[name]
        self.add(message._replace(form=filled.form, fields=filled.fields, excluded=filled.excluded))

    def add(self, message: Message) -> None:
        """Keep a message; what ties its fields to the spec is made different where two say the same of themselves."""
        seen: Counter[str] = Counter()
        fields = []
        for item in message.fields:
            seen[item.source] += 1
            again = seen[item.source] > 1
            fields.append(item._replace(source=f"{item.source}#{seen[item.source]}") if again else item)
        self.messages[message.name] = message.with_fields(tuple(fields))

    def finish(self) -> None:
        """Make the fields of everything declared, then put keys into the messages that carry them."""
        while self._pending:
            self._pending.popleft()()
        for name in sorted(self.keyed):
            self._add_key(name, set())
        for name in sorted(self.lines):
            if any(item.role is JsonRole.VARIANT and item.oneof is None for item in self.messages[name].fields):
                self.add(self.messages[name]._replace(form=JsonForm.LINES))

    def _add_key(self, name: str, seen: set[str]) -> None:
        message = self.messages[name]
        if name in seen or any(item.role is JsonRole.KEY for item in message.fields):
            return
        seen.add(name)
        if message.form is JsonForm.UNION and all(item.type in self.messages for item in message.fields):
            for item in message.fields:
                self._add_key(item.type, seen)
            return
        key = Field(
            "key", "field", "string", Label.SINGULAR, JsonRole.KEY, places=(message.place,), rules=("entry-inline",)
        )
        self.add(message.with_fields((key, *message.fields)))


def nullable(found: Shape) -> Shape:
    """The same shape, in whose place null may stand."""
    return with_rule(replace(found, nullable=True), "nullable")


def _allows_null(schema: LocatedMap) -> bool:
    """Whether null may stand in place of the one type of a schema (OpenAPI 3.0 `nullable`, 3.1 type arrays)."""
    json_types = schema.get("type")
    return schema.get("nullable") is True or (
        isinstance(json_types, list) and "null" in json_types and len(set(json_types)) == 2  # noqa: PLR2004 - null and the type
    )
