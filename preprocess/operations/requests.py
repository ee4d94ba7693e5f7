"""Operations: all HTTP forms of an operation group become one rpc.

The request has a field for each path and query parameter of all its forms, one `global_params`, and one for the body,
named after its schema. Sources: OpenAPI 3.1.0, sections 4.8.10 to 4.8.17; AIP-130 to AIP-136 for what rpcs are.
"""

from __future__ import annotations

from pipeline.model.contract import Field, JsonForm, JsonRole, Label, Message
from pipeline.model.document.located import LocatedMap
from pipeline.model.identifiers import derive_message_name, format_snake
from pipeline.model.profile.profile import Conversion
from pipeline.model.rule import Rule
from pipeline.model.source import FieldKind, FieldSource, SchemaKind, SchemaSource
from preprocess.document.scope import Operation
from preprocess.naming.hints import NameHint
from preprocess.operations import bodies, parameters
from preprocess.operations.bodies import Body
from preprocess.operations.media_types import NAMES, RULE_MEDIA
from preprocess.operations.parameters import RULE_REQUEST, RULE_TRANSPORT, of_transport
from preprocess.operations.responses import body_hint, wrapper
from preprocess.schema import objects
from preprocess.schema.context import ConversionContext
from preprocess.schema.field_options import choose_field_name
from preprocess.schema.fields import make_field
from preprocess.schema.shapes import Kind

RULE_BODY = Rule("body-field")
RULE_GLOBAL = Rule("global-parameters")
RULE_INLINE_BODY = Rule("inline-body")
RULE_LINES = Rule("lines")
GLOBAL = "GlobalParams"
_GLOBAL_HINT = NameHint(SchemaSource(SchemaKind.GLOBAL), GLOBAL)


def request_name(group: str) -> str:
    """The request message of a group: `ml.predict_model_stream` → `MlPredictModelStreamRequest`."""
    return f"{derive_message_name(group)}Request"


