"""What of the canonical spec the generator is given: only what a template prints, in the form that it reads fastest.

The fields of a message stand in a list beside it. Of each property that it finds the generator makes a model with names
and types of its own, by far the largest part of its work, and nothing of that is printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from preprocess.canonical import PLACEHOLDER

_EXTENSION = re.compile(r"\b(x-proto-[a-z-]+)")
# For OpenAPI 3.1 swagger-parser resolves every reference of the document, for 3.0 it does not; what comes out is the
# same, and the whole run takes a third less.
DIALECT = "3.0.3"
FIELDS = "x-proto-message-fields"
_NUMBER = "x-proto-field-number"


def printed_extensions(templates: Iterable[Path]) -> frozenset[str]:
    """The extensions that templates print."""
    texts = (path.read_text(encoding="utf-8") for path in templates)
    return frozenset(name for text in texts for name in _EXTENSION.findall(text))


def printed(canonical: dict[str, Any], extensions: frozenset[str]) -> dict[str, Any]:
    """A canonical spec without what no template prints, as OpenAPI 3.0.

    Args:
        canonical: the canonical spec; it is not changed.
        extensions: what the templates print.
    """
    schemas = canonical["components"]["schemas"]
    return canonical | {
        "openapi": DIALECT,
        "paths": {path: {"post": _operation(item["post"], extensions)} for path, item in canonical["paths"].items()},
        "components": {"schemas": {name: _schema(schema, extensions) for name, schema in schemas.items()}},
    }


def _schema(schema: dict[str, Any], extensions: frozenset[str]) -> dict[str, Any]:
    kept = _kept(schema, extensions)
    if "properties" not in kept:
        return kept
    kept.pop("required", None)
    fields = kept.pop("properties").values()
    # Without a property the generator would take the message for one that takes any keys, and leave it out.
    listed = [_printed(item, extensions) for item in fields if _NUMBER in item]
    return kept | {FIELDS: listed, "properties": {PLACEHOLDER: {"type": "boolean"}}}


def _operation(operation: dict[str, Any], extensions: frozenset[str]) -> dict[str, Any]:
    """An rpc is printed from its extensions; the generator would walk from each body to all that it reaches."""
    kept = _kept(operation, extensions)
    del kept["requestBody"]
    return kept | {"responses": {"200": {"description": "OK"}}}


def _kept(element: dict[str, Any], extensions: frozenset[str]) -> dict[str, Any]:
    """What OpenAPI itself says of an element, and what is printed of it."""
    own = {key: value for key, value in element.items() if not key.startswith("x-proto-")}
    return own | _printed(element, extensions)


def _printed(element: dict[str, Any], extensions: frozenset[str]) -> dict[str, Any]:
    return {key: value for key, value in element.items() if key in extensions and value != []}
