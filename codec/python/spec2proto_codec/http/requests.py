"""HTTP requests as the request message of an rpc: method, path, query, headers and body."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote

from spec2proto_codec.decode.decoder import Decoder
from spec2proto_codec.decode.forms import get_default
from spec2proto_codec.encode.encoder import Encoder
from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats.json import write_bytes
from spec2proto_codec.http import bodies, parameters
from spec2proto_codec.http.routes import Form, Rpc, strip_parameters
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan
from spec2proto_codec.values import spelling_notes
from spec2proto_codec.values.spelling_notes import Kind, Notes, encode_record

_SAFE_IN_PATH = ",*:@!$&'()+;="
_SAFE_IN_QUERY = ",*:@!$'();/?"
_NO_BODY = object()


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request of the REST API.

    Attributes:
        method: the HTTP method, in capitals.
        path: percent-encoded, without the query.
        query: percent-encoded, without `?`.
        body: the body as a string; None if there is none, or it is binary.
        content_type: the media type of the body.
        headers: the headers that are parameters, by name.
        data: the body as bytes if it is binary, such as CBOR and SMILE.
    """

    method: str
    path: str
    query: str = ""
    body: str | None = None
    content_type: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    data: bytes | None = None

    @property
    def content(self) -> bodies.Body | None:
        """The body; None if there is none, or it is white space."""
        return self.data or (self.body if self.body and not self.body.isspace() else None)


def encode(encoder: Encoder, message: Any, rpc: Rpc, request: HttpRequest) -> None:
    """Put a request into the request message of its rpc.

    The place in an error is a pointer into the body, or `/?name` for a parameter.
    """
    plan = rpc.request
    form, variables = rpc.match(request.method, request.path)
    query = _group_query(request.query)
    pairs = [(name, [string], True) for name, string in variables.items()]
    pairs += [(name, [string], False) for name, string in request.headers.items()]
    records = b""
    present: set[FieldPlan] = set()
    unknown: dict[str, list[str]] = {}
    for name, strings, in_path in pairs:
        item = _find_field(plan, name, in_path=in_path)
        if item is None:
            raise CodecError("the contract has no field for this parameter of the path")
        records += _put_parameter(encoder, message, item, strings, in_path=in_path)
        present.add(item)
    for name, strings in query.items():
        item = _find_field(plan, name, in_path=False)
        if item is not None:
            records += _put_parameter(encoder, message, item, strings, in_path=False)
            present.add(item)
        elif not _put_global(encoder, message, plan, name, strings):
            unknown[name] = strings
    if unknown:
        records += _keep_unknown(encoder, plan, unknown)
    has_body = request.content is not None
    absent = [item for item in _list_bare_parameters(plan) if item not in present]
    absent += [] if has_body else [item for item in plan.fields.values() if _has_bare_body(item)]
    records += b"".join(encode_record(Kind.ABSENT, item.number) for item in absent)
    records += _put_body(encoder, message, rpc, form, request) if has_body else b""
    if rpc.choose_form({*variables, *query}, body=has_body) is not form:
        records += encode_record(Kind.FORM, 0, f"{form.method} {form.template}".encode())
    if records:
        spelling_notes.attach(message, records)


