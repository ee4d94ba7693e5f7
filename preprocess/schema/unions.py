"""Convert `oneOf` and `anyOf`.

The first of these rules that applies decides:

1. Variants that are all string constants are an enum.
2. One variant is that variant.
3. A titled value beside an object with a property of that title is the object, written in short.
4. Variants of one property each are an object with a oneof.
5. T or a list of T is a repeated field.
6. Anything else is a message with a field for each variant, named by its title or its type.

Sources: JSON Schema core 2020-12, sections 10.2.1.2 and 10.2.1.3; protobuf guide, oneof.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from pipeline.model.contract import Field, JsonForm, JsonRole, Message, Rule
from pipeline.model.document.located import LocatedMap, escape_token, make_list, make_map
from pipeline.model.identifiers import derive_field_name, format_snake
from pipeline.model.json_encoding import JsonEncoding, Tag
from pipeline.model.source import FieldSource
from preprocess.document.references import SCHEMAS
from preprocess.document.subschemas import BASE
from preprocess.naming.hints import NameHint
from preprocess.schema.all_of import find_json_types, is_object, is_subtype
from preprocess.schema.context import Context
from preprocess.schema.discriminator import RULE_BASE, RULE_TAGGED, find_tags
from preprocess.schema.enums import declare_enum, find_union_values
from preprocess.schema.fields import make_field, read_field_options
from preprocess.schema.object_members import collect_property_names, find_single_property
from preprocess.schema.objects import declare_object
from preprocess.schema.shapes import NULL, Kind, Shape, add_rule, make_nullable, name_after_type
from preprocess.schema.union_variants import RULE_ANY_OF, choose_labels, list_variants

RULE_CONST_UNION = Rule("const-union")
RULE_ONE_OR_MANY = Rule("one-or-many")
RULE_SHORTHAND = Rule("shorthand")
RULE_SINGLE_VARIANT = Rule("single-variant")
RULE_UNION = Rule("union")


class _Variant(NamedTuple):
    """A variant of a union, with the tags by which the codec recognizes it."""

    schema: LocatedMap
    label: str
    tags: tuple[Tag, ...]
    shape: Shape


def convert_union(context: Context, schema: LocatedMap, keyword: str, hint: NameHint) -> Shape:
    """Return the shape of the union that a schema holds under `keyword`: `oneOf` or `anyOf`."""
    variants = list_variants(context, schema, keyword)
    values = find_union_values(variants)
    if values is not None:
        return declare_enum(context, schema, hint, values, RULE_CONST_UNION)
    union = make_map({**schema, keyword: make_list(variants, schema.place)}, schema.place)
    non_null = [variant for variant in variants if variant.get("type") != "null"]
    if context.options.null_variant == "nullable" and len(non_null) < len(variants):
        union[keyword] = make_list(non_null, schema.place)
        return make_nullable(convert_union(context, union, keyword, hint))
    return _simplify_union(context, union, keyword, hint) or _convert_variants(context, union, keyword, hint)


def is_union_of_subtypes(context: Context, schema: LocatedMap, keyword: str, hint: NameHint) -> bool:
    """Return whether all variants extend the component that lists them, so that they have its properties, too."""
    if hint.source.text not in context.schemas or not all("$ref" in variant for variant in schema[keyword]):
        return False
    component = make_map({"$ref": SCHEMAS + escape_token(hint.source.text)}, schema.place)
    return all(is_subtype(context, variant, component) for variant in schema[keyword])


def _simplify_union(context: Context, union: LocatedMap, keyword: str, hint: NameHint) -> Shape | None:
    """Return the shape of a union that another kind of schema can replace; None if its variants have to be compared."""
    variants: list[LocatedMap] = union[keyword]
    if not variants:
        return NULL
    if len(variants) == 1:
        return add_rule(context.convert_schema(variants[0], hint), RULE_SINGLE_VARIANT)
    shorthand = _find_shorthand(context, variants)
    if shorthand is not None:
        full, title = shorthand
        return replace(add_rule(context.convert_schema(full, hint), RULE_SHORTHAND), shorthand=title)
    if all(find_single_property(variant) and "title" not in variant for variant in variants):
        return declare_object(context, union, hint)
    return None


def _find_shorthand(context: Context, variants: list[LocatedMap]) -> tuple[LocatedMap, str] | None:
    """Return the object and its property's name if a union allows an object or only the value of that property."""
    match variants:
        case [first, second]:
            for short, full in ((first, second), (second, first)):
                title = short.get("title")
                if title and not is_object(context, short) and title in collect_property_names(context, full):
                    return full, str(title)
    return None


