"""Unions: oneOf and anyOf of anything but constants.

In order: one variant is that variant; T or a list of T is repeated; a titled value beside an object that has a property
of that title is the object; otherwise a message with a field a variant, named by its title, else by its type.
Sources: JSON Schema core 2020-12, sections 10.2.1.2 and 10.2.1.3; protobuf guide, oneof.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.model.contract import Field, JsonForm, JsonRole
from pipeline.model.located import Mapping, located, located_list
from preprocess import merge, objects, parts
from preprocess.enums import union_values
from preprocess.shapes import Hint, Kind, Shape, type_words
from preprocess.texts import field_name, snake

if TYPE_CHECKING:
    from preprocess.convert import Converter


def shape(converter: Converter, schema: Mapping, key: str, hint: Hint) -> Shape:  # noqa: PLR0911 - one return a rule
    """The shape of a union.

    Args:
        converter: for the shapes of the variants.
        schema: the schema that holds the union.
        key: `oneOf` or `anyOf`.
        hint: what the union's message or enum would be called.
    """
    variants: list[Mapping] = list(schema[key])
    values = union_values(variants)
    if values is not None:
        return converter.declare_enum(schema, hint, values, "const-union")
    if converter.choices.null_variant == "nullable" and any(_is_null(variant) for variant in variants):
        rest = located_list([variant for variant in variants if not _is_null(variant)], schema.place)
        found = shape(converter, located({**schema, key: rest}, schema.place), key, hint)
        return replace(found, nullable=True, rules=tuple(sorted({*found.rules, "nullable"})))
    if len(variants) == 1:
        return _with_rule(converter.shape(variants[0], hint), "single-variant")
    short = shorthand(converter, variants)
    if short is not None:
        full, title = short
        return replace(_with_rule(converter.shape(full, hint), "shorthand"), shorthand=title)
    if all(parts.single_property(variant) and "title" not in variant for variant in variants):
        return converter.declare_object(schema, hint)
    shapes = [
        converter.shape(variant, variant_hint(hint, variant, number)) for number, variant in enumerate(variants, 1)
    ]
    if all(found == shapes[0] for found in shapes):
        return _with_rule(shapes[0], "single-variant")
    return one_or_many(variants, shapes) or converter.declare_union(schema, key, hint)


def _is_null(variant: Mapping) -> bool:
    return variant.get("type") == "null"


def variant_hint(hint: Hint, variant: Mapping, number: int) -> Hint:
    """What an inline variant would be called."""
    return hint.variant(str(variant.get("title", "")), number)


def _with_rule(found: Shape, rule: str) -> Shape:
    return replace(found, rules=tuple(sorted({*found.rules, rule})))


def shorthand(converter: Converter, variants: list[Mapping]) -> tuple[Mapping, str] | None:
    """The object of a union of an object and one of its properties, and the property that may be written alone."""
    if len(variants) != 2:  # noqa: PLR2004 - a shorthand and what it is short for
        return None
    for short, full in (variants, variants[::-1]):
        title = short.get("title")
        if title and not merge.is_object(converter, short) and title in parts.property_names(converter, full):
            return full, str(title)
    return None


def one_or_many(variants: list[Mapping], shapes: list[Shape]) -> Shape | None:
    """The list, when a union is T or a list of T and the two do not carry different titles."""
    if len(shapes) != 2:  # noqa: PLR2004 - one and many
        return None
    titles = {variant.get("title") for variant in variants}
    if None not in titles and len(titles) > 1:
        return None
    for one, many in (shapes, shapes[::-1]):
        if many.kind is Kind.ARRAY and many.inner == one:
            return replace(many, single=True, rules=tuple(sorted({*many.rules, "one-or-many"})))
    return None


def fill(converter: Converter, schema: Mapping, key: str, hint: Hint, message: str) -> objects.Filled:
    """The fields of the message that a union becomes: one a variant, equal variants together."""
    variants: list[Mapping] = list(schema[key])
    found = [
        (variant, converter.shape(variant, variant_hint(hint, variant, number)))
        for number, variant in enumerate(variants, 1)
    ]
    exclusive = key == "oneOf" or (converter.choices.any_of == "exclusive" and disjoint([item for _, item in found]))
    fields: dict[str, Field] = {}
    for variant, item in found:
        made = _field(converter, variant, item, key, snake(message) if exclusive else None)
        earlier = fields.get(made.name)
        if earlier is not None and earlier.type == made.type and earlier.label == made.label:
            made = replace(earlier, places=(*earlier.places, *made.places))
        elif earlier is not None:
            numbered = f"{made.name}_variant_{len(fields) + 1}"
            made = replace(made, name=numbered, source=f"variant:{numbered}")
        fields[made.name] = made
    return objects.Filled(JsonForm.UNION, tuple(fields.values()))


def disjoint(shapes: list[Shape]) -> bool:
    """Whether no JSON value can fit two of the shapes, judged by JSON types alone."""
    seen: set[str] = set()
    for found in shapes:
        types = {"number"} if found.name == "GeneralNumber" else found.json_types()
        if seen & types:
            return False
        seen |= types
    return True


def _field(converter: Converter, variant: Mapping, found: Shape, key: str, oneof: str | None) -> Field:
    title = str(variant.get("title", ""))
    name = field_name(title) if title else type_words(found)
    return converter.fields.make(
        source=f"variant:{title or name}",
        name=name,
        json_name="",
        shape=found,
        required=variant.get("x-protobuf-required") is True,
        role=JsonRole.VARIANT,
        oneof=oneof,
        places=(variant.place,),
        rules=("union" if key == "oneOf" else "any-of",),
        deprecated=converter.deprecation(variant),
        options=converter.options(variant),
    )
