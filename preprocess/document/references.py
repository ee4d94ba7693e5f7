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
_POINTER = "refer to the schema by its JSON pointer: `#/components/schemas/…`"


class References:
    """Looks up the references of one document; nothing outside it is ever followed."""

    def __init__(self, document: LocatedMap) -> None:
        """Hold the document that all references lead into."""
        self.document = document
        self._found: dict[str, Any] = {}

    def resolve_chain(self, holder: LocatedMap) -> Any:
        """What the `$ref` of a mapping leads to, through chains of references of the same kind.

        Raises:
            Failure: `spec/external-reference`, `spec/dangling-reference`, `spec/reference-cycle`.
        """
        seen: list[str] = []
        current: Any = holder
        while isinstance(current, LocatedMap) and isinstance(current.get("$ref"), str) and not self.is_schema(current):
            reference = current["$ref"]
            if reference in seen:
                message = f"`{reference}` leads back to itself"
                raise Failure(Diagnostic("spec/reference-cycle", message, current.place, "name a definition"))
            seen.append(reference)
            current = self.resolve(current)
        return current

    def resolve(self, holder: LocatedMap) -> Any:
        """What one `$ref` leads to, one step; the pointer is percent-encoded, as in any URI (RFC 6901, section 6).

        Raises:
            Failure: `spec/anchor`, `spec/external-reference` or `spec/dangling-reference`.
        """
        reference = holder["$ref"]
        if isinstance(reference, str) and reference in self._found:
            return self._found[reference]
        if isinstance(reference, str) and reference.startswith("#") and not reference.startswith("#/"):
            message = f"`{reference}` names an anchor" if reference != "#" else "`#` refers to the whole document"
            raise Failure(Diagnostic("spec/anchor", message, locate_child(holder.place, "$ref"), _POINTER))
        if not isinstance(reference, str) or not reference.startswith("#/"):
            message = f"`{reference}` leads out of the document"
            hint = "bundle the specification into one document; references to files and addresses are never followed"
            raise Failure(Diagnostic("spec/external-reference", message, locate_child(holder.place, "$ref"), hint))
        try:
            found = self._found[reference] = resolve_pointer(self.document, unquote(reference[1:]))
        except KeyError:
            hint = "add the definition or mend the reference"
            message = f"`{reference}` leads nowhere"
            raise Failure(
                Diagnostic("spec/dangling-reference", message, locate_child(holder.place, "$ref"), hint)
            ) from None
        return found

    def resolve_path_item(self, item: LocatedMap) -> LocatedMap:
        """A path item with what its `$ref` leads to; what it says itself comes first (OpenAPI 3.1.0, section 4.8.9).

        Raises:
            Failure: as `target`; `spec/malformed`.
        """
        if "$ref" not in item:
            return item
        found = self.resolve_chain(item)
        if not isinstance(found, LocatedMap):
            raise report_malformed("an object", found, item.place)
        own = {key: value for key, value in item.items() if key != "$ref"}
        return make_map({**found, **own}, item.place if own else found.place)

    @staticmethod
    def is_schema(holder: LocatedMap) -> bool:
        """Whether a reference leads to a component schema, which keeps its name."""
        return str(holder["$ref"]).startswith(SCHEMAS)


@cache
def parse_component_key(reference: str) -> str:
    """The key of the component schema that a `$ref` names; the reference itself where it leads to any other schema."""
    key = reference.removeprefix(SCHEMAS)
    return reference if key == reference or "/" in key else unescape_token(unquote(key))


def report_dynamic_reference(node: LocatedMap) -> Failure:
    """The failure for a reference whose target depends on the way to it (JSON Schema core 2020-12, section 8.2.3.2)."""
    message = f"`$dynamicRef: {node['$dynamicRef']}` leads to different schemas in different places"
    return Failure(Diagnostic("spec/dynamic-reference", message, locate_child(node.place, "$dynamicRef"), _POINTER))
