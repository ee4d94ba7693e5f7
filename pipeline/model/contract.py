"""The protobuf contract that a spec becomes: messages, enums and rpcs, with where each comes from.

Preprocess passes build it, numbers included; the canonical spec, the binding, the report and `explain` read it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from pipeline.model.diagnostics import NOWHERE, Place
from pipeline.model.json_encoding import PLAIN, JsonEncoding
from pipeline.model.rule import Rule
from pipeline.model.source import FieldSource, SchemaSource, format_value_source

SCALARS = frozenset(
    [
        "double",
        "float",
        "int32",
        "int64",
        "uint32",
        "uint64",
        "sint32",
        "sint64",
        "fixed32",
        "fixed64",
        "sfixed32",
        "sfixed64",
        "bool",
        "string",
        "bytes",
    ]
)


def extract_reason(deprecated: str) -> str:
    """Why something is deprecated, in our words: the first line. Further lines are the spec's, which no lock keeps."""
    return deprecated.partition("\n")[0]


class Label(StrEnum):
    """How often a field may stand (protobuf guide, field labels; `singular` has no presence)."""

    SINGULAR = "singular"
    OPTIONAL = "optional"
    REPEATED = "repeated"
    MAP = "map"


class JsonRole(StrEnum):
    """What a field is in the JSON of its message."""

    PROPERTY = "property"
    VARIANT = "variant"
    SPREAD = "spread"
    REST = "rest"
    KEY = "key"
    VALUE = "value"
    ITEM = "item"
    ITEMS = "items"
    ENTRIES = "entries"
    PARAMETER = "parameter"
    GLOBAL = "global"
    BODY = "body"
    CONTENT = "content"
    EXISTS = "exists"


_BESIDE_INLINE_BODY = {JsonRole.PARAMETER, JsonRole.GLOBAL, JsonRole.BODY}


class JsonForm(StrEnum):
    """What a message is in JSON."""

    OBJECT = "object"
    UNION = "union"
    ARRAY = "array"
    TUPLE = "tuple"
    MAP = "map"
    ENTRY = "entry"
    LINES = "lines"
    ANY = "any"
    NUMBER = "number"
    REQUEST = "request"
    RESPONSE = "response"


class Carried(NamedTuple):
    """A body that a field carries: in which HTTP form, with which status (empty for a request), of which media type."""

    method: str
    path: str
    status: str
    media_type: str


class Field(NamedTuple):
    """One field of a message.

    Attributes:
        source: what it stands for in the schema; stable across versions of the spec.
        name: the field's name in the proto.
        type: a scalar of SCALARS, or the name of a message or enum of this contract.
        label: how often it may stand; a map has string keys.
        oneof: the oneof it belongs to, or None.
        role: what it is in JSON.
        json_name: its key in JSON, the parameter's name, or empty where it has none.
        json_option: its `json_name` option in the proto, empty where ProtoJSON's own name for it stands.
        json_told: whether a comment has to tell its key, as neither name nor option do.
        encoding: how its JSON, or the string of a parameter, differs from the plain case.
        places: where in the spec it comes from; the first is the property that won.
        rules: ids of the conversion rules that made it what it is, sorted.
        deprecated: why it is deprecated, empty where it is not; see `extract_reason`.
        carried: the bodies that it stands for, of a field that is the body of a request or an answer.
        options: field options as they stand in the proto, name and value.
        number: the field number; 0 before numbers are given.
        constraints: options of protovalidate, name and literal, where the profile wants them.
        is_retained: whether only the lock still has it, and no longer the specification.
        is_widened: whether it is a parameter that takes the values of several types.
        in_property_oneof: whether its oneof stands for `maxProperties: 1` of the schema that declares it.
    """

    source: FieldSource
    name: str
    type: str
    label: Label
    role: JsonRole = JsonRole.PROPERTY
    oneof: str | None = None
    json_name: str = ""
    json_option: str = ""
    json_told: bool = False
    encoding: JsonEncoding = PLAIN
    places: tuple[Place, ...] = ()
    rules: tuple[Rule, ...] = ()
    deprecated: str = ""
    options: tuple[tuple[str, str], ...] = ()
    number: int = 0
    carried: tuple[Carried, ...] = ()
    constraints: tuple[tuple[str, str], ...] = ()
    is_retained: bool = False
    is_widened: bool = False
    in_property_oneof: bool = False

    @property
    def is_scalar(self) -> bool:
        """Whether the type is one of protobuf's own."""
        return self.type in SCALARS


