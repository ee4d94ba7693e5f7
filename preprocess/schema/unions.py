"""Unions: oneOf and anyOf of anything but constants.

In order: one variant is that variant; T or a list of T is repeated; a titled value beside an object that has a property
of that title is the object; otherwise a message with a field a variant, named by its title, else by its type.
Sources: JSON Schema core 2020-12, sections 10.2.1.2 and 10.2.1.3; protobuf guide, oneof.
"""

from __future__ import annotations

from dataclasses import replace

from pipeline.model.contract import Field, JsonForm, JsonRole, Message
from pipeline.model.document.located import LocatedMap, escape_token, make_list, make_map
from pipeline.model.identifiers import derive_field_name, format_snake
from pipeline.model.source import FieldSource
from preprocess.document.references import SCHEMAS
from preprocess.document.subschemas import BASE
from preprocess.naming.hints import NameHint
from preprocess.schema import all_of, discriminator, object_members
from preprocess.schema.context import ConversionContext
from preprocess.schema.discriminator import RULE_BASE, RULE_TAGGED
from preprocess.schema.enums import declare_enum, union_values
from preprocess.schema.field_options import field_options
from preprocess.schema.fields import make_field
from preprocess.schema.objects import declare_object
from preprocess.schema.shapes import NULL, Kind, Shape, type_words, with_rule
from preprocess.schema.union_variants import labels_of, variants_of


def shape(context: ConversionContext, schema: LocatedMap, key: str, hint: NameHint) -> Shape:  # noqa: PLR0911 - one return a rule
    """The shape of a union.

    Args:
        context: for the shapes of the variants.
        schema: the schema that holds the union.
        key: `oneOf` or `anyOf`.
        hint: what the union's message or enum would be called.
    """
    variants = variants_of(context, schema, key)
    values = union_values(variants)
    if values is not None:
        return declare_enum(context, schema, hint, values, "const-union")
    whole = make_map({**schema, key: make_list(variants, schema.place)}, schema.place)
    if context.options.null_variant == "nullable" and any(_is_null(variant) for variant in variants):
        whole[key] = make_list([variant for variant in variants if not _is_null(variant)], schema.place)
        return with_rule(replace(shape(context, whole, key, hint), nullable=True), "nullable")
    if not variants:
        return NULL
    if len(variants) == 1:
        return with_rule(context.shape_of(variants[0], hint), "single-variant")
    short = shorthand(context, variants)
    if short is not None:
        full, title = short
        return replace(with_rule(context.shape_of(full, hint), "shorthand"), shorthand=title)
    if all(object_members.single_property(variant) and "title" not in variant for variant in variants):
        return declare_object(context, whole, hint)
    shapes = _shapes(context, whole, variants, hint)
    if all(found == shapes[0] for found in shapes):
        return with_rule(shapes[0], "single-variant")
    found = one_or_many(variants, shapes) or declare_union(context, whole, key, hint)
    if context.options.null_variant == "nullable" and any(item.nullable for item in shapes):
        return with_rule(replace(found, nullable=True), "nullable")
    return found


def of_heirs(context: ConversionContext, schema: LocatedMap, key: str, hint: NameHint) -> bool:
    """Whether the variants all extend the very schema that lists them: its properties are theirs, too."""
    own = make_map({"$ref": SCHEMAS + escape_token(hint.source.text)}, schema.place)
    return (
        hint.source.text in context.schemas
        and all(all_of.extends(context, variant, own) for variant in schema[key] if "$ref" in variant)
        and all("$ref" in variant for variant in schema[key])
    )


def _is_null(variant: LocatedMap) -> bool:
    return variant.get("type") == "null"


def _shapes(context: ConversionContext, schema: LocatedMap, variants: list[LocatedMap], hint: NameHint) -> list[Shape]:
    labels = labels_of(context, schema, variants)
    return [
        context.shape_of(variant, hint.variant(label, number))
        for number, (variant, label) in enumerate(zip(variants, labels, strict=True), start=1)
    ]


def shorthand(context: ConversionContext, variants: list[LocatedMap]) -> tuple[LocatedMap, str] | None:
    """The object of a union of an object and one of its properties, and the property that may be written alone."""
    if len(variants) != 2:  # noqa: PLR2004 - a shorthand and what it is short for
        return None
    for short, full in (variants, variants[::-1]):
        title = short.get("title")
        if title and not all_of.is_object(context, short) and title in object_members.property_names(context, full):
            return full, str(title)
    return None


def one_or_many(variants: list[LocatedMap], shapes: list[Shape]) -> Shape | None:
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


def declare_union(context: ConversionContext, schema: LocatedMap, key: str, hint: NameHint) -> Shape:
    """Declare the message of a union."""
    return context.declare(schema, hint, lambda message: fill(context, schema, key, hint, message))


def fill(context: ConversionContext, schema: LocatedMap, key: str, hint: NameHint, message: Message) -> Message:
    """The fields of the message that a union becomes: one a variant, equal variants together."""
    variants: list[LocatedMap] = list(schema[key])
    shapes = _shapes(context, schema, variants, hint)
    labels = labels_of(context, schema, variants)
    tags = discriminator.tags(context, schema, variants)
    apart = all(tags) or (context.options.any_of == "exclusive" and disjoint(context, variants))
    exclusive = key == "oneOf" or apart
    fields: dict[str, Field] = {}
    for variant, item, label, told in zip(variants, shapes, labels, tags, strict=True):
        made = _field(context, variant, item, label, format_snake(message.name) if exclusive else None)
        made = made._replace(encoding=made.encoding._replace(tags=told))
        rules = {*made.rules, "union" if key == "oneOf" else "any-of"} | ({RULE_TAGGED} if told else set())
        rules |= {RULE_BASE} if BASE in schema else set()
        made = made._replace(rules=tuple(sorted(rules)))
        earlier = fields.get(made.name)
        if earlier is not None and earlier.type == made.type and earlier.label == made.label:
            made = earlier._replace(places=(*earlier.places, *made.places))
        elif earlier is not None:
            numbered = f"{made.name}_variant_{len(fields) + 1}"
            made = made._replace(name=numbered, source=FieldSource.for_variant(numbered))
        fields[made.name] = made
    return message._replace(form=JsonForm.UNION, fields=tuple(fields.values()))


def disjoint(context: ConversionContext, variants: list[LocatedMap]) -> bool:
    """Whether no JSON value can be of two variants at once, as two objects can: a value of other types is only one."""
    return sum("object" in all_of.kinds(context, variant) for variant in variants) <= 1


def _field(context: ConversionContext, variant: LocatedMap, found: Shape, label: str, oneof: str | None) -> Field:
    if context.options.null_variant == "nullable" and found.nullable:
        found = replace(found, nullable=False, rules=tuple(rule for rule in found.rules if rule != "nullable"))
    any_value = found.kind is Kind.ANY and context.options.any_value == "value"
    name = derive_field_name(label) if label else "any" if any_value else type_words(found)
    return make_field(
        context,
        source=FieldSource.for_variant(label or name),
        name=name,
        json_name="",
        shape=found,
        required=variant.get("x-protobuf-required") is True,
        role=JsonRole.VARIANT,
        oneof=oneof,
        places=(variant.place,),
        deprecated=context.version.get_deprecation(variant),
        options=field_options(variant),
    )
