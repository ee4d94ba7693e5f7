"""What a specification declares, in a form that says nothing of how it is converted.

Preprocess reads it off the pruned spec; coverage then walks it side by side with the contract, and so sees what the
conversion lost. One `Declared` a schema; references stay references.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from pipeline.model.diagnostics import Place


class Kind(StrEnum):
    """The kinds of element that coverage accounts for."""

    OPERATION = "operation"
    PARAMETER = "parameter"
    BODY = "body"
    RESPONSE = "response"
    SCHEMA = "schema"
    PROPERTY = "property"
    ITEM = "list item"
    VALUE = "map value"
    VARIANT = "variant"
    ENUM_VALUE = "enum value"


class Constraint(NamedTuple):
    """One restriction of the spec: a keyword, at the place of the schema or operation that it stands in.

    Attributes:
        keyword: of OpenAPI or JSON Schema; `nullable` whatever the way it is written in.
        value: what it is given; of `required` one name, or True for a parameter or body.
        place: where its holder stands.
    """

    keyword: str
    value: Any
    place: Place


@dataclass(eq=False, slots=True)
class SchemaFacts:
    """One schema, parameter, body or answer, as it says of itself.

    Attributes:
        place: where it stands.
        title: its own.
        ref: the key of the component schema that it refers to, or empty.
        protobuf_type: the protobuf type that a vendor extension names, or empty; nothing in the schema then counts.
        types: the JSON type that it names, if any; null beside it is a constraint, and several stand as `variants`.
        enum_strings: of an enum or const of texts; null is None.
        properties: by name.
        items: of an array.
        values: under keys that are no properties; a union where keys of several patterns have schemas of their own.
        positions: of `prefixItems`.
        members: of allOf; a parameter, body or answer has its schema here.
        conditions: of `then`, `else` and `dependentSchemas`, which hold for some values.
        subtypes: component schemas that extend it, where its discriminator makes it stand for them.
        variants: of oneOf or anyOf; null is none of them, nor is one that only restricts the whole.
        constraints: everything else that it demands.
    """

    place: Place
    title: str = ""
    ref: str = ""
    protobuf_type: str = ""
    types: frozenset[str] = frozenset()
    enum_strings: tuple[str | None, ...] = ()
    properties: dict[str, SchemaFacts] = field(default_factory=dict)
    items: SchemaFacts | None = None
    values: SchemaFacts | None = None
    positions: tuple[SchemaFacts, ...] = ()
    members: tuple[SchemaFacts, ...] = ()
    conditions: tuple[SchemaFacts, ...] = ()
    subtypes: tuple[SchemaFacts, ...] = ()
    variants: tuple[SchemaFacts, ...] = ()
    constraints: tuple[Constraint, ...] = ()

    def iterate_children(self) -> Iterator[SchemaFacts]:
        """The schemas right inside it; not what it refers to."""
        yield from self.properties.values()
        yield from (node for node in (self.items, self.values) if node is not None)
        yield from self.positions
        yield from self.members
        yield from self.conditions
        yield from self.variants


class Element(NamedTuple):
    """Something in scope that the result must account for.

    Attributes:
        kind: what it is.
        name: as the API spells it.
        place: where it stands.
        node: what it declares; None for an operation.
        group: the operation group of an operation or parameter, else empty.
    """

    kind: Kind
    name: str
    place: Place
    node: SchemaFacts | None = None
    group: str = ""


@dataclass(slots=True)
class OperationFacts:
    """One HTTP form of an operation group, with what it takes and answers; of `existence`, only its status."""

    group: str
    place: Place
    existence: bool = False
    parameters: list[SchemaFacts] = field(default_factory=list)
    bodies: list[SchemaFacts] = field(default_factory=list)
    responses: list[SchemaFacts] = field(default_factory=list)


@dataclass(slots=True)
class ScopeFacts:
    """Everything in scope.

    Attributes:
        operations: in order of path and method.
        schemas: the component schemas that these reach, by key.
        elements: what must be accounted for, sorted by kind and place.
        nodes: every schema, parameter, body and answer that may have constraints.
        constraints: what operations demand beyond their schemas.
    """

    operations: list[OperationFacts] = field(default_factory=list)
    schemas: dict[str, SchemaFacts] = field(default_factory=dict)
    elements: list[Element] = field(default_factory=list)
    nodes: list[SchemaFacts] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
