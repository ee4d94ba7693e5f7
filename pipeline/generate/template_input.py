"""What of the canonical spec the generator is given: only what a template prints, in the form that it reads fastest.

The messages and enums of a file stand in a list, and so do the fields of a message and the values of an enum. Of each
schema, property and value that it finds the generator makes models with names and types of its own, by far the largest
part of its work, and nothing of these is printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from preprocess.canonical.canonical import PLACEHOLDER

_EXTENSION = re.compile(r"\b(x-proto-[a-z-]+)")
# For OpenAPI 3.1 swagger-parser resolves every reference of the document, for 3.0 it does not; what comes out is the
# same, and the whole run takes a third less.
DIALECT = "3.0.3"
ELEMENTS = "x-proto-file-elements"
FIELDS = "x-proto-message-fields"
VALUES = "x-proto-enum-values"
_MESSAGE_FILE, _ENUM_FILE = "x-proto-message-file", "x-proto-enum-file"
_NUMBER = "x-proto-field-number"
_IN_VALUES = ("name", "number", "comment", "deprecated")


def find_printed_extensions(templates: Iterable[Path]) -> frozenset[str]:
    """The extensions that templates print."""
    texts = (path.read_text(encoding="utf-8") for path in templates)
    return frozenset(name for text in texts for name in _EXTENSION.findall(text))


def select_printed_values(canonical: dict[str, Any], extensions: frozenset[str]) -> dict[str, Any]:
    """A canonical spec without what no template prints, as OpenAPI 3.0.

    Args:
        canonical: the canonical spec; it is not changed.
        extensions: what the templates print.
    """
    files: dict[str, list[dict[str, Any]]] = {}
    for schema in canonical["components"]["schemas"].values():
        name = str(schema.get(_MESSAGE_FILE, schema.get(_ENUM_FILE)))
        files.setdefault(name, []).append(_element(schema, extensions))
    return canonical | {
        "openapi": DIALECT,
        "paths": {path: {"post": _operation(item["post"], extensions)} for path, item in canonical["paths"].items()},
        "components": {"schemas": {f"File{at}": _file(listed) for at, listed in enumerate(files.values())}},
    }


def _file(elements: list[dict[str, Any]]) -> dict[str, Any]:
    """A schema of what stands in a file; one without a property the generator would leave out, as it takes any key."""
    return {"type": "object", "example": {}, "properties": {PLACEHOLDER: {"type": "boolean"}}, ELEMENTS: elements}


def _element(schema: dict[str, Any], extensions: frozenset[str]) -> dict[str, Any]:
    """A message or an enum."""
    kept = _printed(schema, extensions)
    if VALUES in kept:
        kept[VALUES] = [{key: value[key] for key in _IN_VALUES if key in value} for value in kept[VALUES]]
    if fields := [_printed(item, extensions) for item in schema.get("properties", {}).values() if _NUMBER in item]:
        kept[FIELDS] = fields
    return kept


def _operation(operation: dict[str, Any], extensions: frozenset[str]) -> dict[str, Any]:
    """An rpc is printed from its extensions; the generator would walk from each body to all that it reaches."""
    own = {key: value for key, value in operation.items() if not key.startswith("x-proto-")}
    del own["requestBody"]
    return own | _printed(operation, extensions) | {"responses": {"200": {"description": "OK"}}}


def _printed(element: dict[str, Any], extensions: frozenset[str]) -> dict[str, Any]:
    return {key: value for key, value in element.items() if key in extensions and value != []}
