"""Fields: from a shape to a type and a label, with a message around what protobuf cannot nest.

A list or map may stand neither in a oneof nor in another list or map, so it gets a message of its own: `StringArray`,
`FloatMap`, `SortOrderSingleMap`, one for each element type. Source: protobuf guide, field labels, maps, oneof.
"""

from __future__ import annotations

from pipeline.model.contract import Carried, Field, JsonForm, JsonRole, Label, Message
from pipeline.model.diagnostics import NOWHERE, Place
from pipeline.model.identifiers import format_pascal, format_snake
from pipeline.model.json_encoding import PLAIN, JsonEncoding, StringFormat, merge_encodings
from pipeline.model.source import KEY, FieldKind, FieldSource, SchemaKind, SchemaSource
from preprocess.naming.hints import NameHint
from preprocess.schema import well_known
from preprocess.schema.context import ConversionContext
from preprocess.schema.shapes import Kind, Shape, type_words

RULE_NULL_ITEM = "null-item"
NULL_FIELD = "null_value"
_NULL_SOURCE = FieldSource.for_variant(NULL_FIELD)
_RULES = {Kind.OBJECT: "free-form", Kind.ANY: "free-form", Kind.DOCUMENT: "document-bytes", Kind.NULL: "null-value"}
_WRAPPERS = {
    Kind.ARRAY: ("Array", JsonForm.ARRAY, JsonRole.ITEMS, "array-wrapper"),
    Kind.MAP: ("Map", JsonForm.MAP, JsonRole.ENTRIES, "map-wrapper"),
    Kind.ENTRY: ("SingleMap", JsonForm.ENTRY, JsonRole.VALUE, "entry-wrapper"),
}


def make_field(  # noqa: PLR0913 - the attributes of one field, by name
    context: ConversionContext,
    *,
    source: FieldSource,
    name: str,
    json_name: str,
    shape: Shape,
    required: bool,
    role: JsonRole = JsonRole.PROPERTY,
    oneof: str | None = None,
    places: tuple[Place, ...] = (),
    rules: tuple[str, ...] = (),
    deprecated: str = "",
    encoding: JsonEncoding = PLAIN,
    options: tuple[tuple[str, str], ...] = (),
    carried: tuple[Carried, ...] = (),
) -> Field:
    """One field of a shape; the arguments are those of `Field`, `required` says whether JSON must have it."""
    place = places[0] if places else NOWHERE
    label, element = _label(shape, required, oneof)
    must_be_there = required and oneof is None
    held = _item if label in {Label.REPEATED, Label.MAP} else element_type
    return Field(
        source=source,
        name=name,
        type=held(context, element, place),
        label=label,
        role=role,
        oneof=oneof,
        json_name=json_name,
        encoding=_encode_value(element, encoding)._replace(
            is_single=shape.single,
            is_nullable=shape.nullable,
            writes_null=must_be_there and shape.nullable,
            is_required=must_be_there and not shape.nullable,
        ),
        places=places,
        rules=tuple(sorted({*rules, *_rules(shape)})),
        deprecated=deprecated,
        options=options,
        carried=carried,
        is_widened=shape.widened,
    )


def _label(shape: Shape, required: bool, oneof: str | None) -> tuple[Label, Shape]:
    if oneof is not None:
        return Label.SINGULAR, shape
    if shape.kind is Kind.ARRAY:
        return Label.REPEATED, shape.inner
    if shape.kind is Kind.MAP:
        return Label.MAP, shape.inner
    return (Label.SINGULAR if required and not shape.nullable else Label.OPTIONAL), shape


def _rules(shape: Shape) -> set[str]:
    found = set(shape.rules) | ({_RULES[shape.kind]} if shape.kind in _RULES else set())
    if shape.item is not None:
        inner = _rules(shape.item)
        found |= inner - {"nullable"} | {RULE_NULL_ITEM} if shape.item.nullable else inner
        found |= {"arrays"} if shape.kind is Kind.ARRAY else {"maps"} if shape.kind is Kind.MAP else set()
    return found


