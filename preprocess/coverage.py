"""Coverage: everything in scope that must have a field, listed independently of how it is converted.

The list is read off the pruned spec alone; after generation each entry must be found behind a field of the compiled
protos, or the build fails.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.model.findings import Place
from pipeline.model.located import Mapping
from preprocess.scope import Operation
from preprocess.subschemas import subschemas


@dataclass(frozen=True, order=True, slots=True)
class Element:
    """Something in scope: an operation, a parameter or a property.

    Attributes:
        kind: `operation`, `parameter` or `property`.
        name: as the API spells it.
        place: where it stands.
        required: whether a caller must give it, or an answer must have it.
        group: the operation group of a parameter, which must be a field of that group's own request; else empty.
    """

    kind: str
    name: str
    place: Place
    required: bool = False
    group: str = ""


def elements(operations: Iterable[Operation], schemas: dict[str, Mapping]) -> list[Element]:
    """Everything in scope.

    Args:
        operations: pruned.
        schemas: the component schemas that these reach, pruned.
    """
    found: set[Element] = set()
    for operation in operations:
        found.add(Element("operation", operation.group, operation.node.place, required=True))
        for node in operation.parameters:
            required = node.get("required") is True
            found.add(Element("parameter", str(node["name"]), node.place, required, operation.group))
            found |= set(_properties(node["schema"]))
        for holder in (operation.body, *operation.answers.values()):
            for media in holder["content"].values() if holder is not None else ():
                found |= set(_properties(media["schema"]))
    for schema in schemas.values():
        found |= set(_properties(schema))
    return sorted(found)


def _properties(schema: object) -> Iterable[Element]:
    """The properties of a schema and of the inline schemas in it."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if not isinstance(node, Mapping):
            continue
        required = set(node.get("required", []))
        for name, value in node.get("properties", {}).items():
            yield Element("property", name, value.place, name in required)
        stack += subschemas(node)
