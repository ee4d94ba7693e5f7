"""The forms of an operation group: its paths and methods, and the bodies among which they differ.

Source: OpenAPI 3.1.0, sections 4.8.13 to 4.8.17.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.model.contract import HttpBinding
from pipeline.model.findings import Place
from pipeline.model.located import Mapping
from preprocess.scope import Operation


@dataclass(frozen=True, slots=True)
class Body:
    """One body of an operation group, as it appears in one or several of its forms, at the places of all."""

    schema: Mapping
    media_types: tuple[str, ...]
    required: bool
    places: tuple[Place, ...] = ()

    @property
    def lines(self) -> bool:
        """Whether it is a list of JSON texts, one a line (NDJSON)."""
        return any(name.endswith("ndjson") for name in self.media_types)


def by_group(operations: Iterable[Operation]) -> dict[str, list[Operation]]:
    """The operations of each group, groups sorted, forms in order of path and method."""
    groups: dict[str, list[Operation]] = {}
    for operation in sorted(operations, key=lambda item: (item.group, item.path, item.method)):
        groups.setdefault(operation.group, []).append(operation)
    return groups


def merge_bodies(nodes: Iterable[Mapping | None]) -> Iterable[Body]:
    """The different bodies among several forms; one that stands in several of them is one."""
    listed = list(nodes)
    found: dict[Place, Body] = {}
    for node in listed:
        for media_type, media in node["content"].items() if node is not None else ():
            schema = media["schema"]
            place = schema.place
            earlier = found.get(place)
            names = (*earlier.media_types, media_type) if earlier else (media_type,)
            found[place] = Body(schema, tuple(dict.fromkeys(names)), False)
    required = bool(listed) and all(node is not None and node.get("required") is True for node in listed)
    same: dict[str, Body] = {}
    for place, body in sorted(found.items()):
        key = str(body.schema.get("$ref") or place)
        earlier = same.get(key)
        types = (*earlier.media_types, *body.media_types) if earlier else body.media_types
        places = (*earlier.places, place) if earlier else (place,)
        same[key] = Body(body.schema, tuple(dict.fromkeys(types)), required and len(found) == 1, places)
    return same.values()


def binding(operation: Operation) -> HttpBinding:
    """The HTTP form of an operation."""
    content = operation.body["content"] if operation.body is not None else {}
    bodies = [(name, _place(media)) for name, media in sorted(content.items())]
    answers = [
        (status, name, _place(node["content"].get(name)))
        for status, node in sorted(operation.responses.items())
        for name in (sorted(node["content"]) or [""])
    ]
    return HttpBinding(
        operation.method.upper(),
        operation.path,
        request_types=tuple(name for name, _ in bodies),
        request_places=tuple(place for _, place in bodies),
        responses=tuple((status, name) for status, name, _ in answers),
        response_places=tuple(place for _, _, place in answers),
    )


def _place(media: Mapping | None) -> Place:
    """Where the schema of a media type stands; nowhere where there is none."""
    schema = media.get("schema") if media is not None else None
    return schema.place if isinstance(schema, Mapping) else Place()


def streams(forms: list[Operation]) -> bool:
    """Whether an answer comes in pieces (`text/event-stream`)."""
    return any("text/event-stream" in node["content"] for form in forms for node in form.responses.values())
