"""A schema that a pointer leads to has the source and the name of the inline schema at that place."""

from __future__ import annotations

import pytest

from pipeline.model.source import SchemaSource
from preprocess.naming.hints import NameHint, derive_pointer_hint

BODIES = {"/paths/~1a/get/schema": NameHint(SchemaSource.for_operation("a", "body"), "ARequestBody")}


@pytest.mark.parametrize(
    ("reference", "source", "name"),
    [
        ("#/components/schemas/Book/properties/title", "Book.title", "BookTitle"),
        ("#/components/schemas/Book/items", "Book[]", "BookItem"),
        ("#/components/schemas/Book/additionalProperties", "Book{}", "BookValue"),
        ("#/components/schemas/Book/oneOf/0/then", "Book|variant 1", "BookVariant1"),
        ("#/components/schemas/Book/allOf/1", "Book/allOf/1", "BookPart2"),
        ("#/components/schemas/Book/$defs/page", "Book.$defs.page", "Page"),
        ("#/components/responses/ns___Found/content/application~1json/schema", None, "Found"),
        ("#/paths/~1a/get/schema/properties/b", "operation:a:body.b", "ARequestBodyB"),
        ("#/paths/~1b/get", "#//b/get", "BGet"),
        ("#/components/schemas/Book/properties", "Book/properties", "BookProperties"),
        ("#/components/schemas/Book/oneOf/x", "Book/oneOf/x", "BookOneOfX"),
    ],
)
def test_the_name_of_an_inner_schema(reference: str, source: str | None, name: str) -> None:
    hint = derive_pointer_hint(reference, lambda key: NameHint(SchemaSource.for_component(key), key), "___", BODIES)
    assert hint.name == name
    assert source is None or hint.source.text == source
