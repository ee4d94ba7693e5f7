"""Convert between JSON values, protobuf messages and their bytes, given descriptors and binding."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, EncodeError, Message
from google.protobuf.message_factory import GetMessageClass

from spec2proto_codec.decode.decoder import Decoder
from spec2proto_codec.encode.encoder import Encoder, Unknown
from spec2proto_codec.errors import CodecError, call_nested
from spec2proto_codec.formats.documents import Encoding
from spec2proto_codec.plans.build import Plans
from spec2proto_codec.values import spelling_notes

FORMAT = 1  # Version of the binding format that this codec reads.


@dataclass(eq=False, repr=False)
class Codec:
    """Converts JSON values to the messages of one contract and back.

    Attributes:
        descriptors: descriptors of the protos, with imports; an argument only.
        binding: the parsed `binding.json` of the same build.
        unknown: what to do with keys and enum strings that the contract does not have. `error` refuses them, `keep`
            carries them in the message's spelling note, and `ignore` drops unknown keys.
        documents: encoding of JSON documents in `bytes` fields; the decoder reads all encodings.
        plans: plans of all messages.

    Raises:
        CodecError: if the binding has another format version.
    """

    descriptors: InitVar[FileDescriptorSet]
    binding: dict[str, Any]
    unknown: Unknown = "error"
    documents: Encoding = "json"
    plans: Plans = field(init=False)

    def __post_init__(self, descriptors: FileDescriptorSet) -> None:
        if self.binding.get("version") != FORMAT:
            raise CodecError(f"the binding is of format {self.binding.get('version')}, not {FORMAT}")
        self._pool = DescriptorPool()
        for file in descriptors.file:
            self._pool.Add(_strip_json_names(file))
        self.plans = Plans(self._pool, self.binding)
        self._classes: dict[str, type[Message]] = {}

    def create_message(self, name: str) -> Any:
        """Return an empty message of the type `name`, a full name; raise `KeyError` if the descriptors lack it."""
        message_class = self._classes.get(name)
        if message_class is None:
            message_class = self._classes[name] = GetMessageClass(self._pool.FindMessageTypeByName(name))
        return message_class()

    def create_encoder(self) -> Encoder:
        """Return an encoder for one JSON document."""
        return Encoder(self.unknown, self.documents)

    def encode_message(self, name: str, value: Any) -> Any:
        """Convert a JSON value, as `formats.json.parse` returns it, to a message of the type `name`, a full name.

        Raise `CodecError` if the contract cannot carry the value; the error names the place in the value.
        """
        plan = self.plans.get_plan(name)
        message = self.create_message(name)
        call_nested(self.create_encoder().fill, message, plan, value)
        return message

    def encode(self, name: str, value: Any) -> bytes:
        """Convert a JSON value to the bytes of a message, as `encode_message` does."""
        return serialize(self.encode_message(name, value))

    def decode_message(self, message: Any) -> Any:
        """Convert a message to its JSON value; raise `CodecError` with the place if it represents no JSON."""
        plan = self.plans.get_plan(message.DESCRIPTOR.full_name)
        return call_nested(create_decoder(message).read, message, plan)

    def decode(self, name: str, content: bytes) -> Any:
        """Convert the bytes of a message of the type `name` to its JSON value; raise `CodecError` if it has none."""
        return self.decode_message(self.parse_message(name, content))

    def parse_message(self, name: str, content: bytes) -> Any:
        """Parse the bytes of a message of the type `name`; raise `CodecError` if they are no such message."""
        message = self.create_message(name)
        try:
            message.ParseFromString(content)
        except DecodeError as error:
            raise CodecError(f"the bytes are no {name.rpartition('.')[2]} message: {error}") from None
        return message


def create_decoder(message: Any) -> Decoder:
    """Return a decoder for one message; it looks for notes only if there are unknown fields."""
    return Decoder(noted=spelling_notes.has_unknown_fields(message))


def _strip_json_names(file: FileDescriptorProto) -> FileDescriptorProto:
    """Return a file without `json_name` and source info.

    The pool (upb) refuses a `json_name` that equals the name of the synthetic oneof of an `optional` field.
    """
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
    """Return the bytes of a message, equal ones for equal messages; raise `CodecError` if protobuf cannot read them."""
    try:
        content: bytes = message.SerializeToString(deterministic=True)
        message.__class__.FromString(content)
    except (EncodeError, DecodeError):
        raise CodecError("nested more deeply than the 100 messages that protobuf reads") from None
    return content
