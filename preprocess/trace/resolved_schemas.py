"""Schemas seen through: what a schema says together with what it refers to and is composed of.

Sources: JSON Schema core 2020-12, sections 8.2.3.1 (`$ref`) and 10.2.1.1 (`allOf`).
"""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.model.diagnostics import Place
from pipeline.model.schema_facts import SchemaFacts


class SeenThrough:
    """Looks through references and compositions, and remembers what it saw."""

    def __init__(self, schemas: Mapping[str, SchemaFacts]) -> None:
        """Hold the component schemas, by key."""
        self.schemas = schemas
        self._together: dict[SchemaFacts, tuple[SchemaFacts, ...]] = {}
        self._types: dict[SchemaFacts, frozenset[str]] = {}
        self._places: dict[SchemaFacts, frozenset[Place]] = {}

    def together(self, node: SchemaFacts) -> tuple[SchemaFacts, ...]:
        """The schemas that all hold for one value: a schema, what it refers to, the members of its allOf."""
        if not node.members and not node.ref:
            return (node,)
        known = self._together.get(node)
        if known is None:
            found: dict[SchemaFacts, None] = {}
            stack = [node]
            while stack:
                part = stack.pop()
                if part not in found:
                    found[part] = None
                    stack += part.members
                    stack += [self.schemas[part.ref]] if part.ref in self.schemas else []
            known = self._together[node] = tuple(found)
        return known

    def types(self, node: SchemaFacts) -> frozenset[str]:
        """The JSON type that a schema demands; types that contradict each other demand nothing."""
        known = self._types.get(node)
        if known is None:
            parts = self.together(node)
            told = frozenset[str]().union(*map(_own_types, parts)) if len(parts) > 1 else _own_types(parts[0])
            known = self._types[node] = told if len(told - {"integer", "null"}) <= 1 else frozenset()
        return known

    def named(self, node: SchemaFacts) -> str:
        """The protobuf type that a vendor extension names, or empty."""
        if not node.members and not node.ref:
            return node.protobuf_type
        return next((part.protobuf_type for part in self.together(node) if part.protobuf_type), "")

    def texts(self, node: SchemaFacts) -> frozenset[str | None]:
        """The texts that a schema allows; empty where it allows any."""
        told = [frozenset(part.enum_strings) for part in self.together(node) if part.enum_strings]
        return frozenset.intersection(*told) if told else frozenset()

    def places(self, node: SchemaFacts) -> frozenset[Place]:
        """The places of all that a schema is made of; a union of one variant is that variant."""
        known = self._places.get(node)
        if known is None:
            parts = self.together(node)
            self._places[node] = frozenset(part.place for part in parts)
            only = [self.places(part.variants[0]) for part in parts if len(part.variants) == 1]
            known = self._places[node] = self._places[node].union(*only)
        return known

    def is_list_or_item(self, node: SchemaFacts) -> bool:
        """Whether a schema is an array, or a union of which a variant is one."""
        listed = [node, *(variant for part in self.together(node) for variant in part.variants)]
        return any("array" in self.types(each) for each in listed)


def _own_types(part: SchemaFacts) -> frozenset[str]:
    if part.protobuf_type:
        return frozenset()
    if part.properties or part.values:
        return part.types | {"object"}
    return part.types | {"array"} if part.items or part.positions else part.types
