"""The facts that a specification states about operations and schemas, independent of their conversion.

`preprocess.document.schema_facts` collects them from the pruned specification. `preprocess.trace` compares them with
the contract, so that coverage finds what the conversion lost. Each schema is one `SchemaFacts`; references are kept.
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
    """One constraint of the specification.

    Attributes:
        keyword: a keyword of OpenAPI or JSON Schema; `nullable` for every way to allow null.
        value: the value of the keyword; one name of `required`, or True if a parameter or body is required.
        place: the position of the schema or operation that states it.
    """

    keyword: str
    value: Any
    place: Place


@dataclass(eq=False, slots=True)
class SchemaFacts:
    """The facts that one schema, parameter, body or response states.

    Attributes:
        ref: the key of the component schema that it refers to; empty if it is no reference.
        protobuf_type: the type that a vendor extension names, or empty. If set, other facts have no effect.
        types: its JSON type. null beside a type is a constraint; several types are listed as `variants`.
        enum_strings: the values of an enum or const of strings; null is None.
        values: the values of undeclared keys; a union if several patterns have schemas.
        positions: the schemas of `prefixItems`.
        members: the members of `allOf`; for a parameter, body or response its schema.
        conditions: the schemas of `then`, `else` and `dependentSchemas`, which apply to some values only.
        subtypes: the components that extend this one, if its discriminator makes it stand for them.
        variants: the variants of `oneOf` or `anyOf`, without null and without those that only state constraints.
        constraints: all constraints of this schema itself.
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
        """Yield the schemas directly inside this one; references are not followed."""
        yield from self.properties.values()
        yield from (node for node in (self.items, self.values) if node is not None)
        yield from self.positions
        yield from self.members
        yield from self.conditions
        yield from self.variants


class Element(NamedTuple):
    """An element of the specification in scope that the result must account for.

    Attributes:
        name: its name in the API.
        node: its facts; None for an operation or an excluded element.
        group: the operation group of an operation or parameter, else empty.
    """

    kind: Kind
    name: str
    place: Place
    node: SchemaFacts | None = None
    group: str = ""


@dataclass(slots=True)
class OperationFacts:
    """The facts of one operation, with one entry for each media type of the body and of a successful response.

    With the method HEAD (`existence`) only the status counts.
    """

    group: str
    place: Place
    existence: bool = False
    parameters: list[SchemaFacts] = field(default_factory=list)
    bodies: list[SchemaFacts] = field(default_factory=list)
    responses: list[SchemaFacts] = field(default_factory=list)


@dataclass(slots=True)
class ScopeFacts:
    """The facts of everything in scope.

    Attributes:
        operations: sorted by path and method.
        schemas: the component schemas that the operations reach, by key.
        elements: the elements that the result must account for, sorted by kind and place.
        nodes: every schema, parameter, body and response that may state constraints.
        constraints: the constraints of operations themselves.
    """

    operations: list[OperationFacts] = field(default_factory=list)
    schemas: dict[str, SchemaFacts] = field(default_factory=dict)
    elements: list[Element] = field(default_factory=list)
    nodes: list[SchemaFacts] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
