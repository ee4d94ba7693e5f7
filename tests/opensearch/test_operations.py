"""For every operation of the whole API, requests and answers that the specification's own schemas allow come back."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, urlencode

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from spec2proto_codec import HttpCodec, HttpRequest, HttpResponse

from pipeline.cli.codec import load_codec
from postprocess.round_trip.exchanges import is_same_body, is_same_request
from tests.opensearch.conftest import Build
from tests.opensearch.spec_values import Values
from tests.support import SPEC

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
JSON, LINES = "application/json", "application/x-ndjson"


def operations() -> dict[str, list[tuple[str, str]]]:
    """Method and path of all operations that are not superseded, by their group; of a group without these, of all."""
    found: dict[str, list[tuple[str, str]]] = {}
    older: dict[str, list[tuple[str, str]]] = {}
    for path, item in document()["paths"].items() if SPEC.is_file() else ():
        for method in METHODS:
            if method in item:
                listed = older if item[method].get("x-ignorable") is True else found
                listed.setdefault(item[method]["x-operation-group"], []).append((method, path))
    return older | found


_DOCUMENT: dict[str, Any] = {}


def document() -> dict[str, Any]:
    """The specification, read by a parser of its own, once."""
    if not _DOCUMENT:
        _DOCUMENT.update(yaml.load(SPEC.read_text(), yaml.CSafeLoader))
    return _DOCUMENT


OPERATIONS = operations()


@pytest.fixture(scope="module")
def codec(full: Build) -> HttpCodec:
    return load_codec("opensearch-full", full.folder, "error")


@pytest.fixture(scope="module")
def values(full: Build) -> Values:  # noqa: ARG001 - the specification is at hand
    return Values(document())


def request(data: st.DataObject, values: Values, method: str, path: str) -> HttpRequest:
    """A request of one operation."""
    node = values.document["paths"][path][method]
    query: dict[str, str] = {}
    address = path
    for parameter in map(
        values.resolved, (*values.document["paths"][path].get("parameters", []), *node.get("parameters", []))
    ):
        name, where = parameter["name"], parameter["in"]
        if where == "path":
            texts = values.texts(data, parameter["schema"])
            assume(texts)
            address = address.replace(f"{{{name}}}", quote(texts[0], safe=""))
        elif where == "query" and (parameter.get("required") or data.draw(st.integers(0, 9)) == 0):
            query |= dict(zip([name], values.texts(data, parameter["schema"]), strict=False))
    body, kind = None, ""
    given_body = values.resolved(node.get("requestBody", {}))
    content = given_body.get("content", {})
    kind = next((kind for kind in (JSON, LINES) if kind in content), "")
    if kind and (given_body.get("required") or data.draw(st.booleans())):
        body = text(values.draw(data, content[kind]["schema"]), kind)
    return HttpRequest(method.upper(), address, urlencode(query), body or None, kind if body else "")


def text(value: Any, kind: str) -> str:
    if kind == LINES and isinstance(value, list):
        return "".join(json.dumps(line) + "\n" for line in value)
    return json.dumps(value)


def answers(values: Values, method: str, path: str) -> list[tuple[str, str, Any]]:
    """The successful answers of an operation that have a JSON body: status, type and schema."""
    node = values.document["paths"][path][method] if method != "head" else {"responses": {}}
    found = [(status, values.resolved(each)) for status, each in node["responses"].items() if status.startswith("2")]
    return [
        (status, kind, media["schema"])
        for status, each in found
        for kind, media in each.get("content", {}).items()
        if kind == JSON and "schema" in media
    ]


def check(codec: HttpCodec, values: Values, group: str, examples: int) -> None:
    rpc = codec.find_rpc(group)

    @settings(
        max_examples=examples, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    @given(st.data())
    def comes_back(data: st.DataObject) -> None:
        method, path = data.draw(st.sampled_from(OPERATIONS[group]), "operation")
        asked = request(data, values, method, path)
        assert is_same_request(asked, codec.decode_request(rpc, codec.encode_request(rpc, asked)))
        for status, kind, schema in answers(values, method, path):
            body = text(values.draw(data, schema), kind)
            answer = HttpResponse(int(status) if status.isdecimal() else 200, kind, body)
            content, failed = codec.encode_response(rpc, asked, answer)
            back = codec.decode_response(rpc, content, failed=failed)
            assert is_same_body(answer.body, back.body, kind)
            assert not failed

    comes_back()


@pytest.mark.parametrize("group", OPERATIONS)
def test_requests_and_answers_come_back(codec: HttpCodec, values: Values, group: str) -> None:
    check(codec, values, group, 5)


@pytest.mark.nightly
@pytest.mark.parametrize("group", OPERATIONS)
def test_a_hundred_requests_and_answers_come_back(codec: HttpCodec, values: Values, group: str) -> None:
    check(codec, values, group, 100)
