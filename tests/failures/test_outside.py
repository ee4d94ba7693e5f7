"""Nothing outside the document is ever asked for or opened, neither by Python nor by the JVM.

What every reference leads to is real: a server that notes requests, and a pipe that notices whoever opens it.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.model.diagnostics import ExitCode
from tests.pipeline.fetch.web_server import Handler, Site, serving

from .case import Place

BUILD = "build --profile {profile} --spec {spec} --out {out}"


class Canary:
    """A pipe in place of a file. Who opens it to write waits for a reader, so a reader does not stay unnoticed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.opened = False
        os.mkfifo(path)
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._wait, daemon=True)
        self.thread.start()

    def _wait(self) -> None:
        handle = os.open(self.path, os.O_WRONLY)
        self.opened = not self.done.is_set()
        os.close(handle)

    def close(self) -> None:
        self.done.set()
        os.close(os.open(self.path, os.O_RDONLY | os.O_NONBLOCK))
        self.thread.join(timeout=5)


@pytest.fixture
def canary(tmp_path: Path) -> Iterator[Canary]:
    found = Canary(tmp_path / "canary.yaml")
    yield found
    found.close()


@pytest.fixture
def site() -> Iterator[Site]:
    class Anything(dict[str, Callable[[Handler], None]]):
        def __missing__(self, _path: str) -> Callable[[Handler], None]:
            return lambda handler: handler.reply(200, b'{"type": "string"}')

    server = Site()
    server.routes = Anything()
    with serving(server):
        yield server


def document(schema: Any, **operation: Any) -> dict[str, Any]:
    """A specification whose one answer has a schema."""
    answer = {"200": {"description": "it", "content": {"application/json": {"schema": schema}}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Case", "version": "1"},
        "paths": {"/it/{id}": {"post": {"operationId": "it", "responses": answer} | operation}},
    }


def bare(reference: dict[str, str]) -> dict[str, Any]:
    """A document where a reference stands that is followed if any is."""
    return document({"type": "object", "properties": {"a": reference}})


FOLLOWED: dict[str, Callable[[dict[str, str]], dict[str, Any]]] = {
    "schema": document,
    "property": bare,
    "items": lambda found: document({"type": "array", "items": found}),
    "allOf": lambda found: document({"allOf": [found, {"type": "object"}]}),
    "oneOf": lambda found: document({"oneOf": [found, {"type": "string"}]}),
    "additionalProperties": lambda found: document({"type": "object", "additionalProperties": found}),
    "parameter": lambda found: document({}, parameters=[found]),
    "request-body": lambda found: document({}, requestBody=found),
    "answer": lambda found: document({}, responses={"200": found}),
    "path": lambda found: document({}) | {"paths": {"/it": found}},
    "component": lambda found: document({"$ref": "#/components/schemas/A"}) | {"components": {"schemas": {"A": found}}},
}


def run(place: Place, document: dict[str, Any]) -> tuple[int, str]:
    spec = place.folder / "spec.json"
    spec.write_text(json.dumps(document), encoding="utf-8")
    ran = place.run(BUILD, {}, spec=str(spec))
    assert "Traceback" not in ran.stderr
    return ran.exit_code, ran.stderr


@pytest.mark.parametrize("where", FOLLOWED)
@pytest.mark.parametrize("kind", ["address", "file"])
def test_a_reference_to_the_outside_is_refused(place: Place, site: Site, canary: Canary, where: str, kind: str) -> None:
    target = f"{site.url}/schema.json#/a" if kind == "address" else f"{canary.path.as_uri()}#/a"

    code, told = run(place, FOLLOWED[where]({"$ref": target}))

    assert (code, told.count("\n")) == (ExitCode.BAD_INPUT, 1)
    assert "error[spec/external-reference]: " in told
    assert site.asked == []
    assert not canary.opened


def aside(url: str, file: str) -> dict[str, Any]:
    """A document that names addresses and files wherever OpenAPI lets it, but for `$ref`."""
    variant = {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}}}
    schema = {
        "$schema": f"{url}/dialect",
        "$id": f"{url}/id",
        "$comment": f"see {url}/comment",
        "externalDocs": {"url": f"{url}/docs"},
        "xml": {"namespace": f"{url}/xml"},
        "oneOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}],
        "discriminator": {"propertyName": "kind", "mapping": {"a": f"{url}/a.json#/A", "b": file, "c": "other.yaml"}},
    }
    made = document(schema)
    operation = made["paths"]["/it/{id}"]["post"]
    media = operation["responses"]["200"]["content"]["application/json"]
    media["examples"] = {
        "far": {"externalValue": f"{url}/example"},
        "near": {"externalValue": file},
        "ref": {"$ref": file},
    }
    operation["responses"]["200"]["links"] = {
        "next": {"operationRef": f"{url}/openapi.json#/paths"},
        "other": {"$ref": file},
    }
    operation["responses"]["200"]["headers"] = {"X-Far": {"$ref": f"{url}/header.json"}}
    operation["callbacks"] = {"done": {"$ref": f"{url}/callback.json"}}
    operation["servers"] = [{"url": url}]
    operation["description"] = f"![picture]({url}/picture.png) <img src='{url}/x'> {{{{> {file}}}}} $ref: {file}"
    return made | {
        "jsonSchemaDialect": f"{url}/dialect",
        "servers": [{"url": url}],
        "externalDocs": {"url": f"{url}/docs"},
        "tags": [{"name": "x", "externalDocs": {"url": f"{url}/tag"}}],
        "webhooks": {"hook": {"$ref": f"{url}/hook.json"}},
        "components": {
            "schemas": {"A": variant, "B": variant | {"title": "other", "additionalProperties": False}},
            "examples": {"far": {"$ref": f"{url}/example"}},
            "securitySchemes": {"x": {"type": "openIdConnect", "openIdConnectUrl": f"{url}/openid"}},
        },
    }


