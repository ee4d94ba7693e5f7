"""Specs made to exhaust the reader: it says so in bounded time, and never ends in a crash."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from pipeline.model.diagnostics import ExitCode
from pipeline.model.document.located import read_document

from .case import Place

LONGEST = 60.0


def spec(schemas: dict[str, Any]) -> str:
    """A specification with one operation, which answers with the schema `S0`."""
    answer = {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}
    operation = {"operationId": "get", "responses": {"200": {"description": "it", "content": answer}}}
    return json.dumps({"openapi": "3.0.3", "paths": {"/it": {"get": operation}}, "components": {"schemas": schemas}})


def nested_lists() -> str:
    return '{"openapi": "3.0.3", "paths": ' + "[" * 200_000 + "]" * 200_000 + "}"


def nested_dashes() -> str:
    return "openapi: 3.0.3\npaths:\n  " + "- " * 200_000 + "end\n"


def nested_mappings() -> str:
    return '{"openapi": "3.0.3", "paths": ' + '{"a": ' * 10_000 + "1" + "}" * 10_000 + "}"


def nested_blocks() -> str:
    return "openapi: 3.0.3\npaths:\n" + "".join(" " * depth + "a:\n" for depth in range(1, 10_001))


def nested_schemas() -> str:
    schema = '{"type": "object", "properties": {"a": ' * 10_000 + "{}" + "}}" * 10_000
    return spec({"S0": "SCHEMA"}).replace('"SCHEMA"', schema)


def many_properties() -> str:
    return spec({"S0": {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(100_000)}}})


def many_values() -> str:
    return spec({"S0": {"type": "string", "enum": [f"v{n}" for n in range(100_000)]}})


def many_variants() -> str:
    return spec({"S0": {"oneOf": [{"type": "object", "title": f"t{n}"} for n in range(100_000)]}})


def many_schemas() -> str:
    return spec({f"S{n}": {} for n in range(100_001)})


def large_text() -> str:
    """No document at all: the words of a description, 101 MB of them."""
    return "openapi: 3.0.3\ndescription: " + "word " * 20_200_000


def long_chain() -> str:
    nexts = ({"next": {"$ref": f"#/components/schemas/S{n + 1}"}} for n in range(5000))
    links = {f"S{n}": {"type": "object", "properties": properties} for n, properties in enumerate(nexts)}
    return spec({**links, "S5000": {"type": "string"}})


def long_chain_of_aliases() -> str:
    links = {f"S{n}": {"$ref": f"#/components/schemas/S{n + 1}"} for n in range(20_000)}
    return spec({**links, "S20000": {"type": "string"}})


def test_json_with_surrogate_pairs_is_no_broken_yaml() -> None:
    text = rb'{"pair": "\ud83d\ude00", "escaped": "\\ud83d\\ude00", "two": "\uD83D\uDE00\ud83d\ude01"}'

    assert read_document(text, "spec.json") == json.loads(text)


def test_json_with_characters_that_yaml_refuses_or_breaks_lines_at_is_read_as_json() -> None:
    text = '\ufeff{"a": "\x7f\x80\x85\x9f", "b": "\u2028\u2029", "c": "\ufeff\ufffe\uffff", "\x85": "end"}'.encode()

    assert read_document(text, "spec.json") == json.loads(text)
    assert read_document(text, "spec.json").place.line == 1


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (nested_lists, "document/too-large"),
        (nested_dashes, "document/too-large"),
        (nested_mappings, "document/too-large"),
        (nested_blocks, "document/too-large"),
        (nested_schemas, "document/too-large"),
        (many_properties, "limits/members"),
        (many_values, "limits/members"),
        (many_variants, "limits/members"),
        (many_schemas, "limits/schemas"),
        (large_text, "fetch/too-large"),
        (long_chain, "spec/too-deep"),
        (long_chain_of_aliases, "spec/too-deep"),
    ],
)
def test_is_refused(place: Place, make: Callable[[], str], code: str) -> None:
    (place.folder / "spec.yaml").write_text(make(), encoding="utf-8")
    before = place.snapshot()
    began = time.monotonic()

    ran = place.run("build --profile {profile} --spec {spec} --out {out}", {}, spec=str(place.folder / "spec.yaml"))

    assert time.monotonic() - began < LONGEST
    assert ran.exit_code == ExitCode.BAD_INPUT, ran.stderr[-2000:]
    assert f"error[{code}]: " in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert place.snapshot() == before


def test_fifty_megabytes_of_description_are_read_and_told_in_short(place: Place) -> None:
    described = {"type": "object", "description": "word " * 10_000_000, "properties": {"a": {"type": "string"}}}
    (place.folder / "spec.json").write_text(spec({"S0": described}), encoding="utf-8")
    with place.profile.open("a", encoding="utf-8") as profile:
        profile.write("comments: full\nlimits: {memory_mb: 1024}\n")

    ran = place.run("build --profile {profile} --spec {spec} --out {out}", {}, spec=str(place.folder / "spec.json"))

    assert (ran.exit_code, ran.stderr) == (ExitCode.DONE, "")
    text = (place.out / "case" / "v1" / "case.proto").read_text(encoding="utf-8")
    assert "word word" in text
    assert len(text) < 100_000


def test_more_fields_than_runtimes_take_are_refused(place: Place) -> None:
    """Protoc takes them, the runtimes in C do not: 64 KiB a message."""
    fields = {f"p{n}": {"type": "string"} for n in range(5_000)}
    (place.folder / "spec.json").write_text(spec({"S0": {"type": "object", "properties": fields}}), encoding="utf-8")
    before = place.snapshot()

    ran = place.run("build --profile {profile} --spec {spec} --out {out}", {}, spec=str(place.folder / "spec.json"))

    assert ran.exit_code == ExitCode.REFUSED
    assert "error[proto/runtime]: protobuf's Python runtime refuses the protos: Message size exceeded" in ran.stderr
    assert place.snapshot() == before
