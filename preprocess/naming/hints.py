"""Describe where an inline schema stands and which message name it would get."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeGuard

from pipeline.model.identifiers import derive_message_name, format_pascal
from pipeline.model.source import SchemaSource


class NameHint(NamedTuple):
    """The source of an inline schema and the message names proposed for it.

    Attributes:
        source: the component's key or the operation, and the path from there; stable across versions of the spec.
        name: the proposed message name.
        fallback: the name to use when another source has that one; empty for none.
    """

    source: SchemaSource
    name: str
    fallback: str = ""

    def property(self, key: str, field_name: str) -> NameHint:
        """Return the hint for the schema of a property."""
        return NameHint(self.source.append_property(key), self.name + format_pascal(field_name))

    def items(self) -> NameHint:
        """Return the hint for the items of an array."""
        return NameHint(self.source.append_items(), f"{self.name}Item")

    def values(self) -> NameHint:
        """Return the hint for the values of a map."""
        return NameHint(self.source.append_values(), f"{self.name}Value")

    def titled(self, schema: Any) -> NameHint:
        """Return this hint with the schema's title as its name, if the title is a message name."""
        title = schema.get("title") if isinstance(schema, dict) else None
        return NameHint(self.source, title, self.name) if _is_message_name(title) else self

    def variant(self, title: str, number: int) -> NameHint:
        """Return the hint for one variant of a union: by its title, or by its number in the list."""
        words = derive_message_name(title) if title else f"Variant{number}"
        return NameHint(self.source.append_variant(title or number), self.name + words)


def _is_message_name(title: object) -> TypeGuard[str]:
    return isinstance(title, str) and derive_message_name(title) == title
