"""Reduce the canonical spec to the values that the templates print, in the shape that the generator reads fastest.

The messages and enums of a file become entries of one list. So do the fields of a message and the values of an enum.
For each schema, property and value, the generator builds models with names and types of its own. That is by far
the largest part of its work, and the templates print nothing of these models.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from preprocess.canonical.canonical import PLACEHOLDER

_EXTENSION = re.compile(r"\b(x-proto-[a-z-]+)")
# swagger-parser resolves every reference of an OpenAPI 3.1 document, but none of a 3.0 document. The output is the
# same, and the generator takes a third less time.
DIALECT = "3.0.3"
ELEMENTS = "x-proto-file-elements"
FIELDS = "x-proto-message-fields"
VALUES = "x-proto-enum-values"
_MESSAGE_FILE, _ENUM_FILE = "x-proto-message-file", "x-proto-enum-file"
_NUMBER = "x-proto-field-number"
_IN_VALUES = ("name", "number", "comment", "deprecated")


def find_printed_extensions(templates: Iterable[Path]) -> frozenset[str]:
    """Return the names of the extensions that the templates print."""
    texts = (path.read_text(encoding="utf-8") for path in templates)
    return frozenset(name for text in texts for name in _EXTENSION.findall(text))


def select_printed_values(canonical: dict[str, Any], extensions: frozenset[str]) -> dict[str, Any]:
    """Return an OpenAPI 3.0 document with the values of the canonical spec that the templates print."""
    files: dict[str, list[dict[str, Any]]] = {}
    for schema in canonical["components"]["schemas"].values():
        name = str(schema.get(_MESSAGE_FILE, schema.get(_ENUM_FILE)))
        files.setdefault(name, []).append(_reduce_element(schema, extensions))
    operations = {path: _reduce_operation(item["post"], extensions) for path, item in canonical["paths"].items()}
    schemas = {f"File{at}": _describe_file(elements) for at, elements in enumerate(files.values())}
    paths = {path: {"post": operation} for path, operation in operations.items()}
    return canonical | {"openapi": DIALECT, "paths": paths, "components": {"schemas": schemas}}


def _describe_file(elements: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of a file with its elements; the generator would drop a schema without properties."""
    return {"type": "object", "example": {}, "properties": {PLACEHOLDER: {"type": "boolean"}}, ELEMENTS: elements}


def _reduce_element(schema: dict[str, Any], extensions: frozenset[str]) -> dict[str, Any]:
    element = _select_extensions(schema, extensions)
    if VALUES in element:
        element[VALUES] = [{key: value[key] for key in _IN_VALUES if key in value} for value in element[VALUES]]
    properties = [item for item in schema.get("properties", {}).values() if _NUMBER in item]
    if properties:
        element[FIELDS] = [_select_extensions(item, extensions) for item in properties]
    return element


def _reduce_operation(operation: dict[str, Any], extensions: frozenset[str]) -> dict[str, Any]:
    """Reduce an rpc to its extensions; from a body the generator would visit every schema that the body reaches."""
    keywords = {key: value for key, value in operation.items() if not key.startswith("x-proto-")}
    del keywords["requestBody"]
    return keywords | _select_extensions(operation, extensions) | {"responses": {"200": {"description": "OK"}}}


def _select_extensions(element: dict[str, Any], extensions: frozenset[str]) -> dict[str, Any]:
    return {key: value for key, value in element.items() if key in extensions and value != []}
