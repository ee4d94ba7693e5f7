"""`spec2proto encode`, `decode` and `roundtrip`: the codec on the protos and the binding of a profile."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from spec2proto_codec import CodecError, HttpCodec
from spec2proto_codec.http.event_stream import read_delimited, write_delimited
from spec2proto_codec.http.routes import Rpc
from spec2proto_codec.replay import replay_exchange

from pipeline.cli import http_json
from pipeline.cli.options import DEFAULT_PROFILE, OutOption, ProfileOption
from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.model.paths import format_path
from pipeline.model.profile.load import load_profile
from pipeline.workspace import BINDING, locate_protos
from postprocess.tools.protoc import compile_folder

Unknown = Literal["error", "keep", "ignore"]
Side = Literal["request", "response"]
Documents = Literal["json", "cbor", "smile"]
OperationOption = Annotated[str, typer.Option("--operation", help="An operation group, or Service/Rpc.")]
SideOption = Annotated[Side, typer.Option("--side", help="The request or the response of it.")]
UnknownOption = Annotated[
    Unknown, typer.Option("--unknown", help="What becomes of keys that the contract does not have.")
]
DocumentsOption = Annotated[Documents, typer.Option("--documents", help="How documents in bytes are encoded.")]


def encode(
    operation: OperationOption,
    side: SideOption,
    profile: ProfileOption = None,
    out: OutOption = None,
    unknown: UnknownOption = "error",
    documents: DocumentsOption = "json",
) -> None:
    """Encode a request or a response of the REST API: JSON on the standard input, protobuf on the standard output."""
    codec = load_codec(profile or DEFAULT_PROFILE, out, unknown, documents)
    exchange = http_json.parse_exchange(sys.stdin.buffer.read())
    with _report_codec_errors():
        rpc = codec.find_rpc(operation)
        if side == "request":
            content = codec.encode_request(rpc, http_json.parse_request(exchange))
        else:
            content = _encode_response(codec, rpc, exchange)
    sys.stdout.buffer.write(content)


def decode(
    operation: OperationOption,
    side: SideOption,
    profile: ProfileOption = None,
    out: OutOption = None,
    failed: Annotated[bool, typer.Option("--failed", help="The bytes are a google.rpc.Status.")] = False,
) -> None:
    """Decode a request or a response: protobuf on the standard input, JSON on the standard output."""
    codec = load_codec(profile or DEFAULT_PROFILE, out, "error")
    content = sys.stdin.buffer.read()
    with _report_codec_errors():
        rpc = codec.find_rpc(operation)
        if side == "request":
            decoded = http_json.dump_request(codec.decode_request(rpc, content))
        elif rpc.streaming:
            decoded = http_json.dump_response(codec.decode_stream(rpc, read_delimited(content), failed=failed))
        else:
            decoded = http_json.dump_response(codec.decode_response(rpc, content, failed=failed))
    typer.echo(json.dumps(decoded, ensure_ascii=False))


def replay(
    exchanges: Annotated[Path, typer.Argument(help="Recorded exchanges, one JSON object a line.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write, one result a line.")],
    profile: ProfileOption = None,
    out: OutOption = None,
    unknown: UnknownOption = "keep",
    documents: DocumentsOption = "json",
) -> None:
    """Put recorded exchanges through protobuf and back, and write what came back."""
    codec = load_codec(profile or DEFAULT_PROFILE, out, unknown, documents)
    with output.open("w", encoding="utf-8") as handle:
        for result in _replay_file(codec, exchanges):
            handle.write(json.dumps(result, ensure_ascii=False) + "\n")


def load_codec(name: str, out: Path | None, unknown: Unknown, documents: Documents = "json") -> HttpCodec:
    """Load the codec from the protos and the binding of a profile; `out` is None for the profile's own folder.

    Raises:
        Failure: `output/none` if there are no protos, `output/binding` if the binding cannot be read.
    """
    profile = load_profile(name)
    folder = locate_protos(profile, out)
    descriptors = compile_folder(folder, profile.name)
    path = folder / BINDING
    try:
        return HttpCodec(descriptors, json.loads(path.read_bytes()), unknown, documents)
    except (OSError, ValueError, KeyError, CodecError) as error:
        place, hint = Place(format_path(path)), f"run `spec2proto build --profile {profile.name}`"
        why = error.strerror if isinstance(error, OSError) else error.reason if isinstance(error, CodecError) else error
        raise Failure(Diagnostic("output/binding", f"the binding cannot be read: {why}", place, hint)) from None


def _encode_response(codec: HttpCodec, rpc: Rpc, exchange: dict[str, Any]) -> bytes:
    """Encode a response; the messages of a stream are each preceded by their length as a varint."""
    if "method" not in exchange and rpc.forms:
        exchange |= {"method": rpc.forms[0].method, "path": rpc.forms[0].template}
    request, response = http_json.parse_request(exchange), http_json.parse_response(exchange)
    if rpc.streaming:
        return write_delimited(codec.encode_stream(rpc, request, response)[0])
    return codec.encode_response(rpc, request, response)[0]


def _replay_file(codec: HttpCodec, path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8") as handle:
            for number, line in enumerate(handle):
                yield from replay_exchange(codec, number, json.loads(line))
    except OSError as error:
        diagnostic = Diagnostic("codec/input", f"not readable: {error.strerror}", Place(str(path)), "name a file")
        raise Failure(diagnostic) from None
    except (ValueError, KeyError, TypeError) as error:
        place, hint = Place(str(path), number + 1), "write one exchange a line, as JSON"
        raise Failure(Diagnostic("codec/input", f"no exchange: {error}", place, hint)) from None


@contextmanager
def _report_codec_errors() -> Iterator[None]:
    """Raise `codec/not-carried` for a value that the contract cannot carry."""
    try:
        yield
    except CodecError as error:
        hint = "fix the value, or keep what the contract does not have with `--unknown keep`"
        place = Place(http_json.STDIN, pointer=error.path)
        raise Failure(Diagnostic("codec/not-carried", error.reason, place, hint), ExitCode.BAD_INPUT) from None
