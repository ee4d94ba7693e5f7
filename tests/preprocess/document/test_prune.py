"""Prune what a profile excludes from the specification."""

from __future__ import annotations

import json

import pytest

from pipeline.model.document.located import read_document
from pipeline.model.lock.model import create_empty_lock
from pipeline.model.profile.load import load_profile
from preprocess.passes import preprocess

REFERENCE = "#/components/schemas/"


@pytest.mark.parametrize("separator", ["___", "__", "."])
@pytest.mark.parametrize("excluded", ["Secret", "store{}Secret"])
def test_excluded_schemas_are_split_at_the_separator_of_the_profile(separator: str, excluded: str) -> None:
    book, secret = f"store{separator}Book", f"store{separator}Secret"
    schemas = {
        book: {"properties": {"title": {"type": "string"}, "secret": {"$ref": REFERENCE + secret}}},
        secret: {"properties": {"key": {"type": "string"}}},
    }
    content = {"application/json": {"schema": {"$ref": REFERENCE + book}}}
    operation = {"operationId": "get", "responses": {"200": {"description": "OK", "content": content}}}
    document = {"openapi": "3.0.3", "paths": {"/books": {"get": operation}}, "components": {"schemas": schemas}}
    profile = load_profile("generic")
    profile = profile.model_copy(
        update={
            "scope": profile.scope.model_copy(update={"excluded_schemas": (excluded.format(separator),)}),
            "conversion": profile.conversion.model_copy(update={"schema_separator": separator}),
        }
    )
    contract = preprocess(read_document(json.dumps(document), "spec"), profile, create_empty_lock("a.v1"), []).contract
    assert [item.name for item in contract.messages["Book"].fields] == ["title"]
