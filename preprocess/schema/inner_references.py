"""References to schemas that are no components: what such a schema is called, and what ties it to the spec.

Bundlers put a schema that is used twice where it stands first, and refer to it there. It has the source, and so the
name and the message, of the inline schema at that place.
Sources: RFC 6901 (JSON Pointer); OpenAPI 3.1.0, section 4.8.23; JSON Schema core 2020-12, section 8.2.4 (`$defs`).
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import unquote

from pipeline.model.document.located import escape_token, unescape_token
from pipeline.model.identifiers import derive_field_name, derive_message_name
from pipeline.model.source import SchemaSource, split_component_key
from preprocess.naming.hints import NameHint

_DEFINITIONS = ("$defs", "definitions")
_KEYED = ("properties", "patternProperties", "dependentSchemas")
_VARIANTS = ("oneOf", "anyOf")
_SAME = ("allOf", "prefixItems")
_AROUND = ("schema", "then", "else")


def pointer_hint(
    reference: str, component: Callable[[str], NameHint], separator: str, known: dict[str, NameHint]
) -> NameHint:
    """What the schema at a JSON pointer would be called.

    Args:
        reference: `#/…`, to anything but a component schema.
        component: what a component schema is called.
        separator: what stands between namespace and name in the keys of components.
        known: what the bodies of operations are called, by the pointers of their schemas.
    """
    steps = [unescape_token(unquote(part)) for part in reference.removeprefix("#/").split("/")]
    for count in range(len(steps), 0, -1):
        around = "".join(f"/{escape_token(part)}" for part in steps[:count])
        if around in known:
            return _inside(known[around], steps[count:])
    if steps[:2] == ["components", "schemas"] and len(steps) > 2:  # noqa: PLR2004 - the key of a component
        return _inside(component(steps[2]), steps[3:])
    if steps[0] == "components" and len(steps) > 2:  # noqa: PLR2004 - the kind and the key of a component
        words = derive_message_name(split_component_key(steps[2], separator)[1])
        return _inside(
            NameHint(SchemaSource.for_section(steps[1], steps[2]), words, f"{words}{derive_message_name(steps[1])}"),
            steps[3:],
        )
    return _inside(NameHint(SchemaSource.for_component("#"), ""), steps[1:] if steps[0] == "paths" else steps)


def _inside(hint: NameHint, steps: list[str]) -> NameHint:
    """What stands below, one keyword after the other."""
    rest = list(steps)
    while rest:
        part = rest.pop(0)
        if part in _DEFINITIONS and rest:
            name = rest.pop(0)
            hint = NameHint(
                hint.source.append_definition(part, name),
                derive_message_name(name),
                hint.name + derive_message_name(name),
            )
        elif part in _KEYED and rest:
            name = rest.pop(0)
            hint = hint.property(name, derive_field_name(name))
        elif part in _VARIANTS and rest and rest[0].isdecimal():
            number = int(rest.pop(0)) + 1
            hint = hint.variant(f"variant {number}", number)
        elif part in _SAME and rest and rest[0].isdecimal():
            number = int(rest.pop(0))
            hint = NameHint(hint.source.append_part(f"{part}/{number}"), f"{hint.name}Part{number + 1}")
        elif part == "content" and rest:
            hint = NameHint(hint.source.append_part(rest.pop(0)), hint.name)
        elif part not in _AROUND:
            hint = _named(hint, part)
    return hint


def _named(hint: NameHint, part: str) -> NameHint:
    """Below `items`, `additionalProperties`, or a part of an operation."""
    if part == "items":
        return hint.items()
    if part == "additionalProperties":
        return hint.values()
    words = derive_message_name(part) if not part.isdigit() else part
    return NameHint(hint.source.append_part(part), hint.name + words)
