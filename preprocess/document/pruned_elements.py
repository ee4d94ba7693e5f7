"""List pruned elements. The JSON pointer of an exclusion tells the kind of element."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from pipeline.model.contract import Exclusion
from pipeline.model.document.located import unescape_token
from pipeline.model.schema_facts import Element, Kind
from preprocess.document.openapi import METHODS

_BY_PARENT = {
    "anyOf": Kind.VARIANT,
    "callbacks": Kind.OPERATION,
    "oneOf": Kind.VARIANT,
    "parameters": Kind.PARAMETER,
    "properties": Kind.PROPERTY,
    "requestBodies": Kind.BODY,
    "patternProperties": Kind.VALUE,
    "prefixItems": Kind.ITEM,
    "responses": Kind.RESPONSE,
    "schemas": Kind.SCHEMA,
    "webhooks": Kind.OPERATION,
}
_BY_KEY = {
    "additionalProperties": Kind.VALUE,
    "items": Kind.ITEM,
    "requestBody": Kind.BODY,
    **dict.fromkeys(METHODS, Kind.OPERATION),
}


def collect_pruned_elements(exclusions: Iterable[Exclusion], places: Container[object]) -> Iterator[Element]:
    """Yield an element for each exclusion, except at the given places. Members of `allOf` are no elements."""
    for place in dict.fromkeys(exclusion.place for exclusion in exclusions):
        *_, parent, key = ("", *place.pointer.split("/"))
        kind = _BY_PARENT.get(parent) or _BY_KEY.get(key)
        if kind is not None and place not in places:
            yield Element(kind, unescape_token(key), place)
