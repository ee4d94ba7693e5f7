"""Declare the request messages: all HTTP forms of an operation group become one rpc with one request.

The request has a field for each path and query parameter of its forms, and one for the body. The parameters that all
operations share are in `global_params`.
Sources: OpenAPI 3.1.0, sections 4.8.10 to 4.8.17; AIP-130 to AIP-136 for what rpcs are.
"""

from __future__ import annotations

from pipeline.model.contract import Field, JsonForm, JsonRole, Label, Message, Rule
from pipeline.model.diagnostics import Place
from pipeline.model.document.located import LocatedMap
from pipeline.model.identifiers import derive_message_name, format_snake
from pipeline.model.profile.profile import Conversion
from pipeline.model.source import FieldKind, FieldSource, SchemaKind, SchemaSource
from preprocess.document.scope import Operation
from preprocess.naming.hints import NameHint
from preprocess.operations import bodies, parameters
from preprocess.operations.responses import derive_body_hint, derive_wrapper_hint
from preprocess.schema.context import Context
from preprocess.schema.fields import make_field
from preprocess.schema.objects import fill_object
from preprocess.schema.shapes import Kind

RULE_BODY = Rule("body-field")
RULE_GLOBAL = Rule("global-parameters")
RULE_INLINE_BODY = Rule("inline-body")
RULE_LINES = Rule("lines")
GLOBAL = "GlobalParams"
_GLOBAL_HINT = NameHint(SchemaSource(SchemaKind.GLOBAL), GLOBAL)


