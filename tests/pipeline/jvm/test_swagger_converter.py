"""Swagger 2.0 becomes OpenAPI 3 with nothing lost, and every part of it leads back into the original."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pipeline.jvm.swagger_converter import convert_to_openapi
from pipeline.model.document.located import LocatedMap, read_document, resolve_pointer, walk_maps
from pipeline.model.profile.profile import Limits
from tests.parts import Part, absent
from tests.rules.pages import FOLDER, SPEC, Page
from tests.support import TOOLS

OLD_JAR = TOOLS / "openapi-generator-7.19.0" / "openapi_generator_cli" / "openapi-generator.jar"
LOANS = Page("swagger-2", (FOLDER / "scope" / "swagger-2.md").read_text(encoding="utf-8")).block(SPEC)
# What the converter has no room for, or stumbles over.
CORNERS = """
swagger: 2.0
info: {title: Corners, version: 1.0.0}
paths:
  /things:
    parameters:
      - {name: thing, in: body, schema: {$ref: '#/definitions/Thing'}}
      - {$ref: '#/parameters/Lang'}
    post: {responses: {'200': {$ref: '#/responses/Done'}, default: {description: Failed}}}
    put:
      parameters:
        - {name: text, in: body, required: true, schema: {type: string}}
      responses: {'204': {description: Done, headers: {X-Left: {type: integer, enum: [1, 2]}}}}
  /things/{id}:
    get:
      x-note: {default: kept}
      parameters:
        - {name: id, in: path, required: true, type: integer, format: int64, enum: [3000000000], x-nullable: false}
        - {name: tags, in: query, type: array, items: {type: string, enum: [a, b]}, collectionFormat: pipes}
      responses: {'200': {description: Thing, schema: {}}}
parameters:
  Lang: {name: lang, in: header, type: string, default: en}
responses:
  Done: {description: Done, schema: {$ref: '#/definitions/Thing'}}
definitions:
  Thing:
    type: object
    discriminator: kind
    required: [kind, since]
    properties:
      kind: {type: string}
      default: {description: Any value}
      size: {enum: [1, 2]}
      names: {type: [array, string], items: {type: string}}
  Other:
    required: [since]
    allOf: [{$ref: '#/definitions/Thing'}, {properties: {note: {type: string, x-nullable: true}}}]
    additionalProperties: false
"""


def converted(text: str, folder: Path, **environ: str) -> LocatedMap:
    return convert_to_openapi(read_document(text, "swagger.yaml"), folder, Limits(), {**os.environ, **environ})


@pytest.fixture(scope="module")
def corners(tmp_path_factory: pytest.TempPathFactory) -> LocatedMap:
    return converted(CORNERS, tmp_path_factory.mktemp("corners"))


def test_schemas_keep_every_word(corners: LocatedMap) -> None:
    assert corners["components"]["schemas"] == {
        "Thing": {
            "type": "object",
            "discriminator": {"propertyName": "kind"},
            "required": ["kind", "since"],
            "properties": {
                "kind": {"type": "string"},
                "default": {"description": "Any value"},
                "size": {"enum": [1, 2]},
                "names": {"type": ["array", "string"], "items": {"type": "string"}},
            },
        },
        "Other": {
            "required": ["since"],
            "allOf": [
                {"$ref": "#/components/schemas/Thing"},
                {"properties": {"note": {"type": "string", "nullable": True}}},
            ],
            "additionalProperties": False,
        },
    }


def test_a_body_of_the_path_is_the_body_of_each_operation_without_one(corners: LocatedMap) -> None:
    item = corners["paths"]["/things"]
    assert item["parameters"] == [{"$ref": "#/components/parameters/Lang"}]
    assert item["post"]["requestBody"]["content"]["*/*"]["schema"] == {"$ref": "#/components/schemas/Thing"}
    assert item["put"]["requestBody"]["content"]["*/*"]["schema"] == {"type": "string"}
    assert item["put"]["requestBody"]["required"] is True


def test_parameters_keep_every_word(corners: LocatedMap) -> None:
    operation = corners["paths"]["/things/{id}"]["get"]
    listed = operation["parameters"]
    number = {"type": "integer", "format": "int64", "enum": [3000000000], "nullable": False}
    assert listed[0]["schema"] == number
    assert listed[1]["schema"] == {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}
    assert listed[1]["style"] == "pipeDelimited"
    assert corners["components"]["parameters"]["Lang"]["schema"] == {"type": "string", "default": "en"}
    assert operation["x-note"] == {"default": "kept"}
    assert operation["responses"]["200"]["content"] == {"*/*": {"schema": {}}}


@pytest.mark.parametrize("text", [LOANS, CORNERS], ids=["loans", "corners"])
def test_every_place_is_one_of_the_original(text: str, tmp_path: Path) -> None:
    original = read_document(text, "swagger.yaml")
    for value in walk_maps(converted(text, tmp_path)):
        there = resolve_pointer(original, value.place.pointer)
        assert there.place == value.place


def test_a_schema_and_a_parameter_lead_to_where_they_stand(corners: LocatedMap) -> None:
    schemas = corners["components"]["schemas"]
    note = schemas["Other"]["allOf"][1]["properties"]["note"]
    assert str(note.place).endswith(" /definitions/Other/allOf/1/properties/note")
    parameter = corners["paths"]["/things/{id}"]["get"]["parameters"][1]
    assert parameter.place == parameter["schema"].place
    assert parameter.place.pointer == "/paths/~1things~1{id}/get/parameters/1"
    body = corners["paths"]["/things"]["post"]["requestBody"]
    assert body["content"]["*/*"]["schema"].place.pointer == "/paths/~1things/parameters/0/schema"


def test_the_order_of_keys_does_not_matter(corners: LocatedMap, tmp_path: Path) -> None:
    document = reversed_keys(read_document(CORNERS, "swagger.yaml"))
    assert convert_to_openapi(document, tmp_path, Limits(), os.environ) == corners


def reversed_keys(value: Any) -> Any:
    """The value with the keys of every mapping reversed; lists keep their order, which has a meaning."""
    if isinstance(value, LocatedMap):
        mapping = LocatedMap({key: reversed_keys(value[key]) for key in reversed(value)})
        mapping.place = value.place
        return mapping
    if isinstance(value, list):
        value[:] = [reversed_keys(item) for item in value]
    return value


def test_the_converter_of_an_older_generator_agrees(corners: LocatedMap, tmp_path: Path) -> None:
    if not OLD_JAR.is_file():
        absent(Part.OLD_GENERATOR, f"OpenAPI Generator 7.19.0 is not at {OLD_JAR}; `make test` installs it")
    assert converted(CORNERS, tmp_path, SPEC2PROTO_GENERATOR_JAR=str(OLD_JAR)) == corners


def test_what_is_no_swagger_is_left_alone(tmp_path: Path) -> None:
    document = read_document("openapi: 3.1.0\npaths: {}\n", "openapi.yaml")
    assert convert_to_openapi(document, tmp_path / "unused", Limits(), {}) is document
    assert not (tmp_path / "unused").exists()
