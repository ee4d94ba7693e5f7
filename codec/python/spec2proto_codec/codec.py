"""The codec: JSON ⇄ messages ⇄ bytes, from descriptors and binding alone."""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, EncodeError, Message
from google.protobuf.message_factory import GetMessageClass

from spec2proto_codec.decode.decoder import Decoder
from spec2proto_codec.encode.encoder import Encoder, Unknown
from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats.documents import Encoding
from spec2proto_codec.plans.build import Plans
from spec2proto_codec.values import spelling_notes

FORMAT = 1
"""The format of the binding that this codec reads."""


class Codec:
    """Carries JSON values as messages of one contract.

    Attributes:
        binding: as `postprocess.binding.writer` writes it.
        plans: what is known of each message.
        unknown: what becomes of keys and enum texts that the contract does not have: an `error`, `keep` for carrying
            them in the message's note, `ignore` for dropping them.
        documents: how documents that stand for JSON in `bytes` are encoded; all encodings are decoded.
    """

    def __init__(
        self,
        descriptors: FileDescriptorSet,
        binding: dict[str, Any],
        unknown: Unknown = "error",
        documents: Encoding = "json",
    ) -> None:
        """Work out what is needed of all messages.

        Args:
            descriptors: of the protos, imports included.
            binding: that was built together with them.
            unknown: see above.
            documents: see above.

        Raises:
            CodecError: when the binding is of another format.
        """
        if binding.get("version") != FORMAT:
            raise CodecError(f"the binding is of format {binding.get('version')}, not {FORMAT}")
        self._pool = DescriptorPool()
        for file in descriptors.file:
            self._pool.Add(_without_json_names(file))
        self.binding = binding
        self.unknown: Unknown = unknown
        self.documents: Encoding = documents
        self.plans = Plans(self._pool, binding)
        self._classes: dict[str, type[Message]] = {}

    def create_message(self, name: str) -> Any:
        """An empty message of a full name."""
        made = self._classes.get(name)
        if made is None:
            made = self._classes[name] = GetMessageClass(self._pool.FindMessageTypeByName(name))
        return made()

    def create_encoder(self) -> Encoder:
        """What encodes one JSON document."""
        return Encoder(self.unknown, self.documents)

    def encode_message(self, name: str, value: Any) -> Any:
        """The message that a JSON value becomes.

        Args:
            name: the full name of the message.
            value: as `texts.parse` gives it.

        Raises:
            CodecError: what cannot be carried, and where it stands.
        """
        plan = self.plans.get_plan(name)
        message = self.create_message(name)
        try:
            self.create_encoder().fill(message, plan, value)
        except RecursionError:
            raise CodecError("nested too deeply") from None
        return message

    def encode(self, name: str, value: Any) -> bytes:
        """The bytes that a JSON value becomes, as a message of that full name.

        Raises:
            CodecError: what cannot be carried, and where it stands.
        """
        return serialize(self.encode_message(name, value))

    def decode_message(self, message: Any) -> Any:
        """The JSON value of a message.

        Raises:
            CodecError: what stands for no JSON, and where it would stand.
        """
        plan = self.plans.get_plan(message.DESCRIPTOR.full_name)
        try:
            return Decoder(noted=spelling_notes.has_unknown_fields(message)).read(message, plan)
        except RecursionError:
            raise CodecError("nested too deeply") from None

    def decode(self, name: str, content: bytes) -> Any:
        """The JSON value of the bytes of a message of that full name.

        Raises:
            CodecError: when the bytes are no such message, or stand for no JSON.
        """
        return self.decode_message(self.parse_message(name, content))

    def parse_message(self, name: str, content: bytes) -> Any:
        """The message of its bytes.

        Raises:
            CodecError: when they are none.
        """
        message = self.create_message(name)
        try:
            message.ParseFromString(content)
        except DecodeError as error:
            raise CodecError(f"no bytes of {name.rpartition('.')[2]}: {error}") from None
        return message


def _without_json_names(file: FileDescriptorProto) -> FileDescriptorProto:
    """A file as the pool takes it: upb refuses a `json_name` that is the name of an `optional` field's own oneof."""
    copy = FileDescriptorProto()
    copy.CopyFrom(file)
    copy.ClearField("source_code_info")
    waiting = list(copy.message_type)
    while waiting:
        message = waiting.pop()
        waiting += message.nested_type
        for item in message.field:
            item.ClearField("json_name")
    return copy


def serialize(message: Any) -> bytes:
    """The bytes of a message, the same each time.

    Raises:
        CodecError: when it is nested more deeply than protobuf reads, 100 messages.
    """
    try:
        content: bytes = message.SerializeToString(deterministic=True)
        message.__class__.FromString(content)
    except (EncodeError, DecodeError):
        raise CodecError("nested more deeply than the 100 messages that protobuf reads") from None
    return content
