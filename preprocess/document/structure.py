"""Structure: whether what an operation, a parameter, a body or a schema says is of the type that it must be.

Only what later passes read is looked at, and only in what is in scope; of a Swagger document, all that is converted.
Sources: OpenAPI 3.1.0, section 4.8; OpenAPI 2.0 (Swagger), schema; JSON Schema core and validation 2020-12.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pipeline.model.document.located import LocatedMap, locate_child
from preprocess.document.openapi import report_malformed

Rule = tuple[str, Callable[[Any], bool]]


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_TEXT: Rule = "a text", lambda value: isinstance(value, str)
_TEXTS: Rule = "a list of texts", _texts
_TYPE: Rule = "a text or a list of texts", lambda value: isinstance(value, str) or (_texts(value) and value != [])
_LIST: Rule = "a list", lambda value: isinstance(value, list)
_OBJECT: Rule = "an object", lambda value: isinstance(value, LocatedMap)
_ITEMS: Rule = "a schema, or a list of schemas", lambda value: isinstance(value, LocatedMap | bool | list)
_SCHEMA: Rule = "a schema", lambda value: isinstance(value, LocatedMap | bool)

PATH_ITEM = {"parameters": _LIST}
OPERATION = {
    "operationId": _TEXT,
    "parameters": _LIST,
    "requestBody": _OBJECT,
    "responses": _OBJECT,
    "tags": _LIST,
    "x-operation-group": _TEXT,
}
PARAMETER = {"content": _OBJECT, "in": _TEXT, "name": _TEXT, "schema": _SCHEMA}
BODY = {"content": _OBJECT}
MEDIA_TYPE = {"schema": _SCHEMA}
SCHEMA = {
    "$ref": _TEXT,
    "additionalProperties": _SCHEMA,
    "allOf": _LIST,
    "anyOf": _LIST,
    "enum": _LIST,
    "format": _TEXT,
    "dependentSchemas": _OBJECT,
    "items": _ITEMS,
    "oneOf": _LIST,
    "patternProperties": _OBJECT,
    "prefixItems": _LIST,
    "properties": _OBJECT,
    "required": _TEXTS,
    "title": _TEXT,
    "type": _TYPE,
}

SWAGGER = {"consumes": _TEXTS, "definitions": _OBJECT, "parameters": _OBJECT, "produces": _TEXTS, "responses": _OBJECT}
SWAGGER_PATH_ITEM = dict.fromkeys(("get", "put", "post", "delete", "options", "head", "patch"), _OBJECT) | PATH_ITEM
SWAGGER_OPERATION = {
    "consumes": _TEXTS,
    "operationId": _TEXT,
    "parameters": _LIST,
    "produces": _TEXTS,
    "responses": _OBJECT,
    "tags": _LIST,
}
_WHERE = ("body", "formData", "header", "path", "query")
SWAGGER_PARAMETER: dict[str, Rule] = {
    "in": (f"one of {', '.join(_WHERE)}", lambda value: value in _WHERE),
    "name": _TEXT,
    "schema": _OBJECT,
}
SWAGGER_RESPONSE = {"headers": _OBJECT, "schema": _OBJECT}


def check_structure(node: LocatedMap, rules: dict[str, Rule]) -> None:
    """Check the keys of one object of the specification.

    Args:
        node: the object.
        rules: one of the tables above; what it does not name is not looked at.

    Raises:
        Failure: `spec/malformed`, with the key's pointer.
    """
    if all(rules[key][1](node[key]) for key in rules.keys() & node.keys()):
        return
    for key, (what, fits) in rules.items():
        if key in node and not fits(node[key]):
            raise report_malformed(what, node[key], locate_child(node.place, key))
