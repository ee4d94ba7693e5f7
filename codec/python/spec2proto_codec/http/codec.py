"""Encode whole HTTP requests and responses as the messages that an rpc carries, and decode them."""

from __future__ import annotations

from collections.abc import Iterable

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from spec2proto_codec.codec import Codec, create_decoder, serialize
from spec2proto_codec.errors import CodecError, call_nested
from spec2proto_codec.http import event_stream, requests, responses
from spec2proto_codec.http.requests import HttpRequest
from spec2proto_codec.http.responses import HttpResponse
from spec2proto_codec.http.routes import Rpc
from spec2proto_codec.values import spelling_notes


class HttpCodec(Codec):
    """A codec for the HTTP requests and responses of a REST API.

    Its methods raise `CodecError` for a value that the contract cannot carry, and for bytes that represent no HTTP.

    Attributes:
        rpcs: the rpcs of the contract, by `Service/Rpc`.
    """

    def __post_init__(self, descriptors: FileDescriptorSet) -> None:
        super().__post_init__(descriptors)
        self.rpcs = {name: Rpc(name, entry, self.plans) for name, entry in self.binding["rpcs"].items()}

    def find_rpc(self, name: str) -> Rpc:
        """Return the rpc named `Service/Rpc`, or that of an operation group; of several one that does not stream."""
        if name in self.rpcs:
            return self.rpcs[name]
        of_group = [rpc for rpc in self.rpcs.values() if rpc.group == name]
        if not of_group:
            raise CodecError(f"the contract has no rpc for `{name}`")
        return min(of_group, key=lambda rpc: (rpc.streaming, rpc.name))

    def encode_request(self, rpc: Rpc, request: HttpRequest) -> bytes:
        """Return the request message of an HTTP request, serialized."""
        message = self.create_message(rpc.request.name)
        call_nested(requests.encode, self.create_encoder(), message, rpc, request)
        return serialize(message)

    def decode_request(self, rpc: Rpc, content: bytes) -> HttpRequest:
        """Return the HTTP request that a serialized request message stands for."""
        message = self.parse_message(rpc.request.name, content)
        return call_nested(requests.decode, create_decoder(message), message, rpc)

    def encode_response(self, rpc: Rpc, request: HttpRequest, response: HttpResponse) -> tuple[bytes, bool]:
        """Return the response message of an HTTP response, serialized, and whether it is a `google.rpc.Status`.

        A response that the contract has no field for, such as an error, becomes a `google.rpc.Status`. Only method
        and path of the request matter.
        """
        message = self.create_message(rpc.response.name)
        form, _ = rpc.match(request.method, request.path)
        if call_nested(responses.encode, self.create_encoder(), message, rpc, form, response):
            return serialize(message), False
        return serialize(responses.build_status(response)), True

    def decode_response(self, rpc: Rpc, content: bytes, *, failed: bool = False) -> HttpResponse:
        """Return the HTTP response that a response message stands for, or a `google.rpc.Status` if `failed`."""
        if failed:
            return responses.read_status(content)
        message = self.parse_message(rpc.response.name, content)
        return call_nested(responses.decode, create_decoder(message), message, rpc)

    def encode_stream(self, rpc: Rpc, request: HttpRequest, response: HttpResponse) -> tuple[list[bytes], bool]:
        """Encode the response of a streaming rpc: one message for each event or line; otherwise as `encode_response`.

        The place in an error begins with the number of the message.
        """
        form, _ = rpc.match(request.method, request.path)
        contents = []
        for at, (single, records) in enumerate(event_stream.split_response(response)):
            message = self.create_message(rpc.response.name)
            try:
                encoded = call_nested(responses.encode, self.create_encoder(), message, rpc, form, single)
            except CodecError as error:
                raise error.add_step(at) from None
            if not encoded:
                return [serialize(responses.build_status(response))], True
            if records:
                spelling_notes.attach(message, records)
            contents.append(serialize(message))
        return contents, False

    def decode_stream(self, rpc: Rpc, contents: Iterable[bytes], *, failed: bool = False) -> HttpResponse:
        """Return the HTTP response that the messages of a stream stand for."""
        parts = []
        for at, content in enumerate(contents):
            try:
                notes = spelling_notes.NO_NOTES
                if not failed:
                    notes = spelling_notes.read_notes(self.parse_message(rpc.response.name, content))
                parts.append((self.decode_response(rpc, content, failed=failed), notes))
            except CodecError as error:
                raise error.add_step(at) from None
        return parts[0][0] if failed and parts else event_stream.join_responses(parts)
