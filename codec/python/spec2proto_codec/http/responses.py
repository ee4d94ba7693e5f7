"""Responses: status, content type and body ⇄ the response message of an rpc, or the details of its error.

What the contract has no field for (failures, answers of a status or type that the spec does not declare, and of a type
that the codec does not read, as YAML) is a `google.rpc.Status` whose details hold the body as a `google.api.HttpBody`
and the HTTP status in an `ErrorInfo`. Sources: google/rpc/status.proto and code.proto; google/api/httpbody.proto;
AIP-193 (errors).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from google.api.httpbody_pb2 import HttpBody
from google.protobuf.message import DecodeError
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from spec2proto_codec.decode.decoder import Decoder
from spec2proto_codec.encode.encoder import Encoder
from spec2proto_codec.errors import CodecError
from spec2proto_codec.http import bodies
from spec2proto_codec.http.routes import Form, Rpc, strip_parameters
from spec2proto_codec.plans.types import FieldPlan
from spec2proto_codec.values import spelling_notes
from spec2proto_codec.values.spelling_notes import Kind, Notes, encode_record

_CODES = {
    400: Code.INVALID_ARGUMENT,
    401: Code.UNAUTHENTICATED,
    403: Code.PERMISSION_DENIED,
    404: Code.NOT_FOUND,
    409: Code.ABORTED,
    429: Code.RESOURCE_EXHAUSTED,
    499: Code.CANCELLED,
    501: Code.UNIMPLEMENTED,
    503: Code.UNAVAILABLE,
    504: Code.DEADLINE_EXCEEDED,
}
_REASON, _DOMAIN, _KEY = "HTTP_STATUS", "http", "status"


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """An answer of the REST API.

    Attributes:
        status: of HTTP.
        content_type: of the body.
        body: its text, None where there is none or it is no text.
        data: the body where it is no text, as in CBOR and SMILE.
    """

    status: int
    content_type: str = ""
    body: str | None = None
    data: bytes | None = None

    @property
    def content(self) -> bodies.Body | None:
        """The body, None where there is none."""
        return self.data or self.body or None


def build_status(response: HttpResponse) -> Any:
    """The `google.rpc.Status` of an answer that the contract has no field for."""
    data = response.data if response.data is not None else (response.body or "").encode()
    server = Code.INTERNAL if response.status >= 500 else Code.UNKNOWN  # noqa: PLR2004 - RFC 9110, section 15.6
    found = Status(code=_CODES.get(response.status, server), message=f"HTTP status {response.status}")
    found.details.add().Pack(HttpBody(content_type=response.content_type, data=data))
    info = ErrorInfo(reason=_REASON, domain=_DOMAIN, metadata={_KEY: str(response.status)})
    found.details.add().Pack(info)
    return found


def read_status(content: bytes) -> HttpResponse:
    """The answer that such a status stands for.

    Raises:
        CodecError: when the bytes are no status, or it has no such details.
    """
    body, info = HttpBody(), ErrorInfo()
    try:
        found = Status.FromString(content)
        for detail in found.details:
            detail.Unpack(body)
            detail.Unpack(info)
    except DecodeError as error:
        raise CodecError(f"no bytes of a status: {error}") from None
    text = info.metadata.get(_KEY, "")
    if info.reason != _REASON or not re.fullmatch("[0-9]{3,4}", text):
        raise CodecError("the status has no HTTP answer in its details")
    try:
        return HttpResponse(int(text), body.content_type, body.data.decode())
    except UnicodeDecodeError:
        return HttpResponse(int(text), body.content_type, None, body.data)


def encode(encoder: Encoder, message: Any, rpc: Rpc, form: Form, response: HttpResponse) -> bool:
    """Put an answer into the response message of its rpc; False where the contract has no field for it.

    Args:
        encoder: of this answer.
        message: empty.
        rpc: the rpc.
        form: of the request.
        response: the answer.

    Raises:
        CodecError: what cannot be carried, and where it stands in the body.
    """
    exists = next((item for item in rpc.response.fields.values() if item.role == "exists"), None)
    if exists is not None and response.content is None and response.status in {200, 404}:
        setattr(message, exists.name, response.status != 404)  # noqa: PLR2004 - RFC 9110, section 15.5.5
        return True
    media_type = strip_parameters(response.content_type)
    found = rpc.find_response(form, response.status, media_type)
    empty = response.content is None and not bodies.is_events(media_type)
    if empty and not (found is not None and bodies.is_plain(found[2])):
        media_type = ""
        found = rpc.find_response(form, response.status, media_type)
    if found is None or not bodies.can_read(response.content or "", media_type, found[2]):
        return False
    _, kind, item = found
    records = _body(encoder, message, rpc, item, response, media_type)
    usual = rpc.get_default_response(item)
    if str(response.status) != usual[0]:
        records += encode_record(Kind.STATUS, 0, str(response.status).encode())
    if strip_parameters(kind) != strip_parameters(usual[1]):
        records += encode_record(Kind.BODY, 0, strip_parameters(kind).encode())
    if records:
        spelling_notes.attach(message, records)
    return True


def _body(
    encoder: Encoder, message: Any, rpc: Rpc, item: FieldPlan | None, response: HttpResponse, media_type: str
) -> bytes:
    if response.content is None:
        return encoder.put(message, item, "") if item is not None and bodies.is_plain(item) else b""
    value, sources = bodies.read(response.content, media_type, item)
    if encoder.documents == "json":
        encoder.sources |= sources
    if item is not None:
        return encoder.put(message, item, value)
    encoder.fill(message, rpc.response, value)
    return b""


def decode(decoder: Decoder, message: Any, rpc: Rpc) -> HttpResponse:
    """The answer that a response message stands for.

    Raises:
        CodecError: when it stands for none.
    """
    plan = rpc.response
    exists = next((item for item in plan.fields.values() if item.role == "exists"), None)
    if exists is not None:
        return HttpResponse(200 if getattr(message, exists.name) else 404)
    notes = decoder.read_notes(message)
    if plan.form != "response":
        return _answer(rpc, None, decoder.read(message, plan), notes, decoder.sources)
    values = decoder.read_fields(message, plan, notes)
    for number, value in values.items():
        return _answer(rpc, plan.fields[number], value, notes, decoder.sources)
    status, _ = rpc.get_default_response(None)
    return HttpResponse(_status(notes, status))


def _answer(rpc: Rpc, item: FieldPlan | None, value: Any, notes: Notes, sources: bodies.Sources) -> HttpResponse:
    status, media_type = rpc.get_default_response(item)
    name = spelling_notes.find_string(notes, Kind.BODY) or strip_parameters(media_type)
    found = _status(notes, status)
    body = bodies.write(value, name, sources)
    return HttpResponse(found, name, body) if isinstance(body, str) else HttpResponse(found, name, None, body)


def _status(notes: Notes, usual: str) -> int:
    """The status that is noted, or the usual one."""
    noted = spelling_notes.find_string(notes, Kind.STATUS)
    if noted is None:
        return int(usual) if usual.isdecimal() else 200
    if not re.fullmatch("[1-5][0-9][0-9]", noted):
        raise CodecError("a broken spelling note")
    return int(noted)
