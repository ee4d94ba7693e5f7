"""References are URIs, and paths may have extensions among them."""

from __future__ import annotations

import json
from typing import Any

from pipeline.model.located import read_document
from pipeline.model.lock import empty_lock
from pipeline.model.profile import load_profile
from preprocess.run import Preprocessed, preprocess


def preprocessed(paths: dict[str, Any], schemas: dict[str, Any]) -> Preprocessed:
    document = {"openapi": "3.0.3", "paths": paths, "components": {"schemas": schemas}}
    return preprocess(read_document(json.dumps(document), "spec"), load_profile("generic"), empty_lock("a.v1"), [])


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


def test_extensions_among_the_paths_are_no_paths() -> None:
    paths = {"x-root": "/api", "/books": {"get": {"operationId": "list", "responses": {}}}}
    assert [rpc.name for rpc in preprocessed(paths, {}).contract.rpcs] == ["List"]
