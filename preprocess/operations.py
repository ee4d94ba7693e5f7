"""Operations: all HTTP forms of an operation group become one rpc.

The request has a field for each path and query parameter of all its forms, one `global_params`, and one for the body,
named after its schema. Sources: OpenAPI 3.1.0, sections 4.8.10 to 4.8.17; AIP-130 to AIP-136 for what rpcs are.
"""

from __future__ import annotations

from dataclasses import replace

from pipeline.model.contract import Field, JsonForm, JsonRole, Label, Message
from pipeline.model.findings import Failure, Finding
from pipeline.model.located import Mapping
from pipeline.model.profile import Conversion
from preprocess import objects
from preprocess.convert import Converter
from preprocess.forms import Body, merge_bodies
from preprocess.scope import Operation, is_success
from preprocess.shapes import Hint, Kind, Shape
from preprocess.texts import message_name, snake

GLOBAL = "GlobalParams"
RULE_TRANSPORT = "transport-parameter"
_TRANSPORT_HEADERS = {"accept", "content-type", "authorization"}


def request_name(group: str) -> str:
    """The request message of a group: `ml.predict_model_stream` → `MlPredictModelStreamRequest`."""
    return f"{message_name(group)}Request"


class Requests:
    """Makes the request and response messages of operation groups."""

    def __init__(self, converter: Converter) -> None:
        """Hold the converter, which keeps the messages."""
        self.converter = converter
        self.global_parameters: dict[str, list[Mapping]] = {}

    def reserve(self, groups: dict[str, list[Operation]]) -> None:
        """Claim the names of all requests and wrapped responses before any schema, whatever its title, can have one."""
        for group, forms in groups.items():
            place = forms[0].node.place
            self.converter.namer.claim(Hint(f"operation:{group}", request_name(group)), place)
            if self.converter.choices.responses == "wrapped":
                self.converter.namer.claim(_wrapper(group), place)

    def request(self, group: str, forms: list[Operation]) -> str:
        """Declare the request message of a group.

        Returns:
            Its name.

        Raises:
            Failure: `operations/parameter-conflict`, `names/…`.
        """
        source = f"operation:{group}"
        place = forms[0].node.place
        name = self.converter.namer.claim(Hint(source, request_name(group)), place)
        fields = self._parameters(group, forms)
        names = {item.name for item in fields}
        bodies = self._bodies(group, forms)
        fields += [replace(item, name=f"{item.name}_body") if item.name in names else item for item in bodies]
        if any(item.get("x-global") and not of_transport(item) for form in forms for item in form.parameters):
            fields.append(
                Field(
                    source="global:",
                    name="global_params",
                    type=GLOBAL,
                    label=Label.OPTIONAL,
                    role=JsonRole.GLOBAL,
                    places=(place,),
                    rules=("global-parameters",),
                )
            )
        sources = {item.source for item in fields}
        excluded = dict.fromkeys(item for form in forms for item in form.excluded if item[0] not in sources)
        message = Message(name, source, JsonForm.REQUEST, tuple(fields), place, ("request-message",))
        self.converter.add(replace(message, excluded=tuple(excluded)))
        return name

    def _parameters(self, group: str, forms: list[Operation]) -> list[Field]:
        found: dict[str, list[Mapping]] = {}
        for form in forms:
            for node in form.parameters:
                if of_transport(node):
                    reason = f"{node['in']} `{node['name']}` belongs to the HTTP request"
                    self.converter.exclude(node.place, RULE_TRANSPORT, reason)
                elif node.get("x-global"):
                    self.global_parameters.setdefault(str(node["name"]), []).append(node)
                else:
                    found.setdefault(str(node["name"]), []).append(node)
        return [
            self._parameter(group, name, suffix, nodes, forms)
            for name, listed in sorted(found.items())
            for suffix, nodes in _apart(name, listed, forms)
        ]

    def _parameter(self, group: str, name: str, suffix: str, nodes: list[Mapping], forms: list[Operation]) -> Field:
        words = self.converter.field_name(name, nodes[0]) + suffix
        hint = Hint(f"operation:{group}", message_name(group)).property(name, words)
        shapes = [(self.converter.shape(node["schema"], hint, node.place), node) for node in nodes]
        shape = _widest([found for found, _ in shapes])
        if shape is None:
            kinds = sorted({f"{found.kind} {found.name}".strip() for found, _ in shapes})
            message = f"parameter `{name}` of `{group}` is {' in one form and '.join(kinds)} in another"
            hint_text = "exclude one with `x-protobuf-excluded` in an overlay"
            raise Failure(Finding("operations/parameter-conflict", message, nodes[-1].place, hint_text))
        own = {id(node) for node in nodes}
        everywhere = all(any(id(node) in own for node in form.parameters) for form in forms)
        return self.converter.fields.make(
            source=f"parameter:{name}{suffix.replace('_', '@')}",
            name=words,
            json_name=name,
            shape=shape,
            required=everywhere and all(node.get("required") is True for node in nodes),
            role=JsonRole.PARAMETER,
            json_options=("header",) if all(node.get("in") == "header" for node in nodes) else (),
            places=tuple(dict.fromkeys(node.place for node in nodes)),
            rules=("request-message",),
            deprecated=self.converter.deprecation(nodes[0]),
        )

    def _bodies(self, group: str, forms: list[Operation]) -> list[Field]:
        bodies = list(merge_bodies(form.body for form in forms))
        base = message_name(group) + "RequestBody"
        fields: list[Field] = []
        for number, body in enumerate(bodies, start=1):
            suffix = "" if number == 1 else str(number)
            taken = {item.name for item in fields}
            for item in self._body(group, body, Hint(f"operation:{group}:body{suffix}", base + suffix)):
                if item.role is JsonRole.BODY and item.name in taken:
                    fields.append(replace(item, name=f"{item.name}_{number}", source=f"{item.source}_{number}"))
                else:
                    fields.append(item)
        return fields

    def _body(self, group: str, body: Body, hint: Hint) -> list[Field]:
        schema = body.schema
        if schema.get("x-proto-inline") is True:
            name = request_name(group)
            filled = objects.fill(self.converter, schema, Hint(f"operation:{group}", name), name)
            return [replace(item, rules=tuple(sorted({*item.rules, "inline-body"}))) for item in filled.fields]
        shape = self.converter.shape(schema, hint.titled(schema))
        form = JsonForm.LINES if body.lines else None
        element = shape.inner if shape.kind is Kind.ARRAY else shape
        if form and element.kind is Kind.MESSAGE:
            self.converter.lines.add(element.name)
        name = snake(element.name) if element.kind is Kind.MESSAGE else "body"
        rules = ("body-field", "lines") if form else ("body-field",)
        return [
            self.converter.fields.make(
                source="body:" if hint.source.endswith("body") else f"body:{name}",
                name=name,
                json_name="",
                shape=shape,
                required=body.required,
                role=JsonRole.BODY,
                places=body.places,
                rules=rules,
            )
        ]

    def response(self, group: str, forms: list[Operation]) -> str:
        """Declare the response message of a group: the body's own, or one around it.

        Returns:
            Its name.
        """
        source = f"operation:{group}:response"
        words = f"{message_name(group)}Response"
        contents = list(
            merge_bodies(
                node for form in forms for status, node in sorted(form.responses.items()) if is_success(status)
            )
        )
        direct = self.converter.choices.responses == "direct"
        hint = Hint(source, words if direct and len(contents) == 1 else f"{words}Body")
        shapes = [
            (self.converter.shape(item.schema, _numbered(hint, number).titled(item.schema)), item)
            for number, item in enumerate(contents)
        ]
        if direct and len(shapes) == 1 and shapes[0][0].kind is Kind.MESSAGE:
            return shapes[0][0].name
        name = self.converter.namer.claim(_wrapper(group), forms[0].node.place)
        fields: dict[str, Field] = {}
        for number, (shape, item) in enumerate(shapes):
            made = self._content(shape, item, "content" if len(shapes) > 1 else None)
            made = replace(made, name=f"{made.name}_{number + 1}") if made.name in fields else made
            fields[made.name] = made
        listed = tuple(fields.values())
        place = forms[0].node.place
        self.converter.add(Message(name, f"{source}:message", JsonForm.RESPONSE, listed, place, ("response-wrapped",)))
        return name

    def _content(self, shape: Shape, item: Body, oneof: str | None) -> Field:
        element = shape.inner if shape.kind in {Kind.ARRAY, Kind.MAP} else shape
        name = snake(element.name) if element.kind in {Kind.MESSAGE, Kind.ENUM} else "content"
        return self.converter.fields.make(
            source=f"content:{name}",
            name=name,
            json_name="",
            shape=shape,
            required=False,
            role=JsonRole.CONTENT,
            oneof=oneof,
            places=item.places,
            rules=("response-wrapped",),
        )

    def finish(self) -> None:
        """Declare the message of the global parameters, if any operation has some."""
        if not self.global_parameters:
            return
        fields = []
        for name, nodes in sorted(self.global_parameters.items()):
            node = nodes[0]
            words = self.converter.field_name(name, node)
            fields.append(
                self.converter.fields.make(
                    source=f"parameter:{name}",
                    name=words,
                    json_name=name,
                    shape=self.converter.shape(
                        node["schema"], Hint("global:", GLOBAL).property(name, words), node.place
                    ),
                    required=False,
                    role=JsonRole.PARAMETER,
                    places=tuple(dict.fromkeys(item.place for item in nodes)),
                    rules=("global-parameters",),
                    deprecated=self.converter.deprecation(node),
                )
            )
        place = fields[0].places[0]
        self.converter.namer.claim(Hint("global:", GLOBAL), place)
        self.converter.add(Message(GLOBAL, "global:", JsonForm.OBJECT, tuple(fields), place, ("global-parameters",)))


