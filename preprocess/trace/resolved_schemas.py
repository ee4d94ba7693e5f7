"""Resolve `$ref` and `allOf`: collect all schemas that apply to the same value.

Sources: JSON Schema core 2020-12, sections 8.2.3.1 (`$ref`) and 10.2.1.1 (`allOf`).
"""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.model.diagnostics import Place
from pipeline.model.schema_facts import SchemaFacts


class ResolvedSchemas:
    """Answers questions about schemas with `$ref` and `allOf` resolved, and caches the results."""

    def __init__(self, schemas: Mapping[str, SchemaFacts]) -> None:
        self.schemas = schemas
        self._resolved: dict[SchemaFacts, tuple[SchemaFacts, ...]] = {}
        self._types: dict[SchemaFacts, frozenset[str]] = {}
        self._places: dict[SchemaFacts, frozenset[Place]] = {}

    def resolve(self, node: SchemaFacts) -> tuple[SchemaFacts, ...]:
        """Return the schemas that all apply to one value: the schema, the targets of `$ref`, the members of `allOf`."""
        if not node.members and not node.ref:
            return (node,)
        resolved = self._resolved.get(node)
        if resolved is None:
            visited: dict[SchemaFacts, None] = {}
            stack = [node]
            while stack:
                schema = stack.pop()
                if schema not in visited:
                    visited[schema] = None
                    stack += schema.members
                    stack += [self.schemas[schema.ref]] if schema.ref in self.schemas else []
            resolved = self._resolved[node] = tuple(visited)
        return resolved

    def get_types(self, node: SchemaFacts) -> frozenset[str]:
        """Return the JSON types that a schema allows; empty for any type, and for types that exclude each other."""
        types = self._types.get(node)
        if types is None:
            schemas = self.resolve(node)
            if len(schemas) > 1:
                union = frozenset[str]().union(*map(_infer_types, schemas))
            else:
                union = _infer_types(schemas[0])
            types = self._types[node] = union if len(union - {"integer", "null"}) <= 1 else frozenset()
        return types

    def get_vendor_type(self, node: SchemaFacts) -> str:
        """Return the protobuf type that a vendor extension of the schema names, or an empty string."""
        if not node.members and not node.ref:
            return node.protobuf_type
        return next((schema.protobuf_type for schema in self.resolve(node) if schema.protobuf_type), "")

    def get_enum_strings(self, node: SchemaFacts) -> frozenset[str | None]:
        """Return the strings that the enums of a schema allow; empty if it has no enum."""
        enums = [frozenset(schema.enum_strings) for schema in self.resolve(node) if schema.enum_strings]
        return frozenset.intersection(*enums) if enums else frozenset()

    def get_places(self, node: SchemaFacts) -> frozenset[Place]:
        """Return the places of the resolved schemas, and of the only variant of a union that has just one."""
        places = self._places.get(node)
        if places is None:
            schemas = self.resolve(node)
            # Store a first result before the recursion: a union may contain itself.
            self._places[node] = frozenset(schema.place for schema in schemas)
            single = [self.get_places(schema.variants[0]) for schema in schemas if len(schema.variants) == 1]
            places = self._places[node] = self._places[node].union(*single)
        return places

    def can_be_list(self, node: SchemaFacts) -> bool:
        """Return whether a schema is an array, or a union with an array among its variants."""
        variants = [variant for schema in self.resolve(node) for variant in schema.variants]
        return any("array" in self.get_types(each) for each in (node, *variants))


def _infer_types(schema: SchemaFacts) -> frozenset[str]:
    if schema.protobuf_type:
        return frozenset()
    if schema.properties or schema.values:
        return schema.types | {"object"}
    return schema.types | {"array"} if schema.items or schema.positions else schema.types
