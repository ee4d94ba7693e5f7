"""Codecs of small contracts, each built by the real pipeline: those of these tests and the examples of all rules."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from spec2proto_codec import HttpCodec

from postprocess.binding.writer import format_binding
from postprocess.tools.protoc import compile_protos
from tests.codec.specs import PAGES
from tests.rules.catalogue import run_all
from tests.rules.examples import Example
from tests.rules.pages import read_pages


@pytest.fixture(scope="session")
def bindings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[FileDescriptorSet, dict[str, object]]]:
    """Descriptors and binding of every page."""
    examples = run_all([*PAGES, *read_pages()])
    built = {stem: example for stem, example in examples.items() if example.done is not None and not example.refused}
    folder = tmp_path_factory.mktemp("protos")
    for example in built.values():
        for name, text in example.protos.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    everything = compile_protos(folder, [name for example in built.values() for name in example.protos])
    return {stem: (_own(example, everything), _binding(example)) for stem, example in built.items()}


def _own(example: Example, everything: FileDescriptorSet) -> FileDescriptorSet:
    foreign = {"google/api/", "google/protobuf/", "buf/validate/"}
    wanted = [
        file for file in everything.file if file.name in example.protos or any(map(file.name.startswith, foreign))
    ]
    return FileDescriptorSet(file=wanted)


def _binding(example: Example) -> dict[str, object]:
    done = example.built
    found: dict[str, object] = json.loads(format_binding(done.contract, example.profile.package))
    return found


@pytest.fixture(scope="session")
def codec(bindings: dict[str, tuple[FileDescriptorSet, dict[str, object]]]) -> Callable[..., HttpCodec]:
    """A codec of one page, by its stem."""
    return lambda stem, unknown="error", documents="json": HttpCodec(*bindings[stem], unknown, documents)
