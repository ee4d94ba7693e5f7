"""HTTP responses as the response message of an rpc, or as a `google.rpc.Status`.

The contract has no field for errors, and for statuses and media types that the spec does not declare. The codec does
not read every media type either: YAML, for example. Such a response becomes a `google.rpc.Status`: its details hold the
body as a `google.api.HttpBody`, and the HTTP status in an `ErrorInfo`.

Sources: google/rpc/status.proto and code.proto; google/api/httpbody.proto; AIP-193 (errors).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
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
from spec2proto_codec.plans.types import FieldPlan, MessagePlan
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
    """A response of the REST API.

    Attributes:
        status: the HTTP status.
        content_type: the media type of the body.
        body: the body as a string; None if there is none, or it is binary.
        data: the body as bytes if it is binary, such as CBOR and SMILE.
    """

    status: int
    content_type: str = ""
    body: str | None = None
    data: bytes | None = None

    @property
    def content(self) -> bodies.Body | None:
        """The body; None if there is none."""
        return self.data or self.body or None


def build_status(response: HttpResponse) -> Any:
    """Return the `google.rpc.Status` of a response that the contract has no field for."""
    data = response.data if response.data is not None else (response.body or "").encode()
    default = Code.INTERNAL if response.status >= HTTPStatus.INTERNAL_SERVER_ERROR else Code.UNKNOWN
    status = Status(code=_CODES.get(response.status, default), message=f"HTTP status {response.status}")
    status.details.add().Pack(HttpBody(content_type=response.content_type, data=data))
    info = ErrorInfo(reason=_REASON, domain=_DOMAIN, metadata={_KEY: str(response.status)})
    status.details.add().Pack(info)
    return status


def read_status(content: bytes) -> HttpResponse:
    """Return the response that a serialized `google.rpc.Status` stands for; raise `CodecError` if there is none."""
    body, info = HttpBody(), ErrorInfo()
    try:
        for detail in Status.FromString(content).details:
            detail.Unpack(body)
            detail.Unpack(info)
    except DecodeError as error:
        raise CodecError(f"no bytes of a status: {error}") from None
    status = info.metadata.get(_KEY, "")
    if info.reason != _REASON or not re.fullmatch("[0-9]{3,4}", status):
        raise CodecError("the status has no HTTP response in its details")
    try:
        return HttpResponse(int(status), body.content_type, body.data.decode())
    except UnicodeDecodeError:
        return HttpResponse(int(status), body.content_type, None, body.data)


def encode(encoder: Encoder, message: Any, rpc: Rpc, form: Form, response: HttpResponse) -> bool:
    """Put a response into the empty response message of its rpc; return False if the contract has no field for it.

    `form` is the HTTP form of the request. A value that the contract cannot carry raises `CodecError` with its place.
    """
    exists = _find_exists_field(rpc.response)
    is_known_status = response.status in {HTTPStatus.OK, HTTPStatus.NOT_FOUND}
    if exists is not None and response.content is None and is_known_status:
        setattr(message, exists.name, response.status == HTTPStatus.OK)
        return True
    media_type = strip_parameters(response.content_type)
    declaration = rpc.find_response(form, response.status, media_type)
    is_empty = response.content is None and media_type != bodies.EVENTS
    if is_empty and not (declaration is not None and bodies.is_plain(declaration[2])):
        media_type = ""
        declaration = rpc.find_response(form, response.status, media_type)
    if declaration is None or not bodies.can_read(response.content or "", media_type, declaration[2]):
        return False
    _, declared_type, item = declaration
    records = _put_body(encoder, message, rpc, item, response, media_type)
    default_status, default_type = rpc.get_default_response(item)
    if str(response.status) != default_status:
        records += encode_record(Kind.STATUS, 0, str(response.status).encode())
    if strip_parameters(declared_type) != strip_parameters(default_type):
        records += encode_record(Kind.BODY, 0, strip_parameters(declared_type).encode())
    if records:
        spelling_notes.attach(message, records)
    return True


def _find_exists_field(plan: MessagePlan) -> FieldPlan | None:
    """Return the field that says whether the status is a success or 404, for an operation without a body."""
    return next((item for item in plan.fields.values() if item.role == "exists"), None)


def _put_body(
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
    """Return the response that a response message stands for. Raise `CodecError` if it stands for none."""
    plan = rpc.response
    exists = _find_exists_field(plan)
    if exists is not None:
        return HttpResponse(int(HTTPStatus.OK if getattr(message, exists.name) else HTTPStatus.NOT_FOUND))
    notes = decoder.read_notes(message)
    if plan.form != "response":
        return _build_response(rpc, None, decoder.read(message, plan), notes, decoder.sources)
    values = decoder.read_fields(message, plan, notes)
    for number, value in values.items():
        return _build_response(rpc, plan.fields[number], value, notes, decoder.sources)
    return HttpResponse(_read_http_status(notes, rpc.get_default_response(None)[0]))


def _build_response(
    rpc: Rpc, item: FieldPlan | None, value: Any, notes: Notes, sources: bodies.Sources
) -> HttpResponse:
    default_status, default_type = rpc.get_default_response(item)
    media_type = spelling_notes.find_string(notes, Kind.BODY) or strip_parameters(default_type)
    status = _read_http_status(notes, default_status)
    return HttpResponse(status, media_type, *bodies.split_body(bodies.write(value, media_type, sources)))


def _read_http_status(notes: Notes, default: str) -> int:
    """Return the status in the notes, or the default; a declared range such as `2XX` stands for 200."""
    noted = spelling_notes.find_string(notes, Kind.STATUS)
    if noted is None:
        return int(default) if default.isdecimal() else int(HTTPStatus.OK)
    if not re.fullmatch("[1-5][0-9][0-9]", noted):
        raise CodecError("a broken spelling note")
    return int(noted)
