"""Make fields: turn a shape into a type and a label, and wrap what protobuf cannot nest in a message.

A list or map cannot be a member of a oneof, nor an item of another list or map. It gets a message of its own:
`StringArray`, `FloatMap`, `SortOrderSingleMap`, one for each element type. Source: protobuf guide, field labels, maps,
oneof.
"""

from __future__ import annotations

from pipeline.model.contract import CarriedBody, Field, JsonForm, JsonRole, Label, Message, Rule
from pipeline.model.diagnostics import NOWHERE, Place
from pipeline.model.identifiers import format_pascal, format_snake
from pipeline.model.json_encoding import PLAIN, JsonEncoding, StringFormat, merge_encodings
from pipeline.model.source import KEY, FieldKind, FieldSource, SchemaKind, SchemaSource
from preprocess.naming.hints import NameHint
from preprocess.schema import well_known
from preprocess.schema.context import Context
from preprocess.schema.shapes import Kind, Shape, name_after_type

RULE_ARRAYS = Rule("arrays")
RULE_ARRAY_WRAPPER = Rule("array-wrapper")
RULE_DOCUMENT = Rule("document-bytes")
RULE_ENTRY_WRAPPER = Rule("entry-wrapper")
RULE_MAPS = Rule("maps")
RULE_MAP_WRAPPER = Rule("map-wrapper")
RULE_NULLABLE = Rule("nullable")
RULE_NULL_ITEM = Rule("null-item")
NULL_FIELD = "null_value"
_NULL_SOURCE = FieldSource.for_variant(NULL_FIELD)
_RULES = {
    Kind.OBJECT: well_known.RULE_FREE_FORM,
    Kind.ANY: well_known.RULE_FREE_FORM,
    Kind.DOCUMENT: RULE_DOCUMENT,
    Kind.NULL: well_known.RULE_NULL_VALUE,
}
_CONTAINER_RULES = {Kind.ARRAY: RULE_ARRAYS, Kind.MAP: RULE_MAPS}
_CONTAINER_LABELS = {Kind.ARRAY: Label.REPEATED, Kind.MAP: Label.MAP}
_WRAPPERS = {
    Kind.ARRAY: ("Array", JsonForm.ARRAY, JsonRole.ITEMS, RULE_ARRAY_WRAPPER),
    Kind.MAP: ("Map", JsonForm.MAP, JsonRole.ENTRIES, RULE_MAP_WRAPPER),
    Kind.ENTRY: ("SingleMap", JsonForm.ENTRY, JsonRole.VALUE, RULE_ENTRY_WRAPPER),
}


def make_field(  # noqa: PLR0913 - the attributes of one field, by name
    context: Context,
    *,
    source: FieldSource,
    name: str,
    shape: Shape,
    required: bool = False,
    json_name: str = "",
    role: JsonRole = JsonRole.PROPERTY,
    oneof: str | None = None,
    places: tuple[Place, ...] = (),
    rules: tuple[Rule, ...] = (),
    deprecated: str = "",
    encoding: JsonEncoding = PLAIN,
    options: tuple[tuple[str, str], ...] = (),
    carried: tuple[CarriedBody, ...] = (),
) -> Field:
    """Return a field of a shape; the arguments are attributes of `Field`, `required` applies to its JSON key."""
    place = places[0] if places else NOWHERE
    container = oneof is None and shape.kind in _CONTAINER_LABELS
    value = shape.inner if container else shape
    key_required = required and oneof is None
    return Field(
        source=source,
        name=name,
        type=_ensure_item_type(context, value, place) if container else ensure_type(context, value, place),
        label=_choose_label(shape, required, oneof),
        role=role,
        oneof=oneof,
        json_name=json_name,
        encoding=_encode_value(value, encoding)._replace(
            is_single=shape.single,
            is_nullable=shape.nullable,
            writes_null=key_required and shape.nullable,
            is_required=key_required and not shape.nullable,
        ),
        is_widened=shape.widened,
        places=places,
        rules=tuple(sorted({*rules, *_collect_rules(shape)})),
        deprecated=deprecated,
        options=options,
        carried=carried,
    )


def _choose_label(shape: Shape, required: bool, oneof: str | None) -> Label:
    """Return the label of a field; a required value needs no presence unless it may be null."""
    if oneof is not None:
        return Label.SINGULAR
    if shape.kind in _CONTAINER_LABELS:
        return _CONTAINER_LABELS[shape.kind]
    return Label.SINGULAR if required and not shape.nullable else Label.OPTIONAL


