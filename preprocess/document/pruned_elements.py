"""What was pruned, as elements: what kind of thing stood at a place tells its pointer."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from pipeline.model.contract import Exclusion
from pipeline.model.document.located import unescape_token
from pipeline.model.schema_facts import Element, Kind
from preprocess.document.openapi import METHODS

_HOLDERS = {
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
_SINGLE = {
    "additionalProperties": Kind.VALUE,
    "items": Kind.ITEM,
    "requestBody": Kind.BODY,
    **dict.fromkeys(METHODS, Kind.OPERATION),
}


def collect_pruned_elements(exclusions: Iterable[Exclusion], listed: Container[object]) -> Iterator[Element]:
    """An element for each exclusion at a place that has none yet; a member of an allOf is none of its own.

    Args:
        exclusions: what rules left out.
        listed: the places that have an element.
    """
    for place in dict.fromkeys(exclusion.place for exclusion in exclusions):
        *_, holder, name = ("", *place.pointer.split("/"))
        kind = _HOLDERS.get(holder) or _SINGLE.get(name)
        if kind is not None and place not in listed:
            yield Element(kind, unescape_token(name), place)
