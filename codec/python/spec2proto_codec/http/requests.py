"""Requests: method, path, query and body ⇄ the request message of an rpc."""

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


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request of the REST API.

    Attributes:
        method: in capitals.
        path: percent-encoded, without the query.
        query: percent-encoded, without `?`.
        body: its text, None where there is none or it is no text.
        content_type: of the body.
        headers: those that are parameters, by their names.
        data: the body where it is no text, as in CBOR and SMILE.
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
        """The body, None where there is none; one of white space is none."""
        return self.data or (self.body if self.body and not self.body.isspace() else None)


def encode(encoder: Encoder, message: Any, rpc: Rpc, request: HttpRequest) -> None:
    """Put a request into the request message of its rpc.

    Raises:
        CodecError: what cannot be carried, and where it stands: a pointer into the body, or `/?name` of a parameter.
    """
    form, variables = rpc.match(request.method, request.path)
    given: dict[str, list[str]] = {}
    for name, text in _pairs(request.query):
        given.setdefault(name, []).append(text)
    records = b""
    for name, text in variables.items():
        records += _parameter(encoder, message, _field(rpc.request, name, in_path=True), [text], in_path=True)
    for name, text in request.headers.items():
        records += _parameter(encoder, message, _field(rpc.request, name, in_path=False), [text], in_path=False)
    kept: dict[str, Any] = {}
    for name, texts in given.items():
        item = _field(rpc.request, name, in_path=False)
        if item is not None:
            records += _parameter(encoder, message, item, texts, in_path=False)
        elif not _global(encoder, message, rpc.request, name, texts):
            kept[name] = texts
    if kept:
        records += _unknown(encoder, rpc.request, kept)
    has_body = request.content is not None
    there = [_field(rpc.request, name, in_path=True) for name in variables]
    there += [_field(rpc.request, name, in_path=False) for name in (*given, *request.headers)]
    records += _absent(rpc.request, {item.number for item in there if item is not None})
    records += _body(encoder, message, rpc, form, request) if has_body else _no_body(rpc.request)
    if rpc.choose_form({*variables, *given}, body=has_body) is not form:
        records += encode_record(Kind.FORM, 0, f"{form.method} {form.template}".encode())
    if records:
        spelling_notes.attach(message, records)


