"""References to schemas that are no components: what such a schema is called, and what ties it to the spec.

Bundlers put a schema that is used twice where it stands first, and refer to it there. It has the source, and so the
name and the message, of the inline schema at that place.
Sources: RFC 6901 (JSON Pointer); OpenAPI 3.1.0, section 4.8.23; JSON Schema core 2020-12, section 8.2.4 (`$defs`).
"""

from __future__ import annotations

from collections.abc import Callable

from pipeline.model.located import unescape
from preprocess.shapes import Hint
from preprocess.texts import field_name, message_name

_DEFINITIONS = ("$defs", "definitions")
_KEYED = ("properties", "patternProperties", "dependentSchemas")
_VARIANTS = ("oneOf", "anyOf")
_SAME = ("allOf", "prefixItems")
_AROUND = ("schema", "then", "else")


def pointer_hint(reference: str, component: Callable[[str], Hint], separator: str) -> Hint:
    """What the schema at a JSON pointer would be called.

    Args:
        reference: `#/…`, to anything but a component schema.
        component: what a component schema is called.
        separator: what stands between namespace and name in the keys of components.
    """
    tokens = [unescape(token) for token in reference.removeprefix("#/").split("/")]
    if tokens[:2] == ["components", "schemas"]:
        return _inside(component(tokens[2]), tokens[3:])
    if tokens[0] == "components" and len(tokens) > 2:  # noqa: PLR2004 - the kind and the key of a component
        words = message_name(tokens[2].rsplit(separator, 1)[-1])
        return _inside(Hint(f"{tokens[1]}:{tokens[2]}", words, f"{words}{message_name(tokens[1])}"), tokens[3:])
    if tokens[0] == "paths":
        return _inside(Hint(f"paths:{tokens[1]}", message_name(tokens[1])), tokens[2:])
    return _inside(Hint("#", ""), tokens)


def _inside(hint: Hint, tokens: list[str]) -> Hint:
    """What stands below, one keyword after the other."""
    rest = list(tokens)
    while rest:
        token = rest.pop(0)
        if token in _DEFINITIONS and rest:
            name = rest.pop(0)
            hint = Hint(f"{hint.source}.{token}.{name}", message_name(name), hint.name + message_name(name))
        elif token in _KEYED and rest:
            name = rest.pop(0)
            hint = hint.property(name, field_name(name))
        elif token in _VARIANTS and rest:
            hint = hint.variant("", int(rest.pop(0)) + 1)
        elif token in _SAME and rest:
            hint = Hint(f"{hint.source}/{token}/{rest[0]}", f"{hint.name}Part{int(rest.pop(0)) + 1}")
        elif token == "content" and rest:
            hint = Hint(f"{hint.source}/{rest.pop(0)}", hint.name)
        elif token not in _AROUND:
            hint = _named(hint, token)
    return hint


def _named(hint: Hint, token: str) -> Hint:
    """Below `items`, `additionalProperties`, or a part of an operation."""
    if token == "items":
        return hint.items()
    if token == "additionalProperties":
        return hint.values()
    words = message_name(token) if not token.isdigit() else token
    return Hint(f"{hint.source}/{token}", hint.name + words)
