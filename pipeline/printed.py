"""What of the canonical spec the generator is given: only what a template prints, in the dialect it reads fastest."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_EXTENSION = re.compile(r"vendorExtensions\.(x-proto-[a-z-]+)")
# For OpenAPI 3.1 swagger-parser resolves every reference of the document, for 3.0 it does not; what comes out is the
# same, and the whole run takes a third less.
DIALECT = "3.0.3"


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
    kept = _printed(canonical, extensions)
    for item in kept["paths"].values():
        # The rpc is printed from its extensions; the generator would walk from each operation to all that it reaches.
        item["post"].pop("requestBody")
        item["post"]["responses"] = {"200": {"description": "OK"}}
    return dict(kept | {"openapi": DIALECT})


def _printed(value: Any, extensions: frozenset[str]) -> Any:
    if isinstance(value, list):
        return [_printed(item, extensions) for item in value]
    if not isinstance(value, dict):
        return value
    found = {
        key: _printed(item, extensions)
        for key, item in value.items()
        if not key.startswith("x-proto-") or (key in extensions and item != [])
    }
    if "$ref" in found and len(found) > 1:
        # OpenAPI 3.0.3, section 4.7.23: what stands beside a `$ref` is ignored.
        found["allOf"] = [{"$ref": found.pop("$ref")}]
    return found
