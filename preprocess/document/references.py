"""Resolve the references of an OpenAPI document.

Source: OpenAPI 3.1.0, section 4.8.23 (reference object); RFC 6901.
"""

from __future__ import annotations

from functools import cache
from typing import Any
from urllib.parse import unquote

from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.document.located import LocatedMap, locate_child, make_map, resolve_pointer, unescape_token
from preprocess.document.openapi import report_malformed

SCHEMAS = "#/components/schemas/"
_USE_POINTER = "refer to the schema by its JSON pointer: `#/components/schemas/…`"


class References:
    """Resolves the references of one document. References to other documents are refused."""

    def __init__(self, document: LocatedMap) -> None:
        self.document = document
        self._resolved: dict[str, Any] = {}

    def resolve_chain(self, holder: LocatedMap) -> Any:
        """Return the target of the `$ref` of a mapping, following chains of references up to a component schema.

        Raises:
            Failure: `spec/external-reference`, `spec/dangling-reference`, `spec/reference-cycle`.
        """
        visited: list[str] = []
        current: Any = holder
        while isinstance(current, LocatedMap) and isinstance(current.get("$ref"), str) and not self.is_schema(current):
            reference = current["$ref"]
            if reference in visited:
                message, hint = f"`{reference}` refers to itself", "refer to a definition"
                raise Failure(Diagnostic("spec/reference-cycle", message, current.place, hint))
            visited.append(reference)
            current = self.resolve(current)
        return current

    def resolve(self, holder: LocatedMap) -> Any:
        """Return the direct target of a `$ref`. Its pointer is percent-encoded (RFC 6901, section 6).

        Raises:
            Failure: `spec/anchor`, `spec/external-reference` or `spec/dangling-reference`.
        """
        reference = holder["$ref"]
        if isinstance(reference, str) and reference in self._resolved:
            return self._resolved[reference]
        place = locate_child(holder.place, "$ref")
        if isinstance(reference, str) and reference.startswith("#") and not reference.startswith("#/"):
            target = f"anchor `{reference}`" if reference != "#" else "whole document (`#`)"
            message = f"cannot follow a reference to the {target}"
            raise Failure(Diagnostic("spec/anchor", message, place, _USE_POINTER))
        if not isinstance(reference, str) or not reference.startswith("#/"):
            message = f"`{reference}` refers to another document"
            hint = "bundle the specification into one document; references to files and URLs are never followed"
            raise Failure(Diagnostic("spec/external-reference", message, place, hint))
        try:
            target = self._resolved[reference] = resolve_pointer(self.document, unquote(reference[1:]))
        except KeyError:
            message, hint = f"the target of `{reference}` does not exist", "add the definition or fix the reference"
            raise Failure(Diagnostic("spec/dangling-reference", message, place, hint)) from None
        return target

    def resolve_path_item(self, item: LocatedMap) -> LocatedMap:
        """Return a path item merged with the target of its `$ref`; its own keys win (OpenAPI 3.1.0, section 4.8.9).

        Raises:
            Failure: as `resolve_chain`; `spec/malformed`.
        """
        if "$ref" not in item:
            return item
        target = self.resolve_chain(item)
        if not isinstance(target, LocatedMap):
            raise report_malformed("an object", target, item.place)
        siblings = {key: value for key, value in item.items() if key != "$ref"}
        return make_map({**target, **siblings}, item.place if siblings else target.place)

    @staticmethod
    def is_schema(holder: LocatedMap) -> bool:
        """Return whether a reference leads to a component schema."""
        return str(holder["$ref"]).startswith(SCHEMAS)


@cache
def parse_component_key(reference: str) -> str:
    """Return the key of the component schema that a `$ref` names; a reference to any other schema unchanged."""
    key = reference.removeprefix(SCHEMAS)
    return reference if key == reference or "/" in key else unescape_token(unquote(key))


def report_dynamic_reference(node: LocatedMap) -> Failure:
    """Return the failure for a `$dynamicRef`, whose target depends on the dynamic scope.

    Source: JSON Schema core 2020-12, section 8.2.3.2.
    """
    message = f"`$dynamicRef: {node['$dynamicRef']}` has different targets in different places"
    return Failure(Diagnostic("spec/dynamic-reference", message, locate_child(node.place, "$dynamicRef"), _USE_POINTER))
