"""Make fields: turn a shape into a type and a label, and wrap what protobuf cannot nest in a message.

A list or map cannot be a member of a oneof, nor an item of another list or map. It gets a message of its own:
`StringArray`, `FloatMap`, `SortOrderSingleMap`, one for each element type. The vendor extensions
`x-protobuf-name` and `x-proto-options`, often set by an overlay, give a field its name and options. Sources: protobuf
guide, field labels, maps, oneof; protobuf language specification, options and constants.
"""

from __future__ import annotations

import re

from pipeline.model.contract import CarriedBody, Field, JsonForm, JsonRole, Label, Message, Rule
from pipeline.model.diagnostics import NOWHERE, Diagnostic, Failure, Place
from pipeline.model.document.located import LocatedMap, locate_child
from pipeline.model.identifiers import derive_field_name, format_pascal, format_snake
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
OPTIONS = "x-proto-options"
_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_]*"
_PATH = rf"{_IDENTIFIER}(?:\.{_IDENTIFIER})*"
_NAME = re.compile(rf"(?:{_PATH}|\(\.?{_PATH}\))(?:\.{_PATH})?")
_VALUE = re.compile(rf"{_IDENTIFIER}|-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?")


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


def choose_field_name(name: str, schema: LocatedMap) -> str:
    """Return the field name of a property or parameter: `x-protobuf-name`, else the name derived from its key."""
    chosen = schema.get("x-protobuf-name")
    if chosen is None:
        return derive_field_name(name)
    if not isinstance(chosen, str) or not _FIELD.fullmatch(chosen):
        message = f"expected a field name such as `page_size`, found `{chosen}`"
        hint = "use letters, digits and `_`, and begin with a letter"
        place = locate_child(schema.place, "x-protobuf-name")
        raise Failure(Diagnostic("names/invalid", message, place, hint))
    return chosen


def read_field_options(schema: LocatedMap) -> tuple[tuple[str, str], ...]:
    """Return the field options of a schema, sorted; each is printed as it is, so it must be a name and a literal.

    Raises:
        Failure: `names/invalid` if a name is no option name, or a value no literal.
    """
    options = schema.get(OPTIONS)
    if not isinstance(options, LocatedMap):
        return ()
    diagnostics = []
    for name, value in options.items():
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(_format_literal(value)):
            message = f"expected the name and value of a field option, found `{name}: {value}`"
            hint = "write an option name with a boolean, a number or an enum value"
            diagnostics.append(Diagnostic("names/invalid", message, locate_child(options.place, name), hint))
    if diagnostics:
        raise Failure(diagnostics)
    return tuple(sorted((name, _format_literal(value)) for name, value in options.items()))


def _format_literal(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