def _pairs(query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query, keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise CodecError("the query is no UTF-8") from None


def _field(plan: MessagePlan, name: str, *, in_path: bool) -> FieldPlan | None:
    """The field of a parameter; of two of one name, the first is that of the path."""
    listed = plan.parameters.get(name, [])
    if not listed:
        return None
    return listed[0] if in_path or len(listed) == 1 else listed[-1]


def _parameter(encoder: Encoder, message: Any, item: FieldPlan | None, texts: list[str], *, in_path: bool) -> bytes:
    if item is None:
        raise CodecError("the contract has no field for this parameter of the path")
    try:
        return parameters.put(encoder, message, item, texts, in_path=in_path)
    except CodecError as error:
        raise error.add_step(item.key if in_path else f"?{item.key}") from None


def _globals(plan: MessagePlan) -> FieldPlan | None:
    return next((item for item in plan.fields.values() if item.role == "global"), None)


def _global(encoder: Encoder, message: Any, plan: MessagePlan, name: str, texts: list[str]) -> bool:
    shared = _globals(plan)
    item = _field(shared.plan, name, in_path=False) if shared is not None else None
    if shared is None or item is None:
        return False
    inner = getattr(message, shared.name)
    inner.SetInParent()
    records = _parameter(encoder, inner, item, texts, in_path=False)
    if records:
        spelling_notes.attach(inner, records)
    return True


def _unknown(encoder: Encoder, plan: MessagePlan, kept: dict[str, Any]) -> bytes:
    if encoder.unknown == "error":
        name = next(iter(kept))
        why = plan.excluded.get(f"parameter:{name}")
        reason = f"excluded by rule {why}" if why else f"no such parameter in {plan.short}"
        raise CodecError(reason, f"?{name}")
    return encode_record(Kind.KEPT, 0, write_bytes(kept)) if encoder.unknown == "keep" else b""


def _bare(plan: MessagePlan) -> list[FieldPlan]:
    """The parameters that are always there."""
    listed = [item for items in plan.parameters.values() for item in items]
    return [item for item in listed if not item.has_presence and not item.optional and item.label is Label.ONE]


def _absent(plan: MessagePlan, given: set[int]) -> bytes:
    return b"".join(encode_record(Kind.ABSENT, item.number) for item in _bare(plan) if item.number not in given)


def _body(encoder: Encoder, message: Any, rpc: Rpc, form: Form, request: HttpRequest) -> bytes:
    declared = strip_parameters(form.request_types[0]) if form.request_types else ""
    media_type = strip_parameters(request.content_type) or declared
    item = rpc.find_body_field(form, media_type)
    if item is None and not rpc.request.properties:
        raise CodecError(f"`{rpc.group}` takes no body")
    if bodies.is_json(media_type) and bodies.is_lines(declared):
        media_type = declared
    value, sources = bodies.read(request.content or "", media_type, item, declared)
    if encoder.documents == "json":
        encoder.sources |= sources
    records = encoder.put(message, item, value) if item is not None else _inline(encoder, message, rpc.request, value)
    return records if media_type == declared else records + encode_record(Kind.BODY, 0, media_type.encode())


def _inline(encoder: Encoder, message: Any, plan: MessagePlan, value: Any) -> bytes:
    return encoder.fill_object(message, plan, value) + encode_record(Kind.EMPTY)


def _no_body(plan: MessagePlan) -> bytes:
    bare = [item for item in plan.fields.values() if item.role == "body" and not item.has_presence]
    return b"".join(
        encode_record(Kind.ABSENT, item.number) for item in bare if item.options.required or item.label is Label.ONE
    )


def decode(decoder: Decoder, message: Any, rpc: Rpc) -> HttpRequest:
    """The request that a request message stands for.

    Raises:
        CodecError: when it stands for none.
    """
    plan = rpc.request
    notes = decoder.read_notes(message)
    values = parameters.read_parameters(decoder, message, plan.fields, notes)
    for item in _bare(plan):
        if item.number not in values and (Kind.ABSENT, item.number) not in notes and item.kind != "enum":
            values[item.number] = parameters.get_noted_default(item)
    _, value = _read_body(decoder, message, plan, notes)
    names = {plan.fields[number].key for number in values}
    noted = spelling_notes.find_string(notes, Kind.FORM)
    form = rpc.find_form(noted) if noted else rpc.choose_form(names, body=value is not _NONE)
    path = form.template
    for name in form.path_parameters:
        owner = _field(plan, name, in_path=True)
        if owner is None or owner.number not in values:
            raise CodecError(f"the parameter `{name}` of the path is missing")
        text = parameters.format_parameter(owner, values.pop(owner.number), notes, in_path=True)[0]
        path = path.replace(f"{{{name}}}", quote(text, safe=_SAFE_IN_PATH))
    headers = {}
    pairs = []
    for number, held in values.items():
        owner = plan.fields[number]
        texts = parameters.format_parameter(owner, held, notes, in_path=False)
        if owner.options.in_header:
            headers[owner.key] = texts[0]
        else:
            pairs += [(owner.key, text) for text in texts]
    pairs += _global_pairs(decoder, message, plan) + _kept_pairs(plan, notes)
    query = "&".join(f"{quote(name, safe=_SAFE_IN_QUERY)}={quote(text, safe=_SAFE_IN_QUERY)}" for name, text in pairs)
    if value is _NONE:
        return HttpRequest(form.method, path, query, headers=headers)
    declared = strip_parameters(form.request_types[0]) if form.request_types else ""
    media_type = spelling_notes.find_string(notes, Kind.BODY) or declared or "application/json"
    body = bodies.write(value, media_type, decoder.sources, declared)
    if isinstance(body, str):
        return HttpRequest(form.method, path, query, body, media_type, headers)
    return HttpRequest(form.method, path, query, None, media_type, headers, body)


_NONE = object()


def _global_pairs(decoder: Decoder, message: Any, plan: MessagePlan) -> list[tuple[str, str]]:
    shared = _globals(plan)
    if shared is None or not message.HasField(shared.name):
        return []
    inner = getattr(message, shared.name)
    notes = decoder.read_notes(inner)
    values = parameters.read_parameters(decoder, inner, shared.plan.fields, notes)
    return [
        (shared.plan.fields[number].key, text)
        for number, value in values.items()
        for text in parameters.format_parameter(shared.plan.fields[number], value, notes, in_path=False)
    ]


def _kept_pairs(plan: MessagePlan, notes: Notes) -> list[tuple[str, str]]:
    kept = spelling_notes.find_argument(notes, Kind.KEPT)
    if not kept or plan.properties:
        return []
    found = spelling_notes.parse_object(kept)
    return [(name, str(text)) for name, listed in found.items() for text in (listed if type(listed) is list else [])]


def _read_body(decoder: Decoder, message: Any, plan: MessagePlan, notes: Notes) -> tuple[FieldPlan | None, Any]:
    values = decoder.read_fields(message, plan, notes)
    for item in plan.fields.values():
        if item.role == "body" and item.number in values:
            return item, values[item.number]
    for item in plan.fields.values():
        if item.role == "body" and not item.has_presence and (item.options.required or item.label is Label.ONE):
            return (item, get_default(item)) if (Kind.ABSENT, item.number) not in notes else (None, _NONE)
    if plan.properties and ((Kind.EMPTY, 0) in notes or any(plan.fields[at].role == "property" for at in values)):
        found: dict[str, Any] = {}
        decoder.read_object(message, plan, notes, found)
        return None, found
    return None, _NONE