def _collect_rules(shape: Shape) -> set[Rule]:
    """Return the conversion rules of a shape and of the shapes inside it."""
    rules = set(shape.rules) | ({_RULES[shape.kind]} if shape.kind in _RULES else set())
    if shape.nullable:
        rules.add(RULE_NULLABLE)
    if shape.item is not None:
        inner = _collect_rules(shape.item)
        rules |= inner - {RULE_NULLABLE} | {RULE_NULL_ITEM} if shape.item.nullable else inner
        rules |= {_CONTAINER_RULES[shape.kind]} if shape.kind in _CONTAINER_RULES else set()
    return rules


def ensure_type(context: Context, shape: Shape, place: Place) -> str:
    """Return the type of a single value, and declare the wrapping message of a list, a map or an entry."""
    if shape.kind in _WRAPPERS:
        return _ensure_wrapper(context, shape, place)
    if shape.kind is Kind.OBJECT or (shape.kind is Kind.ANY and context.options.any_value == "object"):
        return well_known.OBJECT_MAP
    if shape.kind is Kind.ANY:
        return well_known.VALUE
    return "bytes" if shape.kind is Kind.DOCUMENT else shape.name


def _ensure_item_type(context: Context, shape: Shape, place: Place) -> str:
    """Return the type of a list item or map value; an item that may be null needs a message to show it."""
    element = ensure_type(context, shape, place)
    if not shape.nullable or shape.kind in {Kind.ANY, Kind.NULL}:
        return element
    name = f"Nullable{_name_stem(shape, element)}"
    oneof = format_snake(name)
    words = name_after_type(shape)
    null = Field(_NULL_SOURCE, NULL_FIELD, well_known.NULL_VALUE, Label.SINGULAR, JsonRole.VARIANT, oneof)
    value = Field(FieldSource.for_variant(words), words, element, Label.SINGULAR, JsonRole.VARIANT, oneof)
    value = value._replace(encoding=_encode_value(shape), rules=(RULE_NULL_ITEM,))
    return _share_message(context, name, JsonForm.UNION, (null._replace(rules=(RULE_NULL_ITEM,)), value), place)


def _ensure_wrapper(context: Context, shape: Shape, place: Place) -> str:
    """Return the name of the message around a list, a map or an entry, and declare it."""
    suffix, form, role, rule = _WRAPPERS[shape.kind]
    inner = shape.inner
    element = _ensure_item_type(context, inner, place)
    label = _CONTAINER_LABELS.get(shape.kind, Label.SINGULAR)
    stem = format_pascal(element) if inner.nullable else _name_stem(inner, element)
    value_name = format_snake(stem) if shape.kind is Kind.ENTRY else format_snake(stem + suffix)
    value = Field(
        FieldSource(FieldKind(role)), value_name, element, label, role, encoding=_encode_value(inner), rules=(rule,)
    )
    key = Field(KEY, "field", "string", Label.SINGULAR, JsonRole.KEY, rules=(rule,))
    return _share_message(context, stem + suffix, form, (key, value) if shape.kind is Kind.ENTRY else (value,), place)


def _share_message(context: Context, name: str, form: JsonForm, fields: tuple[Field, ...], place: Place) -> str:
    """Declare the one wrapping message of a type; each further use adds the JSON encodings that it allows."""
    source = SchemaSource(SchemaKind.WRAPPER, name)
    claimed = context.namer.claim(NameHint(source, name, f"{name}Wrapper"), place)
    declared = context.messages.get(claimed)
    if declared is not None:
        fields = tuple(
            old._replace(encoding=merge_encodings(old.encoding, new.encoding))
            for old, new in zip(declared.fields, fields, strict=True)
        )
    context.messages[claimed] = Message(claimed, source, form, fields, rules=fields[-1].rules)
    return claimed


def _encode_value(shape: Shape, encoding: JsonEncoding = PLAIN) -> JsonEncoding:
    """Return how the JSON of one value differs from the plain case."""
    is_document = shape.kind is Kind.DOCUMENT
    if not (is_document or shape.quoted or shape.encoding or shape.shorthand):
        return encoding
    return encoding._replace(
        is_document=is_document,
        is_quoted=shape.quoted,
        string_format=StringFormat(shape.encoding),
        shorthand=shape.shorthand,
    )


def _name_stem(shape: Shape, element: str) -> str:
    """Return the part of a wrapper's name that shows the wrapped type, or what its bytes or string encode."""
    if shape.kind is Kind.DOCUMENT:
        return "Document"
    return {"raw": "RawBytes", "base64url": "UrlBytes", "number": "Digits"}.get(shape.encoding, format_pascal(element))