def _wrapper(group: str) -> Hint:
    """What the message around the answers of a group is called."""
    words = f"{message_name(group)}Response"
    return Hint(f"operation:{group}:response:message", words, f"{words}Message")


def own_names(groups: dict[str, list[Operation]], choices: Conversion) -> set[str]:
    """The message names that operations need for themselves: requests, wrapped responses, inline bodies."""
    names = {request_name(group) for group in groups}
    names |= {f"{message_name(group)}Response" for group in groups if choices.responses == "wrapped"}
    for group, forms in groups.items():
        bodies = [form.body for form in forms if form.body is not None]
        if any("$ref" not in media["schema"] for body in bodies for media in body["content"].values()):
            names.add(f"{message_name(group)}RequestBody")
    return names


def of_transport(node: Mapping) -> bool:
    """Whether a parameter is a cookie, or a header that says how bodies are written or who asks.

    OpenAPI 3.1.0, section 4.8.12, has tools ignore such headers; over gRPC they are metadata.
    """
    header = node.get("in") == "header" and str(node["name"]).lower() in _TRANSPORT_HEADERS
    return header or node.get("in") == "cookie"


def _apart(name: str, nodes: list[Mapping], forms: list[Operation]) -> list[tuple[str, list[Mapping]]]:
    """The parameters of one name, by the suffix of their field: one field, unless one form takes two of them."""
    twice = any(sum(node.get("name") == name for node in form.parameters) > 1 for form in forms)
    if not twice:
        return [("", nodes)]
    found: dict[str, list[Mapping]] = {}
    for node in nodes:
        found.setdefault(str(node.get("in")), []).append(node)
    first = "path" if "path" in found else min(found)
    return [
        ("" if where == first else f"_{where}", found[where])
        for where in sorted(found, key=lambda item: (item != first, item))
    ]


def _numbered(hint: Hint, number: int) -> Hint:
    suffix = str(number + 1) if number else ""
    return Hint(hint.source + suffix, hint.name + suffix)


def _widest(shapes: list[Shape]) -> Shape | None:
    """The one shape that takes the values of all; a list takes its items, too."""
    first = shapes[0]
    if all(found == first for found in shapes):
        return first
    many = next((found for found in shapes if found.kind is Kind.ARRAY), None)
    if many is not None and all(found in (many, many.inner) for found in shapes):
        return replace(many, single=True)
    return None