def _convert_variants(context: Context, union: LocatedMap, keyword: str, hint: NameHint) -> Shape:
    """Return the shape of a union by the shapes of its variants: one shape for all, a list, or a union message."""
    shapes = [variant.shape for variant in _describe_variants(context, union, keyword, hint)]
    if all(shape == shapes[0] for shape in shapes):
        return add_rule(shapes[0], RULE_SINGLE_VARIANT)
    shape = _match_one_or_many(union[keyword], shapes) or _declare_union(context, union, keyword, hint)
    nullable = context.options.null_variant == "nullable" and any(variant.nullable for variant in shapes)
    return make_nullable(shape) if nullable else shape


def _describe_variants(context: Context, union: LocatedMap, keyword: str, hint: NameHint) -> list[_Variant]:
    schemas: list[LocatedMap] = union[keyword]
    labels = choose_labels(context, union, schemas)
    tags = find_tags(context, union, schemas)
    hints = [hint.variant(label, number) for number, label in enumerate(labels, start=1)]
    shapes = [context.convert_schema(schema, variant_hint) for schema, variant_hint in zip(schemas, hints, strict=True)]
    return [_Variant(*variant) for variant in zip(schemas, labels, tags, shapes, strict=True)]


def _match_one_or_many(variants: list[LocatedMap], shapes: list[Shape]) -> Shape | None:
    """Return the list if a union is T or a list of T and the two variants do not have different titles."""
    titles = {variant.get("title") for variant in variants}
    if None not in titles and len(titles) > 1:
        return None
    match shapes:
        case [first, second]:
            for one, many in ((first, second), (second, first)):
                if many.kind is Kind.ARRAY and many.inner == one:
                    return replace(add_rule(many, RULE_ONE_OR_MANY), single=True)
    return None


def _declare_union(context: Context, union: LocatedMap, keyword: str, hint: NameHint) -> Shape:
    return context.declare(union, hint, lambda message: _fill_union(context, union, keyword, hint, message))


def _fill_union(context: Context, union: LocatedMap, keyword: str, hint: NameHint, message: Message) -> Message:
    """Return the message of a union with a field for each variant; equal variants share a field."""
    variants = _describe_variants(context, union, keyword, hint)
    exclusive = keyword == "oneOf" or all(variant.tags for variant in variants) or _is_exclusive(context, variants)
    oneof = format_snake(message.name) if exclusive else None
    rules = (RULE_UNION if keyword == "oneOf" else RULE_ANY_OF, *((RULE_BASE,) if BASE in union else ()))
    fields: dict[str, Field] = {}
    for variant in variants:
        _add_variant_field(fields, _make_variant_field(context, variant, oneof, rules))
    return message._replace(form=JsonForm.UNION, fields=tuple(fields.values()))


def _is_exclusive(context: Context, variants: list[_Variant]) -> bool:
    """Return whether an `anyOf` can be a oneof: only two objects can match the same JSON value."""
    if context.options.any_of != "exclusive":
        return False
    return sum("object" in find_json_types(context, variant.schema) for variant in variants) <= 1


def _make_variant_field(context: Context, variant: _Variant, oneof: str | None, rules: tuple[Rule, ...]) -> Field:
    schema, label, tags, shape = variant
    if context.options.null_variant == "nullable" and shape.nullable:
        shape = replace(shape, nullable=False)
    any_value = shape.kind is Kind.ANY and context.options.any_value == "value"
    name = derive_field_name(label) if label else "any" if any_value else name_after_type(shape)
    return make_field(
        context,
        source=FieldSource.for_variant(label or name),
        name=name,
        shape=shape,
        required=schema.get("x-protobuf-required") is True,
        role=JsonRole.VARIANT,
        oneof=oneof,
        places=(schema.place,),
        rules=(*rules, RULE_TAGGED) if tags else rules,
        deprecated=context.version.get_deprecation(schema),
        encoding=JsonEncoding(tags=tags),
        options=read_field_options(schema),
    )


def _add_variant_field(fields: dict[str, Field], field: Field) -> None:
    """Add the field of a variant; one of the same name and type is shared, one of another type gets a number."""
    earlier = fields.get(field.name)
    if earlier is not None and earlier.type == field.type and earlier.label == field.label:
        field = earlier._replace(places=(*earlier.places, *field.places))
    elif earlier is not None:
        name = f"{field.name}_variant_{len(fields) + 1}"
        field = field._replace(name=name, source=FieldSource.for_variant(name))
    fields[field.name] = field
