"""The forms of an operation group: its paths and methods, and the bodies among which they differ.

Source: OpenAPI 3.1.0, sections 4.8.13 to 4.8.17.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from pipeline.model.contract import Carried, HttpBinding
from pipeline.model.diagnostics import Place
from pipeline.model.document.located import LocatedMap
from pipeline.model.rule import Rule
from preprocess.document.scope import Operation
from preprocess.operations.media_types import Nature, content, essence, nature
from preprocess.schema.context import ConversionContext

RULE_STREAMING = Rule("streaming")
# What may differ between two copies of a schema that say the same of its values.
_WORDS = frozenset({"description", "example", "examples", "summary", "x-examples"})


@dataclass(frozen=True, slots=True)
class Body:
    """One body of an operation group, as it appears in one or several of its forms.

    Attributes:
        schema: of the field that carries it.
        nature: whether it is what the schema says, a text, bytes, or several values.
        carried: in which forms and media types it appears.
        places: where it stands, the first being the schema's.
        required: whether every form has it, and no other.
    """

    schema: LocatedMap
    nature: Nature
    carried: tuple[Carried, ...]
    places: tuple[Place, ...]
    required: bool = False

    @property
    def lines(self) -> bool:
        """Whether it is a list of JSON texts, one a line (NDJSON)."""
        return self.nature is Nature.LINES


def by_group(operations: Iterable[Operation]) -> dict[str, list[Operation]]:
    """The operations of each group, groups sorted, forms in order of path and method, superseded ones last."""
    groups: dict[str, list[Operation]] = {}
    for operation in sorted(operations, key=lambda item: (item.group, item.is_superseded, item.path, item.method)):
        groups.setdefault(operation.group, []).append(operation)
    return groups


def requests(context: ConversionContext, forms: list[Operation]) -> list[Body]:
    """The different bodies of the requests of a group."""
    found = _different(context, ((form, "", form.body) for form in forms))
    everywhere = all(form.body is not None and form.body.get("required") is True for form in forms)
    return [replace(body, required=everywhere and len(found) == 1) for body in found]


def answers(context: ConversionContext, forms: list[Operation]) -> list[Body]:
    """The different bodies of the answers of a group."""
    return _different(
        context, ((form, status, node) for form in forms for status, node in sorted(form.successful_responses.items()))
    )


def _different(context: ConversionContext, holders: Iterable[tuple[Operation, str, LocatedMap | None]]) -> list[Body]:
    """The bodies of which none is another one; what stands in several forms or media types is one."""
    found: dict[str, Body] = {}
    for form, status, node in holders:
        for media_type, media in sorted(node["content"].items(), key=_json_first) if node is not None else ():
            kind, schema = content(context, media_type, media["schema"])
            key = kind if kind in {Nature.TEXT, Nature.BYTES} else same_schema(schema)
            new = Carried(form.method.upper(), form.path, status, media_type)
            body = found.get(key) or Body(schema, kind, (), ())
            kind = Nature.LINES if Nature.LINES in {body.nature, kind} else body.nature
            places = tuple(dict.fromkeys((*body.places, media["schema"].place)))
            found[key] = replace(body, nature=kind, carried=(*body.carried, new), places=places)
    return list(found.values())


def _json_first(item: tuple[str, Any]) -> tuple[bool, str]:
    return essence(item[0]) != "application/json", item[0]


def same_schema(schema: Any) -> str:
    """A key that two schemas share when they say the same, wherever they stand and whatever their prose."""
    if isinstance(schema, LocatedMap) and "$ref" in schema:
        return str(schema["$ref"])
    return json.dumps(_without_words(schema), sort_keys=True)


def _without_words(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_words(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _without_words(item) for key, item in value.items() if key not in _WORDS or isinstance(item, dict)}


def binding(operation: Operation) -> HttpBinding:
    """The HTTP form of an operation."""
    types = tuple(sorted(operation.body["content"])) if operation.body is not None else ()
    responses = tuple(
        (status, media_type)
        for status, node in sorted(operation.responses.items())
        for media_type in (sorted(node["content"]) or [""])
    )
    return HttpBinding(operation.method.upper(), operation.path, types, responses, operation.is_superseded)


def streams(forms: list[Operation]) -> bool:
    """Whether an answer comes in pieces (`text/event-stream`)."""
    return any(
        nature(media_type) is Nature.EVENTS
        for form in forms
        for node in form.successful_responses.values()
        for media_type in node["content"]
    )
