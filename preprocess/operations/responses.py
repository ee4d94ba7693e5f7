"""Responses: what an rpc answers with, a message around the bodies that the API answers with when all went well.

Sources: OpenAPI 3.1.0, sections 4.8.16 (responses) and 4.8.17 (response); RFC 9110, section 9.3.2 (HEAD).
"""

from __future__ import annotations

from dataclasses import replace

from pipeline.model.contract import Field, JsonForm, JsonRole, Label, Message
from pipeline.model.identifiers import derive_message_name, format_snake
from pipeline.model.rule import Rule
from pipeline.model.source import FieldKind, FieldSource, SchemaSource
from preprocess.document.scope import Operation
from preprocess.naming.hints import NameHint
from preprocess.operations import bodies
from preprocess.operations.bodies import Body
from preprocess.operations.media_types import NAMES, RULE_MEDIA
from preprocess.schema.context import ConversionContext
from preprocess.schema.fields import make_field
from preprocess.schema.shapes import Kind, Shape

RULE_WRAPPED = Rule("response-wrapped")
RULE_EXISTENCE = Rule("existence")


def wrapper(group: str) -> NameHint:
    """What the message around the answers of a group is called."""
    words = f"{derive_message_name(group)}Response"
    return NameHint(SchemaSource.for_operation(group, "response", "message"), words, f"{words}Message")


def response(context: ConversionContext, group: str, forms: list[Operation]) -> str:
    """Declare the response message of a group: the body's own, or one around it.

    Returns:
        Its name.
    """
    found = bodies.answers(context, forms)
    direct = context.options.responses == "direct"
    hints = [body_hint(context, group, len(found), at).titled(body.schema) for at, body in enumerate(found)]
    shapes = [context.shape_of(body.schema, hint) for body, hint in zip(found, hints, strict=True)]
    if direct and len(shapes) == 1 and shapes[0].kind is Kind.MESSAGE:
        return shapes[0].name
    place = forms[0].node.place
    name = context.namer.claim(wrapper(group), place)
    rules = (RULE_WRAPPED,)
    if all(form.method == "head" for form in forms):
        fields: tuple[Field, ...] = (_existence(forms),)
        rules = (RULE_EXISTENCE,)
    else:
        fields = _contents(context, found, shapes)
    context.add_message(
        Message(name, SchemaSource.for_operation(group, "response", "message"), JsonForm.RESPONSE, fields, place, rules)
    )
    return name


def body_hint(context: ConversionContext, group: str, count: int, at: int) -> NameHint:
    """What one of so many bodies of a group's answers is called."""
    words = f"{derive_message_name(group)}Response"
    name = words if context.options.responses == "direct" and count == 1 else f"{words}Body"
    suffix = str(at + 1) if at else ""
    return NameHint(SchemaSource.for_operation(group, f"response{suffix}"), name + suffix)


def _existence(forms: list[Operation]) -> Field:
    """Whether there is what a HEAD asks for: the status is the whole answer."""
    return Field(
        source=FieldSource(FieldKind.EXISTS),
        name="exists",
        type="bool",
        label=Label.SINGULAR,
        role=JsonRole.EXISTS,
        places=tuple(form.node.place for form in forms),
        rules=(RULE_EXISTENCE,),
    )


def _contents(context: ConversionContext, found: list[Body], shapes: list[Shape]) -> tuple[Field, ...]:
    """A field for each body; bodies that are of one type in the end are one."""
    different: list[tuple[Shape, Body]] = []
    for shape, body in zip(shapes, found, strict=True):
        twin = next((at for at, item in enumerate(different) if _same(item, (shape, body))), None)
        if twin is None:
            different.append((shape, body))
        else:
            first, old = different[twin]
            both = replace(old, carried=(*old.carried, *body.carried), places=(*old.places, *body.places))
            different[twin] = first, both
    made: dict[str, Field] = {}
    for shape, body in different:
        item = _content(context, shape, body, "content" if len(different) > 1 else None)
        if item.name in made:
            name = f"{item.name}_{len(made) + 1}"
            item = item._replace(name=name, source=FieldSource(FieldKind.CONTENT, name))
        made[item.name] = item
    return tuple(made.values())


def _same(one: tuple[Shape, Body], other: tuple[Shape, Body]) -> bool:
    return one[0] == other[0] and NAMES.get(one[1].nature) == NAMES.get(other[1].nature)


def _content(context: ConversionContext, shape: Shape, body: Body, oneof: str | None) -> Field:
    element = shape.inner if shape.kind in {Kind.ARRAY, Kind.MAP} else shape
    named = format_snake(element.name) if element.kind in {Kind.MESSAGE, Kind.ENUM} else "content"
    name = NAMES.get(body.nature, named)
    return make_field(
        context,
        source=FieldSource(FieldKind.CONTENT, name),
        name=name,
        json_name="",
        shape=shape,
        required=False,
        role=JsonRole.CONTENT,
        oneof=oneof,
        places=body.places,
        rules=(RULE_WRAPPED, *((RULE_MEDIA,) if body.nature in NAMES else ())),
        carried=body.carried,
    )
