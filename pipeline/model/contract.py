"""Define the contract: the messages, enums and rpcs that a specification becomes, with their places in it.

The passes of `preprocess` build and number the contract. The canonical spec, the binding, the report and `explain` read
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from pipeline.model.diagnostics import NOWHERE, Place
from pipeline.model.json_encoding import PLAIN, JsonEncoding
from pipeline.model.source import FieldSource, SchemaSource, format_value_source

SCALARS = frozenset({"double", "float", "bool", "string", "bytes"}).union(
    f"{kind}{bits}" for kind in ("int", "uint", "sint", "fixed", "sfixed") for bits in (32, 64)
)
"""The scalar types of protobuf."""


def extract_reason(deprecated: str) -> str:
    """Return the first line of a deprecation, which the lock records; further lines quote the specification."""
    return deprecated.partition("\n")[0]


class Label(StrEnum):
    """The label of a field (protobuf guide, field labels); `singular` has no presence."""

    SINGULAR = "singular"
    OPTIONAL = "optional"
    REPEATED = "repeated"
    MAP = "map"


class JsonRole(StrEnum):
    """The role of a field in the JSON of its message."""

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
    """The form of a message in JSON."""

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


class Rule(str):
    """The id of a conversion rule, which is also the name of its page in `rules/catalogue`.

    Each id is one module-level constant, `RULE_ALL_OF = Rule("all-of")`, in the module that owns the rule. A rule on a
    field, message, enum or rpc says what led to it. It explains; no code decides by it.
    """

    __slots__ = ()


class CarriedBody(NamedTuple):
    """A body that a field carries: its HTTP form, status (empty for a request) and media type."""

    method: str
    path: str
    status: str
    media_type: str


class HttpBinding(NamedTuple):
    """One HTTP form of an operation.

    Attributes:
        method: the method in capitals.
        path: the path template, with the names of the API's parameters.
        request_types: the media types of its body.
        responses: status and media type of each response; an empty media type if it has no body.
        is_superseded: whether another form is the newer way to call the same operation.
    """

    method: str
    path: str
    request_types: tuple[str, ...] = ()
    responses: tuple[tuple[str, str], ...] = ()
    is_superseded: bool = False


class HttpRule(NamedTuple):
    """The call of an rpc through one HTTP form, in the terms of `google.api.HttpRule`.

    Attributes:
        template: the path template, with the names of request fields as variables.
        body: the request field that is the body; `*` for the request itself, empty for none.
        response_body: the response field that is the body; empty for the response itself.
    """

    method: str
    template: str
    body: str = ""
    response_body: str = ""


class Field(NamedTuple):
    """One field of a message.

    Attributes:
        source: what the field stands for; stable across versions of the specification.
        type: a scalar of SCALARS, or the name of a message or enum of this contract.
        label: the label; a map has string keys.
        json_name: its key in JSON, or the name of the parameter; empty if it has none.
        json_option: its `json_name` option in the proto; empty for the default of ProtoJSON.
        needs_key_comment: whether a comment gives its key, because neither name nor option do.
        encoding: how its JSON, or the string of a parameter, differs from the plain case.
        places: its places in the specification; the first is the property that decides.
        rules: the conversion rules that led to it, sorted.
        deprecated: why it is deprecated, empty if it is not; see `extract_reason`.
        carried: the bodies of a field that is the body of a request or response.
        options: field options of the proto, as names and literals.
        number: the field number; 0 before it is assigned.
        constraints: protovalidate options, as names and literals, if the profile wants them.
        is_retained: whether only the lock has the field, and no longer the specification.
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
    needs_key_comment: bool = False
    encoding: JsonEncoding = PLAIN
    places: tuple[Place, ...] = ()
    rules: tuple[Rule, ...] = ()
    deprecated: str = ""
    options: tuple[tuple[str, str], ...] = ()
    number: int = 0
    carried: tuple[CarriedBody, ...] = ()
    constraints: tuple[tuple[str, str], ...] = ()
    is_retained: bool = False
    is_widened: bool = False
    in_property_oneof: bool = False

    @property
    def is_scalar(self) -> bool:
        """Whether the type is a scalar of protobuf."""
        return self.type in SCALARS


class Exclusion(NamedTuple):
    """A place in the specification that gets no field; `is_unreleased` if a later version of the API has it."""

    place: Place
    rule: Rule
    reason: str
    is_unreleased: bool = False


class Message(NamedTuple):
    """One message.

    Attributes:
        name: the name within the package; `Outer.Inner` for a nested message.
        schema: the schema it stands for; stable across versions of the specification.
        fields: its fields, in the order of their numbers once these are assigned.
        reserved: the numbers and names that may never be used again.
        description: the description in the specification, for `comments: full`.
        excluded: the sources that a rule excludes.
        constraints: statements with protovalidate options, if the profile wants them.
        required_oneofs: the oneofs of which one member must be set.
        is_retained: whether only the lock has the message, and no longer the specification.
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
    excluded: tuple[tuple[FieldSource, Exclusion], ...] = ()
    file: str = ""
    constraints: tuple[str, ...] = ()
    required_oneofs: tuple[str, ...] = ()
    is_retained: bool = False

    @property
    def has_inline_body(self) -> bool:
        """Whether the properties of a request's body are fields of the request itself."""
        return any(item.role not in _BESIDE_INLINE_BODY and not item.is_retained for item in self.fields)

    def map_bodies(self, role: JsonRole, form: HttpBinding) -> dict[tuple[str, str], str]:
        """Return the fields that carry the bodies of one HTTP form as `role`: field names by status and media type."""
        return {
            (body.status, body.media_type): item.name
            for item in self.fields
            if item.role is role
            for body in item.carried
            if (body.method, body.path) == (form.method, form.path)
        }

    def order_fields(self) -> list[Field]:
        """Return the fields in the order of the proto: by number, a oneof at the number of its first member."""
        groups: dict[object, list[Field]] = {}
        for item in sorted(self.fields, key=lambda item: item.number):
            groups.setdefault(item.number if item.oneof is None else item.oneof, []).append(item)
        return [item for members in groups.values() for item in members]


class EnumValue(NamedTuple):
    """One value of an enum, with the JSON strings that stand for it; the first one is written."""

    name: str
    json: tuple[str | None, ...] = ()
    place: Place = NOWHERE
    deprecated: str = ""
    number: int = 0

    @property
    def source(self) -> str:
        """What ties the value to the specification; stable across its versions."""
        return format_value_source(self.json[0]) if self.json else ""


class Enum(NamedTuple):
    """One enum; its value 0 is `…_UNSPECIFIED` and stands for no JSON string."""

    name: str
    schema: SchemaSource
    values: tuple[EnumValue, ...] = ()
    place: Place = NOWHERE
    rules: tuple[Rule, ...] = ()
    reserved: tuple[tuple[int, str], ...] = ()
    deprecated: str = ""
    description: str = ""
    file: str = ""


class Rpc(NamedTuple):
    """One rpc: all HTTP forms of one operation group.

    Attributes:
        bindings: its HTTP forms in the specification.
        places: the places of these forms.
        http: its rules for `google.api.http`, the main one first; empty if the profile wants none.
        unmapped_forms: method and path of each form that has no such rule.
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
    unmapped_forms: tuple[tuple[str, str], ...] = ()
    rules: tuple[Rule, ...] = ()
    deprecated: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Contract:
    """Everything that one specification becomes under one profile."""

    messages: dict[str, Message]
    enums: dict[str, Enum]
    rpcs: tuple[Rpc, ...]
    exclusions: tuple[Exclusion, ...] = ()