def element_type(context: ConversionContext, shape: Shape, place: Place) -> str:
    """The type that stands for a shape where one value stands; lists, maps and entries get a message."""
    if shape.kind in _WRAPPERS:
        return _wrapper(context, shape, place)
    if shape.kind is Kind.OBJECT or (shape.kind is Kind.ANY and context.options.any_value == "object"):
        return well_known.OBJECT_MAP
    if shape.kind is Kind.ANY:
        return well_known.VALUE
    return "bytes" if shape.kind is Kind.DOCUMENT else shape.name


def _item(context: ConversionContext, shape: Shape, place: Place) -> str:
    """The type of an item of a list or a value of a map, which is there even where it is null."""
    if not shape.nullable or shape.kind in {Kind.ANY, Kind.NULL}:
        return element_type(context, shape, place)
    element = element_type(context, shape, place)
    stem = f"Nullable{_stem(shape, element)}"
    oneof = format_snake(stem)
    words = type_words(shape)
    members = (
        Field(_NULL_SOURCE, NULL_FIELD, well_known.NULL_VALUE, Label.SINGULAR, JsonRole.VARIANT, oneof),
        Field(FieldSource.for_variant(words), words, element, Label.SINGULAR, JsonRole.VARIANT, oneof)._replace(
            encoding=_encode_value(shape)
        ),
    )
    fields = tuple(item._replace(rules=(RULE_NULL_ITEM,)) for item in members)
    return _shared(context, stem, JsonForm.UNION, fields, place)


def _wrapper(context: ConversionContext, shape: Shape, place: Place) -> str:
    suffix, form, role, rule = _WRAPPERS[shape.kind]
    inner = shape.inner
    element = _item(context, inner, place)
    label = {Kind.ARRAY: Label.REPEATED, Kind.MAP: Label.MAP}.get(shape.kind, Label.SINGULAR)
    stem = format_pascal(element) if inner.nullable else _stem(inner, element)
    encoding = _encode_value(inner)
    value_name = format_snake(stem) if shape.kind is Kind.ENTRY else format_snake(stem + suffix)
    value = Field(FieldSource(FieldKind(role)), value_name, element, label, role, encoding=encoding, rules=(rule,))
    key = Field(KEY, "field", "string", Label.SINGULAR, JsonRole.KEY, rules=(rule,))
    return _shared(context, stem + suffix, form, (key, value) if shape.kind is Kind.ENTRY else (value,), place)


def _shared(context: ConversionContext, name: str, form: JsonForm, fields: tuple[Field, ...], place: Place) -> str:
    """The message of that name around one type, made once; every place that uses it may add ways to write it."""
    source = SchemaSource(SchemaKind.WRAPPER, name)
    claimed = context.namer.claim(NameHint(source, name, f"{name}Wrapper"), place)
    known = context.messages.get(claimed)
    if known is not None:
        fields = tuple(
            item._replace(encoding=merge_encodings(item.encoding, new.encoding))
            for item, new in zip(known.fields, fields, strict=True)
        )
    context.messages[claimed] = Message(claimed, source, form, fields, rules=fields[-1].rules)
    return claimed


def _encode_value(element: Shape, encoding: JsonEncoding = PLAIN) -> JsonEncoding:
    """Return how the JSON of one value differs from the plain case."""
    is_document = element.kind is Kind.DOCUMENT
    if not (is_document or element.quoted or element.encoding or element.shorthand):
        return encoding
    return encoding._replace(
        is_document=is_document,
        is_quoted=element.quoted,
        string_format=StringFormat(element.encoding),
        shorthand=element.shorthand,
    )


def _stem(shape: Shape, element: str) -> str:
    """What a message around a type is called after: the type, and what its bytes or text stand for."""
    if shape.kind is Kind.DOCUMENT:
        return "Document"
    return {"raw": "RawBytes", "base64url": "UrlBytes", "number": "Digits"}.get(shape.encoding, format_pascal(element))
