"""Declare the response messages: a message around the bodies of the successful responses, or the body's own message.

Sources: OpenAPI 3.1.0, sections 4.8.16 (responses) and 4.8.17 (response); RFC 9110, section 9.3.2 (HEAD).
"""

from __future__ import annotations

from dataclasses import replace

from pipeline.model.contract import Field, JsonForm, JsonRole, Label, Message, Rule
from pipeline.model.identifiers import derive_message_name, format_snake
from pipeline.model.source import FieldKind, FieldSource, SchemaSource
from preprocess.document.scope import Operation
from preprocess.naming.hints import NameHint
from preprocess.operations.bodies import FIELD_NAMES, RULE_MEDIA, Body, collect_response_bodies
from preprocess.schema.context import Context
from preprocess.schema.fields import make_field
from preprocess.schema.shapes import Kind, Shape

RULE_WRAPPED = Rule("response-wrapped")
RULE_EXISTENCE = Rule("existence")


def derive_wrapper_hint(group: str) -> NameHint:
    """Return the hint of the message around the response bodies of an operation group."""
    name = f"{derive_message_name(group)}Response"
    return NameHint(SchemaSource.for_operation(group, "response", "message"), name, f"{name}Message")


def declare_response(context: Context, group: str, forms: list[Operation]) -> str:
    """Declare the message around all bodies of a response, or the only body's own message, and return its name."""
    bodies = collect_response_bodies(context, forms)
    hints = [derive_body_hint(context, group, len(bodies), at).titled(body.schema) for at, body in enumerate(bodies)]
    shapes = [context.convert_schema(body.schema, hint) for body, hint in zip(bodies, hints, strict=True)]
    if context.options.responses == "direct" and len(shapes) == 1 and shapes[0].kind is Kind.MESSAGE:
        return shapes[0].name
    hint, place = derive_wrapper_hint(group), forms[0].node.place
    name = context.namer.claim(hint, place)
    is_existence = all(form.method == "head" for form in forms)
    fields = (_make_existence_field(forms),) if is_existence else _make_content_fields(context, bodies, shapes)
    rules = (RULE_EXISTENCE,) if is_existence else (RULE_WRAPPED,)
    context.add_message(Message(name, hint.source, JsonForm.RESPONSE, fields, place, rules))
    return name


def derive_body_hint(context: Context, group: str, count: int, index: int) -> NameHint:
    """Return the hint of one response body of an operation group that has `count` bodies."""
    name = f"{derive_message_name(group)}Response"
    name = name if context.options.responses == "direct" and count == 1 else f"{name}Body"
    suffix = str(index + 1) if index else ""
    return NameHint(SchemaSource.for_operation(group, f"response{suffix}"), name + suffix)


def _make_existence_field(forms: list[Operation]) -> Field:
    """Return the field for whether the target of a HEAD request exists: its response is only a status."""
    places = tuple(form.node.place for form in forms)
    field = Field(FieldSource(FieldKind.EXISTS), "exists", "bool", Label.SINGULAR, JsonRole.EXISTS)
    return field._replace(places=places, rules=(RULE_EXISTENCE,))


def _make_content_fields(context: Context, bodies: list[Body], shapes: list[Shape]) -> tuple[Field, ...]:
    """Return a field for each body; bodies of the same type share one."""
    contents: list[tuple[Shape, Body]] = []
    for shape, body in zip(shapes, bodies, strict=True):
        same = next((index for index, content in enumerate(contents) if _is_same(content, (shape, body))), None)
        if same is None:
            contents.append((shape, body))
        else:
            first_shape, first = contents[same]
            carried, places = (*first.carried, *body.carried), (*first.places, *body.places)
            contents[same] = first_shape, replace(first, carried=carried, places=places)
    oneof = "content" if len(contents) > 1 else None
    fields: dict[str, Field] = {}
    for shape, body in contents:
        field = _make_content_field(context, shape, body, oneof)
        if field.name in fields:
            name = f"{field.name}_{len(fields) + 1}"
            field = field._replace(name=name, source=FieldSource(FieldKind.CONTENT, name))
        fields[field.name] = field
    return tuple(fields.values())


def _is_same(one: tuple[Shape, Body], other: tuple[Shape, Body]) -> bool:
    return one[0] == other[0] and FIELD_NAMES.get(one[1].kind) == FIELD_NAMES.get(other[1].kind)


def _make_content_field(context: Context, shape: Shape, body: Body, oneof: str | None) -> Field:
    element = shape.inner if shape.kind in {Kind.ARRAY, Kind.MAP} else shape
    type_name = format_snake(element.name) if element.kind in {Kind.MESSAGE, Kind.ENUM} else "content"
    name = FIELD_NAMES.get(body.kind, type_name)
    return make_field(
        context,
        source=FieldSource(FieldKind.CONTENT, name),
        name=name,
        shape=shape,
        role=JsonRole.CONTENT,
        oneof=oneof,
        places=body.places,
        rules=(RULE_WRAPPED, *((RULE_MEDIA,) if body.kind in FIELD_NAMES else ())),
        carried=body.carried,
    )