class Message(NamedTuple):
    """One message.

    Attributes:
        name: its name within the package; a nested one is `Outer.Inner`.
        schema: the schema it stands for; stable across versions of the spec.
        form: what it is in JSON.
        fields: in the order of their numbers once given.
        reserved: numbers and names that may never be used again.
        deprecated: why it is deprecated, empty where it is not.
        description: the spec's prose, for `comments: full`.
        excluded: sources in the schema that a rule left out, each with the rule and the reason.
        file: the proto file it stands in.
        constraints: statements with options of protovalidate, where the profile wants them.
        required_oneofs: the oneofs of which a member must be set, as above.
        is_retained: whether only the lock still has it, and no longer the specification.
    """

    name: str
    schema: SchemaSource
    form: JsonForm
    fields: tuple[Field, ...] = ()
    place: Place = NOWHERE
    rules: tuple[Rule, ...] = ()
    reserved: tuple[tuple[int, str], ...] = ()
    deprecated: str = ""
    description: str = ""
    excluded: tuple[tuple[FieldSource, Rule, str], ...] = ()
    file: str = ""
    constraints: tuple[str, ...] = ()
    required_oneofs: tuple[str, ...] = ()
    is_retained: bool = False

    @property
    def has_inline_body(self) -> bool:
        """Whether this is a request that is its own body: it has the body's properties as fields."""
        return any(item.role not in _BESIDE_INLINE_BODY and not item.is_retained for item in self.fields)

    def order_fields(self) -> list[Field]:
        """Return the fields in the order of the proto: by number, a oneof where its first member stands."""
        groups: dict[object, list[Field]] = {}
        for item in sorted(self.fields, key=lambda item: item.number):
            groups.setdefault(item.number if item.oneof is None else item.oneof, []).append(item)
        return [item for members in groups.values() for item in members]

    def with_fields(self, fields: tuple[Field, ...]) -> Message:
        """The same message with other fields."""
        return self._replace(fields=fields)


class EnumValue(NamedTuple):
    """One value of an enum: its name, its number, and the JSON texts that stand for it (the first is written)."""

    name: str
    json: tuple[str | None, ...] = ()
    place: Place = NOWHERE
    deprecated: str = ""
    number: int = 0

    @property
    def source(self) -> str:
        """What ties the value to the spec, stable from spec to spec."""
        if not self.json:
            return ""
        return format_value_source(self.json[0])


class Enum(NamedTuple):
    """One enum; the value of number 0 is `…_UNSPECIFIED` and stands for nothing in JSON."""

    name: str
    schema: SchemaSource
    values: tuple[EnumValue, ...] = ()
    place: Place = NOWHERE
    rules: tuple[Rule, ...] = ()
    reserved: tuple[tuple[int, str], ...] = ()
    deprecated: str = ""
    description: str = ""
    file: str = ""


class HttpBinding(NamedTuple):
    """One HTTP form of an operation.

    Attributes:
        method: in capitals.
        path: with the parameters as the API names them.
        request_types: the media types of its body.
        responses: status and media type of each answer, empty where it has no body.
        superseded: whether another form is the newer way to call the same.
    """

    method: str
    path: str
    request_types: tuple[str, ...] = ()
    responses: tuple[tuple[str, str], ...] = ()
    superseded: bool = False


def map_bodies(message: Message, role: JsonRole, form: HttpBinding) -> dict[tuple[str, str], str]:
    """Return the fields that carry the bodies of one HTTP form, by status and media type.

    Args:
        message: a request or a response.
        role: `body` or `content`.
        form: the HTTP form.
    """
    return {
        (body.status, body.media_type): item.name
        for item in message.fields
        if item.role is role
        for body in item.carried
        if (body.method, body.path) == (form.method, form.path)
    }


class HttpRule(NamedTuple):
    """How one HTTP form becomes a call of an rpc, in the terms of `google.api.HttpRule`.

    Attributes:
        method: in capitals.
        template: the path, with the names of request fields as variables.
        body: the request field that the body is, `*` for the request itself, empty for none.
        response_body: the response field that the answer is, empty for the response itself.
    """

    method: str
    template: str
    body: str = ""
    response_body: str = ""


class Rpc(NamedTuple):
    """One rpc: an operation group, all its HTTP forms together.

    Attributes:
        bindings: its HTTP forms, as the spec has them.
        places: where each of these stands.
        http: how `google.api.http` gives them, the main one first; empty where the profile wants none.
        left_out: method and path of each form that it cannot give.
    """

    service: str
    name: str
    group: str
    request: str
    response: str
    server_streaming: bool = False
    bindings: tuple[HttpBinding, ...] = ()
    places: tuple[Place, ...] = ()
    http: tuple[HttpRule, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    rules: tuple[Rule, ...] = ()
    deprecated: str = ""
    description: str = ""


class Exclusion(NamedTuple):
    """Something in the spec that gets no field: where, by which rule, and why in a few words."""

    place: Place
    rule: Rule
    reason: str


@dataclass(frozen=True, slots=True)
class Contract:
    """Everything that one spec becomes under one profile."""

    messages: dict[str, Message]
    enums: dict[str, Enum]
    rpcs: tuple[Rpc, ...]
    exclusions: tuple[Exclusion, ...] = ()
