"""The commands of the codec: `encode`, `decode` and `roundtrip`, on the protos and the binding of a profile."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.model.paths import format_path
from pipeline.model.profile.load import load_profile
from pipeline.workspace import BINDING, protos_folder

if TYPE_CHECKING:
    from spec2proto_codec import HttpCodec, HttpRequest, HttpResponse

Unknown = Literal["error", "keep", "ignore"]
Side = Literal["request", "response"]
Documents = Literal["json", "cbor", "smile"]
STDIN = "(standard input)"


def codec_of(name: str, out: Path | None, unknown: Unknown, documents: Documents = "json") -> HttpCodec:
    """The codec of a profile's protos and binding.

    Args:
        name: of the profile.
        out: the folder of its protos, None for where they are published.
        unknown: what becomes of what the contract does not have.
        documents: how documents in `bytes` are encoded.

    Raises:
        Failure: `output/none` when there are none yet, `output/binding` when the binding cannot be read.
    """
    from spec2proto_codec import CodecError, HttpCodec  # noqa: PLC0415 - other commands need none of it

    from postprocess.tools.protoc import compile_folder  # noqa: PLC0415 - as above

    profile = load_profile(name)
    folder = protos_folder(profile, out)
    descriptors = compile_folder(folder, profile.name)
    path = folder / BINDING
    try:
        return HttpCodec(descriptors, json.loads(path.read_bytes()), unknown, documents)
    except (OSError, ValueError, KeyError, CodecError) as error:
        place, hint = Place(format_path(path)), f"run `spec2proto build --profile {profile.name}`"
        why = error.strerror if isinstance(error, OSError) else error.reason if isinstance(error, CodecError) else error
        raise Failure(Diagnostic("output/binding", f"the binding cannot be read: {why}", place, hint)) from None


def encode(codec: HttpCodec, group: str, side: Side, content: bytes) -> bytes:
    """The bytes of a request or an answer that is given as JSON.

    Args:
        codec: of the profile.
        group: the operation group, or `Service/Rpc`.
        side: which of the two.
        content: an object with `method`, `path`, `query`, `headers`, `content_type` and `body` of a request; with
            `status`, `content_type` and `body` of an answer, and `method` and `path` of its request where the group has
            several forms. A body is a text, or the JSON itself; bytes, as of CBOR, stand as `base64` in its place.

    Returns:
        The message; of an answer that is a stream all messages, each after its length as a varint.

    Raises:
        Failure: `codec/input`, `codec/not-carried`.
    """
    from spec2proto_codec import CodecError  # noqa: PLC0415 - as above
    from spec2proto_codec.http.event_stream import delimited  # noqa: PLC0415 - as above

    given = _given(content)
    try:
        rpc = codec.rpc(group)
        if side == "request":
            return codec.encode_request(rpc, _request(given))
        if "method" not in given and rpc.forms:
            given |= {"method": rpc.forms[0].method, "path": rpc.forms[0].template}
        if rpc.streaming:
            return delimited(codec.encode_stream(rpc, _request(given), _response(given))[0])
        return codec.encode_response(rpc, _request(given), _response(given))[0]
    except CodecError as error:
        raise _not_carried(error) from None


def decode(codec: HttpCodec, group: str, side: Side, content: bytes, *, failed: bool) -> dict[str, Any]:
    """The request or answer that bytes stand for, as `encode` takes it.

    Args:
        codec: of the profile.
        group: the operation group, or `Service/Rpc`.
        side: which of the two.
        content: the bytes of the message; of an answer that is a stream as `encode` gives them.
        failed: whether they are a `google.rpc.Status` instead.

    Raises:
        Failure: `codec/not-carried`.
    """
    from spec2proto_codec import CodecError  # noqa: PLC0415 - as above
    from spec2proto_codec.http.event_stream import undelimited  # noqa: PLC0415 - as above

    try:
        rpc = codec.rpc(group)
        if side == "request":
            asked = codec.decode_request(rpc, content)
            names = ("method", "path", "query", "headers", "content_type", "body")
            return {name: getattr(asked, name) for name in names if getattr(asked, name)} | _base64(asked.data)
        if rpc.streaming:
            answer = codec.decode_stream(rpc, undelimited(content), failed=failed)
        else:
            answer = codec.decode_response(rpc, content, failed=failed)
        found: dict[str, Any] = {"status": answer.status}
        found |= {name: getattr(answer, name) for name in ("content_type", "body") if getattr(answer, name)}
        return found | _base64(answer.data)
    except CodecError as error:
        raise _not_carried(error) from None


def roundtrip(codec: HttpCodec, path: Path) -> Iterator[dict[str, Any]]:
    """What came back of each request and answer of a file of exchanges, one JSON object a line.

    Raises:
        Failure: `codec/input`.
    """
    from spec2proto_codec.replay import results  # noqa: PLC0415 - as above

    try:
        with path.open(encoding="utf-8") as handle:
            for number, line in enumerate(handle):
                yield from results(codec, number, json.loads(line))
    except OSError as error:
        place = Place(str(path))
        raise Failure(Diagnostic("codec/input", f"not readable: {error.strerror}", place, "name a file")) from None
    except (ValueError, KeyError, TypeError) as error:
        place, hint = Place(str(path), number + 1), "write one exchange a line, as JSON"
        raise Failure(Diagnostic("codec/input", f"no exchange: {error}", place, hint)) from None


def _given(content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except ValueError as error:
        found, why = None, str(error)
    else:
        why = "it is no object"
    if not isinstance(found, dict):
        hint = "give an object with `method`, `path` and `body`, or with `status` and `body`"
        raise Failure(Diagnostic("codec/input", f"not JSON: {why}" if found is None else why, Place(STDIN), hint))
    return found


def _body(given: dict[str, Any]) -> str | None:
    body = given.get("body")
    return body if body is None or isinstance(body, str) else json.dumps(body, ensure_ascii=False)


def _base64(data: bytes | None) -> dict[str, str]:
    return {} if data is None else {"base64": base64.b64encode(data).decode()}


def _data(given: dict[str, Any]) -> bytes | None:
    try:
        return base64.b64decode(given["base64"], validate=True) if "base64" in given else None
    except (ValueError, TypeError) as error:
        hint = "give the bytes of the body as base64"
        raise Failure(Diagnostic("codec/input", f"no base64: {error}", Place(STDIN), hint)) from None


def _request(given: dict[str, Any]) -> HttpRequest:
    from spec2proto_codec import HttpRequest  # noqa: PLC0415 - as above

    kind = str(given.get("content_type") or "application/json")
    headers = {str(name): str(text) for name, text in dict(given.get("headers") or {}).items()}
    path, _, query = str(given.get("path", "/")).partition("?")
    query = str(given.get("query") or query)
    return HttpRequest(str(given.get("method", "GET")).upper(), path, query, _body(given), kind, headers, _data(given))


def _response(given: dict[str, Any]) -> HttpResponse:
    from spec2proto_codec import HttpResponse  # noqa: PLC0415 - as above

    kind = str(given.get("content_type") or "application/json")
    try:
        return HttpResponse(int(given.get("status", 200)), kind, _body(given), _data(given))
    except (ValueError, TypeError) as error:
        raise Failure(
            Diagnostic("codec/input", f"no answer: {error}", Place(STDIN), "give a status and a body")
        ) from None


def _not_carried(error: Any) -> Failure:
    hint = "mend the value, or keep what the contract does not have with `--unknown keep`"
    place = Place(STDIN, pointer=error.path)
    return Failure(Diagnostic("codec/not-carried", error.reason, place, hint), ExitCode.BAD_INPUT)
