"""Describe where an inline schema stands and which message name it would get.

Bundlers inline a schema where it is first used, and make every further use a reference to that place, such as
`#/paths/~1a/get/…/schema`. The reference leads to the source, and so the name and the message, of the inline schema.
Sources: RFC 6901 (JSON Pointer); OpenAPI 3.1.0, section 4.8.23; JSON Schema core 2020-12, section 8.2.4 (`$defs`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeGuard
from urllib.parse import unquote

from pipeline.model.document.located import escape_token, unescape_token
from pipeline.model.identifiers import derive_field_name, derive_message_name, format_pascal
from pipeline.model.source import SchemaSource, split_component_key

_DEFINITIONS = ("$defs", "definitions")
_KEYED = ("properties", "patternProperties", "dependentSchemas")
_VARIANTS = ("oneOf", "anyOf")
_MEMBERS = ("allOf", "prefixItems")
# Steps of a pointer that no name shows.
_UNNAMED = ("schema", "then", "else")


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


def derive_pointer_hint(
    reference: str, component_hint: Callable[[str], NameHint], separator: str, body_hints: dict[str, NameHint]
) -> NameHint:
    """Return the hint for the schema that a reference `#/…` leads to; `body_hints` has those of bodies, by pointer."""
    steps = [unescape_token(unquote(token)) for token in reference.removeprefix("#/").split("/")]
    for count in range(len(steps), 0, -1):
        pointer = "".join(f"/{escape_token(token)}" for token in steps[:count])
        if pointer in body_hints:
            return _follow_steps(body_hints[pointer], steps[count:])
    match steps:
        case ["components", "schemas", key, *inner_steps]:
            return _follow_steps(component_hint(key), inner_steps)
        case ["components", section, key, *inner_steps]:
            name = derive_message_name(split_component_key(key, separator)[1])
            hint = NameHint(SchemaSource.for_section(section, key), name, f"{name}{derive_message_name(section)}")
            return _follow_steps(hint, inner_steps)
    return _follow_steps(NameHint(SchemaSource.for_component("#"), ""), steps[1:] if steps[0] == "paths" else steps)


def _follow_steps(hint: NameHint, steps: list[str]) -> NameHint:
    while steps:
        match steps:
            case [keyword, name, *steps] if keyword in _DEFINITIONS:
                source = hint.source.append_definition(keyword, name)
                hint = NameHint(source, derive_message_name(name), hint.name + derive_message_name(name))
            case [keyword, name, *steps] if keyword in _KEYED:
                hint = hint.property(name, derive_field_name(name))
            case [keyword, index, *steps] if keyword in _VARIANTS and index.isdecimal():
                hint = hint.variant(f"variant {int(index) + 1}", int(index) + 1)
            case [keyword, index, *steps] if keyword in _MEMBERS and index.isdecimal():
                hint = NameHint(hint.source.append_part(f"{keyword}/{int(index)}"), f"{hint.name}Part{int(index) + 1}")
            case ["content", media_type, *steps]:
                hint = NameHint(hint.source.append_part(media_type), hint.name)
            case [step, *steps]:
                hint = hint if step in _UNNAMED else _follow_step(hint, step)
    return hint


def _follow_step(hint: NameHint, step: str) -> NameHint:
    if step == "items":
        return hint.items()
    if step == "additionalProperties":
        return hint.values()
    return NameHint(hint.source.append_part(step), hint.name + (step if step.isdigit() else derive_message_name(step)))
