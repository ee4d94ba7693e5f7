"""References are URIs, and paths may have extensions among them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipeline.model.diagnostics import Failure
from pipeline.model.document.located import read_document
from pipeline.model.lock.model import create_empty_lock
from pipeline.model.profile.load import load_profile
from preprocess.passes import preprocess
from preprocess.records import PreprocessResult


def preprocessed(paths: dict[str, Any], schemas: dict[str, Any]) -> PreprocessResult:
    document = {"openapi": "3.0.3", "paths": paths, "components": {"schemas": schemas}}
    return preprocess(
        read_document(json.dumps(document), "spec"), load_profile("generic"), create_empty_lock("a.v1"), []
    )


def answer(reference: str) -> dict[str, Any]:
    return {"200": {"description": "OK", "content": {"application/json": {"schema": {"$ref": reference}}}}}


def test_a_reference_may_encode_characters_of_a_key() -> None:
    schemas = {"List{Book}": {"type": "object", "properties": {"id": {"type": "string"}}}}
    paths = {"/books": {"get": {"operationId": "list", "responses": answer("#/components/schemas/List%7BBook%7D")}}}
    done = preprocessed(paths, schemas)
    assert [item.type for item in done.contract.messages["ListResponse"].fields] == ["ListBook"]


def test_a_reference_may_lead_into_a_path_with_parameters() -> None:
    shared = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    paths = {
        "/books/{id}": {"parameters": [shared], "get": {"operationId": "get", "responses": {}}},
        "/loans/{id}": {
            "parameters": [{"$ref": "#/paths/~1books~1%7Bid%7D/parameters/0"}],
            "get": {"operationId": "loan", "responses": {}},
        },
    }
    done = preprocessed(paths, {})
    assert [item.name for item in done.contract.messages["LoanRequest"].fields] == ["id"]


def test_a_reference_may_lead_to_all_components() -> None:
    schemas = {"Book": {"allOf": [{"$ref": "#/components/schemas"}]}}
    paths = {"/books": {"get": {"operationId": "list", "responses": answer("#/components/schemas/Book")}}}
    assert [rpc.name for rpc in preprocessed(paths, schemas).contract.rpcs] == ["List"]


def test_a_reference_into_what_should_be_a_list_may_name_its_part() -> None:
    schemas = {"Book": {"oneOf": {"a": {"type": "string"}}}, "Shelf": {"$ref": "#/components/schemas/Book/oneOf/a"}}
    paths = {"/books": {"get": {"operationId": "list", "responses": answer("#/components/schemas/Shelf")}}}
    assert [item.type for item in preprocessed(paths, schemas).contract.messages["ListResponse"].fields] == ["string"]


@pytest.mark.parametrize("index", ["\u00b2", "\u0661", "01", "-1", "9" * 5000, "1"])
def test_an_index_is_plain_digits(index: str) -> None:
    """RFC 6901, section 4: no sign, no leading zero, and no digits of other scripts."""
    found = f"#/paths/x-list/{index}"
    paths = {"/books": {"get": {"parameters": [{"$ref": found}], "responses": {}}}, "x-list": [1]}
    with pytest.raises(Failure, match="spec/dangling-reference"):
        preprocessed(paths, {})


def test_a_variant_may_be_a_boolean() -> None:
    schemas = {"Book": {"properties": {"id": {"anyOf": [True, {"type": "string"}]}}, "oneOf": [True, {}]}}
    paths = {"/books": {"get": {"operationId": "list", "responses": answer("#/components/schemas/Book")}}}
    assert "Book" in preprocessed(paths, schemas).contract.messages


def test_marks_of_passes_mean_nothing_in_a_spec() -> None:
    marks = {"x-proto-excluded": "text", "x-proto-base": True, "x-proto-spelling": "no-rule"}
    schemas = {"Book": {**marks, "type": "object", "properties": {"id": {"type": "string", **marks}, "gone": False}}}
    paths = {"/books": {"get": {"operationId": "list", "responses": answer("#/components/schemas/Book")}}}
    book = preprocessed(paths, schemas).contract.messages["Book"]
    assert [(item.name, item.rules) for item in book.fields] == [("id", ())]


def test_a_path_item_may_be_a_reference() -> None:
    shared = {"get": {"operationId": "list", "responses": {}}, "post": {"operationId": "add", "responses": {}}}
    own = {"$ref": "#/x-items/books", "post": {"operationId": "put", "responses": {}}}
    document = {"openapi": "3.1.0", "paths": {"/books": own}, "x-items": {"books": shared}}
    profile = load_profile("generic")
    done = preprocess(read_document(json.dumps(document), "spec"), profile, create_empty_lock("a.v1"), [])
    assert sorted(rpc.name for rpc in done.contract.rpcs) == ["List", "Put"]


def test_a_member_refers_with_a_text() -> None:
    schemas = {"Book": {"discriminator": {"propertyName": "a"}, "allOf": [{"$ref": 5e-324}]}}
    paths = {"/books": {"get": {"operationId": "list", "responses": answer("#/components/schemas/Book")}}}
    with pytest.raises(Failure, match="spec/malformed"):
        preprocessed(paths, schemas)


def test_extensions_among_the_paths_are_no_paths() -> None:
    paths = {"x-root": "/api", "/books": {"get": {"operationId": "list", "responses": {}}}}
    assert [rpc.name for rpc in preprocessed(paths, {}).contract.rpcs] == ["List"]