class Requests:
    """Declares the request messages of operation groups, and collects the global parameters among them."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.global_parameters: dict[str, list[LocatedMap]] = {}

    def reserve_names(self, groups: dict[str, list[Operation]]) -> None:
        """Claim the names of all requests and wrapped responses before a schema can claim one by its title."""
        for group, forms in groups.items():
            place = forms[0].node.place
            self.context.namer.claim(_derive_request_hint(group), place)
            if self.context.options.responses == "wrapped":
                self.context.namer.claim(derive_wrapper_hint(group), place)

    def declare_request(self, group: str, forms: list[Operation]) -> str:
        """Declare the request message of an operation group and return its name."""
        hint, place = _derive_request_hint(group), forms[0].node.place
        name = self.context.namer.claim(hint, place)
        fields = parameters.make_group_fields(self.context, group, forms)
        self._exclude_transport_parameters(forms)
        names = {field.name for field in fields}
        fields += [
            field._replace(name=f"{field.name}_body") if field.name in names else field
            for field in self._make_body_fields(group, forms)
        ]
        if self._collect_global_parameters(forms):
            fields.append(_make_global_field(place))
        sources = {field.source for field in fields}
        excluded = dict.fromkeys(entry for form in forms for entry in form.excluded if entry[0] not in sources)
        message = Message(name, hint.source, JsonForm.REQUEST, tuple(fields), place, (parameters.RULE_REQUEST,))
        self.context.add_message(message._replace(excluded=tuple(excluded)))
        return name

    def _exclude_transport_parameters(self, forms: list[Operation]) -> None:
        for form in forms:
            for node in form.parameters:
                if parameters.is_transport(node):
                    reason = f"{node['in']} `{node['name']}` belongs to the HTTP request"
                    self.context.exclude(node.place, parameters.RULE_TRANSPORT, reason)

    def _collect_global_parameters(self, forms: list[Operation]) -> bool:
        """Collect the parameters that all operations share; return whether these HTTP forms have any."""
        nodes = [node for form in forms for node in form.parameters if node.get("x-global")]
        nodes = [node for node in nodes if not parameters.is_transport(node)]
        for node in nodes:
            self.global_parameters.setdefault(str(node["name"]), []).append(node)
        return bool(nodes)

    def _make_body_fields(self, group: str, forms: list[Operation]) -> list[Field]:
        """Return the fields for the distinct bodies of a group; a second field of the same name gets a number."""
        fields: list[Field] = []
        for number, body in enumerate(bodies.collect_request_bodies(self.context, forms), start=1):
            names = {field.name for field in fields}
            if body.schema.get("x-proto-inline") is True:
                fields += self._make_inline_fields(group, body.schema)
                continue
            field = self._make_body_field(body, _derive_body_hint(group, number), is_first=number == 1)
            if field.name in names:
                field = field._replace(name=f"{field.name}_{number}", source=field.source.add_number(number))
            fields.append(field)
        return fields

    def _make_inline_fields(self, group: str, schema: LocatedMap) -> list[Field]:
        hint = _derive_request_hint(group)
        filled = fill_object(self.context, schema, hint, Message(hint.name, hint.source, JsonForm.REQUEST))
        return [field._replace(rules=tuple(sorted({*field.rules, RULE_INLINE_BODY}))) for field in filled.fields]

    def _make_body_field(self, body: bodies.Body, hint: NameHint, *, is_first: bool) -> Field:
        """Return the field for one body, named after its message; NDJSON lines get marked as such."""
        shape = self.context.convert_schema(body.schema, hint.titled(body.schema))
        element = shape.inner if shape.kind is Kind.ARRAY else shape
        is_message, is_lines = element.kind is Kind.MESSAGE, body.kind is bodies.BodyKind.LINES
        if is_lines and is_message:
            self.context.line_messages.add(element.name)
        fixed_name = bodies.FIELD_NAMES.get(body.kind)
        name = fixed_name or (format_snake(element.name) if is_message else "body")
        return make_field(
            self.context,
            source=FieldSource(FieldKind.BODY, "" if is_first and not fixed_name else name),
            name=name,
            shape=shape,
            required=body.required,
            role=JsonRole.BODY,
            places=body.places,
            rules=(RULE_BODY, *((RULE_LINES,) if is_lines else ()), *((bodies.RULE_MEDIA,) if fixed_name else ())),
            carried=body.carried,
        )

    def add_global_parameters(self) -> None:
        """Declare the message of the global parameters if an operation has any."""
        if not self.global_parameters:
            return
        fields = tuple(
            parameters.make_parameter_field(self.context, nodes, _GLOBAL_HINT, rules=(RULE_GLOBAL,))
            for _, nodes in sorted(self.global_parameters.items())
        )
        place = fields[0].places[0]
        self.context.namer.claim(_GLOBAL_HINT, place)
        self.context.add_message(Message(GLOBAL, _GLOBAL_HINT.source, JsonForm.OBJECT, fields, place, (RULE_GLOBAL,)))


def _make_global_field(place: Place) -> Field:
    source = FieldSource(FieldKind.GLOBAL)
    field = Field(source, "global_params", GLOBAL, Label.OPTIONAL, JsonRole.GLOBAL)
    return field._replace(places=(place,), rules=(RULE_GLOBAL,))


def _derive_request_hint(group: str) -> NameHint:
    """Return the hint of a request message: `ml.predict_stream` → `MlPredictStreamRequest`."""
    return NameHint(SchemaSource.for_operation(group), f"{derive_message_name(group)}Request")


def _derive_body_hint(group: str, number: int) -> NameHint:
    suffix = "" if number == 1 else str(number)
    name = f"{derive_message_name(group)}RequestBody{suffix}"
    return NameHint(SchemaSource.for_operation(group, f"body{suffix}"), name)


def collect_body_hints(context: Context, groups: dict[str, list[Operation]]) -> dict[str, NameHint]:
    """Return the hints of all request and response bodies, by the pointers of their schemas."""
    hints: dict[str, NameHint] = {}
    for group, forms in groups.items():
        for number, body in enumerate(bodies.collect_request_bodies(context, forms), start=1):
            for place in body.places:
                hints.setdefault(place.pointer, _derive_body_hint(group, number).titled(body.schema))
        responses = bodies.collect_response_bodies(context, forms)
        for index, body in enumerate(responses):
            for place in body.places:
                hint = derive_body_hint(context, group, len(responses), index)
                hints.setdefault(place.pointer, hint.titled(body.schema))
    return hints


def collect_message_names(groups: dict[str, list[Operation]], options: Conversion) -> set[str]:
    """Return the message names that operations need: requests, wrapped responses, inline bodies."""
    names = {_derive_request_hint(group).name for group in groups}
    names |= {f"{derive_message_name(group)}Response" for group in groups if options.responses == "wrapped"}
    for group, forms in groups.items():
        declared = [form.body for form in forms if form.body is not None]
        if any("$ref" not in media["schema"] for body in declared for media in body["content"].values()):
            names.add(f"{derive_message_name(group)}RequestBody")
    return names
