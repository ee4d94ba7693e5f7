"""Exchanges: requests and answers of the REST API ⇄ the bytes that go over gRPC."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from spec2proto_codec.codec import Codec, serialize
from spec2proto_codec.decode.decoder import Decoder
from spec2proto_codec.encode.encoder import Unknown
from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats.documents import Encoding
from spec2proto_codec.http import event_stream, requests, responses
from spec2proto_codec.http.requests import HttpRequest
from spec2proto_codec.http.responses import HttpResponse
from spec2proto_codec.http.routes import Rpc
from spec2proto_codec.values import spelling_notes


class HttpCodec(Codec):
    """A codec for whole requests and answers.

    Attributes:
        rpcs: by `Service/Rpc`.
    """

    def __init__(
        self,
        descriptors: FileDescriptorSet,
        binding: dict[str, Any],
        unknown: Unknown = "error",
        documents: Encoding = "json",
    ) -> None:
        """As `Codec`."""
        super().__init__(descriptors, binding, unknown, documents)
        self.rpcs = {name: Rpc(name, told, self.plans) for name, told in binding["rpcs"].items()}

    def find_rpc(self, name: str) -> Rpc:
        """The rpc of an operation group, or of `Service/Rpc`; of several of one group the one that does not stream.

        Raises:
            CodecError: when there is none.
        """
        found = self.rpcs.get(name) or _first(rpc for rpc in self.rpcs.values() if rpc.group == name)
        if found is None:
            raise CodecError(f"the contract has no rpc for `{name}`")
        return found

    def encode_request(self, rpc: Rpc, request: HttpRequest) -> bytes:
        """The bytes of the request message of a request.

        Raises:
            CodecError: what cannot be carried, and where it stands.
        """
        message = self.create_message(rpc.request.name)
        _deeply(lambda: requests.encode(self.create_encoder(), message, rpc, request))
        return serialize(message)

    def decode_request(self, rpc: Rpc, content: bytes) -> HttpRequest:
        """The request that such bytes stand for.

        Raises:
            CodecError: when they stand for none.
        """
        message = self.parse_message(rpc.request.name, content)
        found: HttpRequest = _deeply(
            lambda: requests.decode(Decoder(noted=spelling_notes.has_unknown_fields(message)), message, rpc)
        )
        return found

    def encode_response(self, rpc: Rpc, request: HttpRequest, response: HttpResponse) -> tuple[bytes, bool]:
        """The bytes of an answer, and whether they are a failure (`google.rpc.Status`) instead of the response message.

        Args:
            rpc: the rpc.
            request: what was asked; its method and path are looked at.
            response: the answer.

        Raises:
            CodecError: what cannot be carried, and where it stands.
        """
        message = self.create_message(rpc.response.name)
        form, _ = rpc.match(request.method, request.path)
        if _deeply(lambda: responses.encode(self.create_encoder(), message, rpc, form, response)):
            return serialize(message), False
        return serialize(responses.build_status(response)), True

    def decode_response(self, rpc: Rpc, content: bytes, *, failed: bool = False) -> HttpResponse:
        """The answer that such bytes stand for.

        Raises:
            CodecError: when they stand for none.
        """
        if failed:
            return responses.read_status(content)
        message = self.parse_message(rpc.response.name, content)
        found: HttpResponse = _deeply(
            lambda: responses.decode(Decoder(noted=spelling_notes.has_unknown_fields(message)), message, rpc)
        )
        return found

    def encode_stream(self, rpc: Rpc, request: HttpRequest, response: HttpResponse) -> tuple[list[bytes], bool]:
        """As `encode_response` of an rpc whose answer is a stream: one message for each event or line.

        Raises:
            CodecError: what cannot be carried; the path begins with the number of the message.
        """
        form, _ = rpc.match(request.method, request.path)
        contents = []
        for at, (piece, told) in enumerate(event_stream.split_response(response)):
            message = self.create_message(rpc.response.name)
            try:
                taken = _deeply(lambda: responses.encode(self.create_encoder(), message, rpc, form, piece))  # noqa: B023 - called at once
            except CodecError as error:
                raise error.add_step(at) from None
            if not taken:
                return [serialize(responses.build_status(response))], True
            if told:
                spelling_notes.attach(message, told)
            contents.append(serialize(message))
        return contents, False

    def decode_stream(self, rpc: Rpc, contents: Iterable[bytes], *, failed: bool = False) -> HttpResponse:
        """The answer that the messages of a stream stand for.

        Raises:
            CodecError: when they stand for none.
        """
        answers = []
        for at, content in enumerate(contents):
            try:
                notes = (
                    spelling_notes.NO_NOTES
                    if failed
                    else spelling_notes.read_notes(self.parse_message(rpc.response.name, content))
                )
                answers.append((self.decode_response(rpc, content, failed=failed), notes))
            except CodecError as error:
                raise error.add_step(at) from None
        return answers[0][0] if failed and answers else event_stream.join_responses(answers)


def _first(rpcs: Iterable[Rpc]) -> Rpc | None:
    return min(rpcs, key=lambda rpc: (rpc.streaming, rpc.name), default=None)


def _deeply(work: Any) -> Any:
    try:
        return work()
    except RecursionError:
        raise CodecError("nested too deeply") from None