class Requests:
    """Makes the request and response messages of operation groups."""

    def __init__(self, context: ConversionContext) -> None:
        """Hold the context, which keeps the messages."""
        self.context = context
        self.global_parameters: dict[str, list[LocatedMap]] = {}

    def reserve(self, groups: dict[str, list[Operation]]) -> None:
        """Claim the names of all requests and wrapped responses before any schema, whatever its title, can have one."""
        for group, forms in groups.items():
            place = forms[0].node.place
            self.context.namer.claim(NameHint(SchemaSource.for_operation(group), request_name(group)), place)
            if self.context.options.responses == "wrapped":
                self.context.namer.claim(wrapper(group), place)

    def request(self, group: str, forms: list[Operation]) -> str:
        """Declare the request message of a group.

        Returns:
            Its name.

        Raises:
            Failure: `names/…`.
        """
        source = SchemaSource.for_operation(group)
        place = forms[0].node.place
        name = self.context.namer.claim(NameHint(source, request_name(group)), place)
        fields = parameters.of_group(self.context, group, forms)
        self._exclude_transport(forms)
        names = {item.name for item in fields}
        bodies = self._bodies(group, forms)
        fields += [item._replace(name=f"{item.name}_body") if item.name in names else item for item in bodies]
        shared = [node for form in forms for node in form.parameters if node.get("x-global") and not of_transport(node)]
        for node in shared:
            self.global_parameters.setdefault(str(node["name"]), []).append(node)
        if shared:
            fields.append(
                Field(
                    source=FieldSource(FieldKind.GLOBAL),
                    name="global_params",
                    type=GLOBAL,
                    label=Label.OPTIONAL,
                    role=JsonRole.GLOBAL,
                    places=(place,),
                    rules=(RULE_GLOBAL,),
                )
            )
        sources = {item.source for item in fields}
        excluded = dict.fromkeys(item for form in forms for item in form.excluded if item[0] not in sources)
        message = Message(name, source, JsonForm.REQUEST, tuple(fields), place, (RULE_REQUEST,))
        self.context.add_message(message._replace(excluded=tuple(excluded)))
        return name

    def _exclude_transport(self, forms: list[Operation]) -> None:
        for form in forms:
            for node in form.parameters:
                if of_transport(node):
                    reason = f"{node['in']} `{node['name']}` belongs to the HTTP request"
                    self.context.exclude(node.place, RULE_TRANSPORT, reason)

    def _bodies(self, group: str, forms: list[Operation]) -> list[Field]:
        fields: list[Field] = []
        for number, body in enumerate(bodies.requests(self.context, forms), start=1):
            taken = {item.name for item in fields}
            for item in self._body(group, body, _hint(group, number)):
                if item.role is JsonRole.BODY and item.name in taken:
                    fields.append(item._replace(name=f"{item.name}_{number}", source=item.source.add_number(number)))
                else:
                    fields.append(item)
        return fields

    def _body(self, group: str, body: Body, hint: NameHint) -> list[Field]:
        schema = body.schema
        if schema.get("x-proto-inline") is True:
            name = request_name(group)
            hint = NameHint(SchemaSource.for_operation(group), name)
            filled = objects.fill_object(self.context, schema, hint, Message(name, hint.source, JsonForm.REQUEST))
            return [item._replace(rules=tuple(sorted({*item.rules, RULE_INLINE_BODY}))) for item in filled.fields]
        shape = self.context.shape_of(schema, hint.titled(schema))
        element = shape.inner if shape.kind is Kind.ARRAY else shape
        if body.lines and element.kind is Kind.MESSAGE:
            self.context.line_messages.add(element.name)
        raw = NAMES.get(body.nature)
        is_first = hint.source == _hint(group, 1).source
        name = raw or (format_snake(element.name) if element.kind is Kind.MESSAGE else "body")
        rules = {RULE_BODY} | ({RULE_LINES} if body.lines else set()) | ({RULE_MEDIA} if raw else set())
        return [
            make_field(
                self.context,
                source=FieldSource(FieldKind.BODY, "" if is_first and not raw else name),
                name=name,
                json_name="",
                shape=shape,
                required=body.required,
                role=JsonRole.BODY,
                places=body.places,
                rules=tuple(rules),
                carried=body.carried,
            )
        ]

    def add_global_parameters(self) -> None:
        """Declare the message of the global parameters, if any operation has some."""
        if not self.global_parameters:
            return
        fields = []
        for name, nodes in sorted(self.global_parameters.items()):
            node = nodes[0]
            words = choose_field_name(name, node)
            fields.append(
                make_field(
                    self.context,
                    source=FieldSource.for_parameter(name),
                    name=words,
                    json_name=name,
                    shape=parameters.shape(self.context, nodes, _GLOBAL_HINT.property(name, words)),
                    required=False,
                    role=JsonRole.PARAMETER,
                    places=tuple(dict.fromkeys(item.place for item in nodes)),
                    rules=(RULE_GLOBAL,),
                    deprecated=self.context.version.get_deprecation(node),
                    encoding=parameters.describe_encoding(nodes),
                )
            )
        place = fields[0].places[0]
        self.context.namer.claim(_GLOBAL_HINT, place)
        self.context.add_message(
            Message(GLOBAL, _GLOBAL_HINT.source, JsonForm.OBJECT, tuple(fields), place, (RULE_GLOBAL,))
        )


def _hint(group: str, number: int) -> NameHint:
    """What the first or a later body of a group's requests is called."""
    suffix = "" if number == 1 else str(number)
    return NameHint(
        SchemaSource.for_operation(group, f"body{suffix}"), f"{derive_message_name(group)}RequestBody{suffix}"
    )


def body_hints(context: ConversionContext, groups: dict[str, list[Operation]]) -> dict[str, NameHint]:
    """What the bodies of all requests and answers are called, by the pointers of their schemas."""
    found: dict[str, NameHint] = {}
    for group, forms in groups.items():
        for number, body in enumerate(bodies.requests(context, forms), start=1):
            for place in body.places:
                found.setdefault(place.pointer, _hint(group, number).titled(body.schema))
        listed = bodies.answers(context, forms)
        for at, body in enumerate(listed):
            for place in body.places:
                found.setdefault(place.pointer, body_hint(context, group, len(listed), at).titled(body.schema))
    return found


def own_names(groups: dict[str, list[Operation]], choices: Conversion) -> set[str]:
    """The message names that operations need for themselves: requests, wrapped responses, inline bodies."""
    names = {request_name(group) for group in groups}
    names |= {f"{derive_message_name(group)}Response" for group in groups if choices.responses == "wrapped"}
    for group, forms in groups.items():
        bodies = [form.body for form in forms if form.body is not None]
        if any("$ref" not in media["schema"] for body in bodies for media in body["content"].values()):
            names.add(f"{derive_message_name(group)}RequestBody")
    return names
