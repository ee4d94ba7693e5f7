"""Specs made to exhaust the reader: it says so in bounded time, and never ends in a crash."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from pipeline.model.findings import ExitCode
from pipeline.model.located import read_document

from .case import Place

LONGEST = 30.0


def spec(schemas: dict[str, Any]) -> str:
    """A specification with one operation, which answers with the schema `S0`."""
    answer = {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}
    operation = {"operationId": "get", "responses": {"200": {"description": "it", "content": answer}}}
    return json.dumps({"openapi": "3.0.3", "paths": {"/it": {"get": operation}}, "components": {"schemas": schemas}})


def nested_lists() -> str:
    return '{"openapi": "3.0.3", "paths": ' + "[" * 200_000 + "]" * 200_000 + "}"


def nested_dashes() -> str:
    return "openapi: 3.0.3\npaths:\n  " + "- " * 200_000 + "end\n"


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