def _group_query(query: str) -> dict[str, list[str]]:
    try:
        pairs = parse_qsl(query, keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise CodecError("the query is no UTF-8") from None
    strings: dict[str, list[str]] = {}
    for name, string in pairs:
        strings.setdefault(name, []).append(string)
    return strings


def _find_field(plan: MessagePlan, name: str, *, in_path: bool) -> FieldPlan | None:
    """Return the field of a parameter; if two have this name, the first is the path parameter."""
    items = plan.parameters.get(name)
    return items[0 if in_path else -1] if items else None


def _put_parameter(encoder: Encoder, message: Any, item: FieldPlan, strings: list[str], *, in_path: bool) -> bytes:
    try:
        return parameters.put(encoder, message, item, strings, in_path=in_path)
    except CodecError as error:
        raise error.add_step(item.key if in_path else f"?{item.key}") from None


def _find_globals(plan: MessagePlan) -> FieldPlan | None:
    """Return the field for the parameters that all operations share."""
    return next((item for item in plan.fields.values() if item.role == "global"), None)


def _put_global(encoder: Encoder, message: Any, plan: MessagePlan, name: str, strings: list[str]) -> bool:
    """Put a parameter that all operations share; return False if there is none of this name."""
    shared = _find_globals(plan)
    item = _find_field(shared.plan, name, in_path=False) if shared is not None else None
    if shared is None or item is None:
        return False
    inner = getattr(message, shared.name)
    inner.SetInParent()
    records = _put_parameter(encoder, inner, item, strings, in_path=False)
    if records:
        spelling_notes.attach(inner, records)
    return True


def _keep_unknown(encoder: Encoder, plan: MessagePlan, unknown: dict[str, list[str]]) -> bytes:
    """Return the note record of parameters that the contract lacks, as `encoder.unknown` demands."""
    if encoder.unknown == "error":
        name = next(iter(unknown))
        rule = plan.excluded.get(f"parameter:{name}")
        reason = f"excluded by rule {rule}" if rule else f"no such parameter in {plan.short}"
        raise CodecError(reason, f"?{name}")
    return encode_record(Kind.KEPT, 0, write_bytes(unknown)) if encoder.unknown == "keep" else b""


def _list_bare_parameters(plan: MessagePlan) -> list[FieldPlan]:
    """Return the parameters whose fields cannot tell an absent value from the default."""
    items = [item for items in plan.parameters.values() for item in items]
    return [item for item in items if not item.has_presence and not item.optional and item.label is Label.ONE]


def _put_body(encoder: Encoder, message: Any, rpc: Rpc, form: Form, request: HttpRequest) -> bytes:
    declared = _get_declared_type(form)
    media_type = strip_parameters(request.content_type) or declared
    item = rpc.find_body_field(form, media_type)
    if item is None and not rpc.request.properties:
        raise CodecError(f"`{rpc.group}` takes no body")
    if bodies.is_json(media_type) and bodies.is_lines(declared):
        media_type = declared
    value, sources = bodies.read(request.content or "", media_type, item, declared)
    if encoder.documents == "json":
        encoder.sources |= sources
    if item is not None:
        records = encoder.put(message, item, value)
    else:
        records = encoder.fill_object(message, rpc.request, value) + encode_record(Kind.EMPTY)
    return records if media_type == declared else records + encode_record(Kind.BODY, 0, media_type.encode())


def _get_declared_type(form: Form) -> str:
    return strip_parameters(form.request_types[0]) if form.request_types else ""


def _has_bare_body(item: FieldPlan) -> bool:
    """Return whether a field is a body and cannot tell an absent value from the default."""
    return item.role == "body" and not item.has_presence and (item.options.required or item.label is Label.ONE)


def decode(decoder: Decoder, message: Any, rpc: Rpc) -> HttpRequest:
    """Return the request that a request message stands for. Raise `CodecError` if it stands for none."""
    plan = rpc.request
    notes = decoder.read_notes(message)
    values = parameters.read_parameters(decoder, message, plan.fields, notes)
    for item in _list_bare_parameters(plan):
        if item.number not in values and (Kind.ABSENT, item.number) not in notes and item.kind != "enum":
            values[item.number] = parameters.get_noted_default(item)
    body = _read_body(decoder, message, plan, notes)
    noted_form = spelling_notes.find_string(notes, Kind.FORM)
    if noted_form:
        form = rpc.find_form(noted_form)
    else:
        form = rpc.choose_form({plan.fields[number].key for number in values}, body=body is not _NO_BODY)
    path = _format_path(plan, form, values, notes)
    headers: dict[str, str] = {}
    pairs: list[tuple[str, str]] = []
    for number, value in values.items():
        item = plan.fields[number]
        strings = parameters.format_parameter(item, value, notes, in_path=False)
        if item.options.in_header:
            headers[item.key] = strings[0]
        else:
            pairs += [(item.key, string) for string in strings]
    pairs += _read_global_pairs(decoder, message, plan) + _read_unknown_pairs(plan, notes)
    query = "&".join(
        f"{quote(name, safe=_SAFE_IN_QUERY)}={quote(string, safe=_SAFE_IN_QUERY)}" for name, string in pairs
    )
    if body is _NO_BODY:
        return HttpRequest(form.method, path, query, headers=headers)
    declared = _get_declared_type(form)
    media_type = spelling_notes.find_string(notes, Kind.BODY) or declared or "application/json"
    text, data = bodies.split_body(bodies.write(body, media_type, decoder.sources, declared))
    return HttpRequest(form.method, path, query, text, media_type, headers, data)


def _format_path(plan: MessagePlan, form: Form, values: dict[int, Any], notes: Notes) -> str:
    """Fill in the path template, and remove the path parameters from `values`."""
    path = form.template
    for name in form.path_parameters:
        item = _find_field(plan, name, in_path=True)
        if item is None or item.number not in values:
            raise CodecError(f"the parameter `{name}` of the path is missing")
        string = parameters.format_parameter(item, values.pop(item.number), notes, in_path=True)[0]
        path = path.replace(f"{{{name}}}", quote(string, safe=_SAFE_IN_PATH))
    return path


def _read_global_pairs(decoder: Decoder, message: Any, plan: MessagePlan) -> list[tuple[str, str]]:
    shared = _find_globals(plan)
    if shared is None or not message.HasField(shared.name):
        return []
    inner = getattr(message, shared.name)
    notes = decoder.read_notes(inner)
    values = parameters.read_parameters(decoder, inner, shared.plan.fields, notes)
    return [
        (shared.plan.fields[number].key, string)
        for number, value in values.items()
        for string in parameters.format_parameter(shared.plan.fields[number], value, notes, in_path=False)
    ]


def _read_unknown_pairs(plan: MessagePlan, notes: Notes) -> list[tuple[str, str]]:
    """Return the parameters that the contract lacks; in an inlined body the note holds unknown keys instead."""
    content = spelling_notes.find_argument(notes, Kind.KEPT)
    if not content or plan.properties:
        return []
    unknown = spelling_notes.parse_object(content)
    return [(name, str(string)) for name, strings in unknown.items() if type(strings) is list for string in strings]


def _read_body(decoder: Decoder, message: Any, plan: MessagePlan, notes: Notes) -> Any:
    values = decoder.read_fields(message, plan, notes)
    for item in plan.fields.values():
        if item.role == "body" and item.number in values:
            return values[item.number]
    for item in plan.fields.values():
        if _has_bare_body(item):
            return get_default(item) if (Kind.ABSENT, item.number) not in notes else _NO_BODY
    if plan.properties and ((Kind.EMPTY, 0) in notes or any(plan.fields[at].role == "property" for at in values)):
        body: dict[str, Any] = {}
        decoder.read_object(message, plan, notes, body)
        return body
    return _NO_BODY
