"""Check the types of the keys of operations, parameters, bodies and schemas.

Only keys that later passes read are checked, and only in scope; of a Swagger document, all keys that are converted.
Sources: OpenAPI 3.1.0, section 4.8; OpenAPI 2.0 (Swagger), schema; JSON Schema core and validation 2020-12.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pipeline.model.document.located import LocatedMap, locate_child
from preprocess.document.openapi import report_malformed

Rule = tuple[str, Callable[[Any], bool]]


def _is_string_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_STRING: Rule = "a string", lambda value: isinstance(value, str)
_STRINGS: Rule = "a list of strings", _is_string_list
_TYPE: Rule = (
    "a string or a list of strings",
    lambda value: isinstance(value, str) or (_is_string_list(value) and value != []),
)
_LIST: Rule = "a list", lambda value: isinstance(value, list)
_OBJECT: Rule = "an object", lambda value: isinstance(value, LocatedMap)
_ITEMS: Rule = "a schema, or a list of schemas", lambda value: isinstance(value, LocatedMap | bool | list)
_SCHEMA: Rule = "a schema", lambda value: isinstance(value, LocatedMap | bool)

PATH_ITEM = {"parameters": _LIST}
OPERATION = {
    "operationId": _STRING,
    "parameters": _LIST,
    "requestBody": _OBJECT,
    "responses": _OBJECT,
    "tags": _LIST,
    "x-operation-group": _STRING,
}
PARAMETER = {"content": _OBJECT, "in": _STRING, "name": _STRING, "schema": _SCHEMA}
BODY = {"content": _OBJECT}
MEDIA_TYPE = {"schema": _SCHEMA}
SCHEMA = {
    "$ref": _STRING,
    "additionalProperties": _SCHEMA,
    "allOf": _LIST,
    "anyOf": _LIST,
    "enum": _LIST,
    "format": _STRING,
    "dependentSchemas": _OBJECT,
    "items": _ITEMS,
    "oneOf": _LIST,
    "patternProperties": _OBJECT,
    "prefixItems": _LIST,
    "properties": _OBJECT,
    "required": _STRINGS,
    "title": _STRING,
    "type": _TYPE,
}

SWAGGER = {
    "consumes": _STRINGS,
    "definitions": _OBJECT,
    "parameters": _OBJECT,
    "produces": _STRINGS,
    "responses": _OBJECT,
}
SWAGGER_PATH_ITEM = dict.fromkeys(("get", "put", "post", "delete", "options", "head", "patch"), _OBJECT) | PATH_ITEM
SWAGGER_OPERATION = {
    "consumes": _STRINGS,
    "operationId": _STRING,
    "parameters": _LIST,
    "produces": _STRINGS,
    "responses": _OBJECT,
    "tags": _LIST,
}
_LOCATIONS = ("body", "formData", "header", "path", "query")
SWAGGER_PARAMETER: dict[str, Rule] = {
    "in": (f"one of {', '.join(_LOCATIONS)}", lambda value: value in _LOCATIONS),
    "name": _STRING,
    "schema": _OBJECT,
}
SWAGGER_RESPONSE = {"headers": _OBJECT, "schema": _OBJECT}


def check_structure(node: LocatedMap, rules: dict[str, Rule]) -> None:
    """Check the types of the keys of one object by one of the tables above; other keys are not checked.

    Raises:
        Failure: `spec/malformed`, with the pointer of the key.
    """
    if all(rules[key][1](node[key]) for key in rules.keys() & node.keys()):
        return
    for key, (expected, fits) in rules.items():
        if key in node and not fits(node[key]):
            raise report_malformed(expected, node[key], locate_child(node.place, key))