def test_what_only_names_the_outside_is_left_alone(place: Place, site: Site, canary: Canary) -> None:
    with place.profile.open("a", encoding="utf-8") as profile:
        profile.write("comments: full\n")
    (place.out / "case" / "v1" / "case.proto").unlink()

    code, told = run(place, aside(site.url, str(canary.path)))

    assert (code, told) == (ExitCode.DONE, "")
    assert site.asked == []
    assert not canary.opened


def swagger(url: str, file: str) -> dict[str, Any]:
    """The same in Swagger 2.0, which the JVM converts."""
    thing = {
        "type": "object",
        "discriminator": "kind",
        "required": ["kind"],
        "externalDocs": {"url": f"{url}/docs"},
        "properties": {"kind": {"type": "string"}, "a": {"type": "string", "example": {"$ref": file}}},
        "example": {"externalValue": file, "$ref": f"{url}/example.json"},
    }
    answer = {
        "description": "it",
        "schema": {"$ref": "#/definitions/Thing"},
        "examples": {"application/json": {"$ref": file}},
    }
    return {
        "swagger": "2.0",
        "info": {"title": "Case", "version": "1", "termsOfService": f"{url}/terms"},
        "host": url.removeprefix("http://"),
        "schemes": ["http"],
        "externalDocs": {"url": f"{url}/docs"},
        "securityDefinitions": {"x": {"type": "oauth2", "flow": "implicit", "authorizationUrl": url, "scopes": {}}},
        "paths": {"/it": {"get": {"operationId": "it", "responses": {"200": answer}}}},
        "definitions": {"Thing": thing},
    }


def test_the_converter_of_swagger_asks_for_nothing(place: Place, site: Site, canary: Canary) -> None:
    code, told = run(place, swagger(site.url, str(canary.path)))

    assert (code, told) == (ExitCode.DONE, "")
    assert site.asked == []
    assert not canary.opened


def test_a_tag_of_yaml_runs_and_reads_nothing(place: Place, canary: Canary) -> None:
    made = place.folder / "made"
    spec = place.folder / "spec.yaml"
    text = json.dumps(document({"type": "object", "properties": {"a": {"type": "string"}}}))
    evil = f'x-a: !!python/object/apply:os.system ["touch {made}"]\nx-b: !include {canary.path}\nx-c: !<!x> {{a: 1}}\n'
    spec.write_text(evil + "\n".join(f"{key}: {json.dumps(value)}" for key, value in json.loads(text).items()))

    ran = place.run(BUILD, {}, spec=str(spec))

    assert ran.exit_code == ExitCode.DONE, ran.stderr
    assert not made.exists()
    assert not canary.opened


def test_the_canary_sees_who_opens_it(canary: Canary, site: Site) -> None:
    os.close(os.open(canary.path, os.O_RDONLY | os.O_NONBLOCK))
    canary.thread.join(timeout=5)

    assert canary.opened
    assert site.asked == []
