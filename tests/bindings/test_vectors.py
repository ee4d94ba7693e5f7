"""Each language reads what the others wrote, for messages with every kind of field."""

from __future__ import annotations

import json

import pytest
from google.protobuf import json_format
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from pipeline.packages.plugins import LANGUAGES
from postprocess.tools.protoc import compile_folder
from tests.bindings.speakers import names_of, speaker
from tests.bindings.vectors import as_json, covering, kind
from tests.support import ROOT


def vectors_of(profile: str) -> list[Message]:
    descriptors = compile_folder(ROOT / "protos" / profile, profile)
    return covering(descriptors, names_of(profile).package)


def test_the_vectors_have_every_kind_of_field() -> None:
    vectors = vectors_of("opensearch")
    found = {kind(field) for message in vectors for field in message.DESCRIPTOR.fields}
    package = vectors[0].DESCRIPTOR.file.pool.FindFileByName("protos/schemas/common.proto")
    declared = {kind(field) for message in package.message_types_by_name.values() for field in message.fields}
    assert found == declared
    assert len(found) > 20
    assert any(message.ByteSize() for message in vectors)


def test_opensearch() -> None:
    check("opensearch")


@pytest.mark.nightly
def test_opensearch_full() -> None:
    check("opensearch-full")


def check(profile: str) -> None:
    """Encode in each language, decode in each: what comes out is the message that went in."""
    vectors = vectors_of(profile)
    names = [message.DESCRIPTOR.full_name for message in vectors]
    speakers = {language: speaker(profile, language) for language in LANGUAGES}
    for writer, write in speakers.items():
        written = write("encode", list(zip(names, map(as_json, vectors), strict=True)))
        for reader, read in speakers.items():
            texts = read("decode", list(zip(names, written, strict=True)))
            for message, text in zip(vectors, texts, strict=True):
                found = GetMessageClass(message.DESCRIPTOR)()
                json_format.ParseDict(json.loads(text), found)
                assert found == message, f"{message.DESCRIPTOR.full_name}, written by {writer}, read by {reader}"
