"""Swagger 2.0: the converted document, each part at the place of what it was made from.

The converter says how operations, parameters, bodies and responses stand in OpenAPI 3. Schemas it would read into
classes that have no room for some of what is in them (a list of types, keywords beside `allOf` or without a `type`), so
they are taken as they are written: Swagger's schemas are those of OpenAPI 3.0 but for the few words of `schema`.
Sources: OpenAPI 2.0 (Swagger) and OpenAPI 3.0.3, schema object.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pipeline.model.diagnostics import Diagnostic, Failure, Place
from pipeline.model.document.located import LocatedMap, get_place, locate_child, make_list, make_map
from preprocess.document.openapi import METHODS
from preprocess.document.references import References
from preprocess.swagger.check import ABOUT_PARAMETERS, IN_BODY

_BY_NAME = frozenset({"patternProperties", "properties"})
_ONE = frozenset({"additionalProperties", "items", "not"})
_MANY = frozenset({"allOf", "anyOf", "oneOf"})
_DEFINITIONS = "#/definitions/"


def locate_converted(made: dict[str, Any], source: LocatedMap) -> LocatedMap:
    """The converted document with places.

    Args:
        made: what the converter made.
        source: what it was given: `swagger.prepared`.

    Raises:
        Failure: `spec/not-converted` when the converter left something out.
    """
    return _Trace(source).document(made)


def convert_schema(source: LocatedMap) -> LocatedMap:
    """A schema of Swagger 2.0 as one of OpenAPI 3, at its own place; beside a reference only what is said about it."""
    result = make_map({}, source.place)
    refers = "$ref" in source
    for key, value in source.items():
        if refers and not (key in {"$ref", "description"} or key.startswith("x-")):
            continue
        if key in _BY_NAME and isinstance(value, LocatedMap):
            result[key] = make_map({name: _schema_or(item) for name, item in value.items()}, value.place)
        elif key in _ONE:
            result[key] = _schema_or(value)
        elif key in _MANY and isinstance(value, list):
            result[key] = make_list([_schema_or(item) for item in value], get_place(value, source.place))
        elif key == "$ref" and isinstance(value, str) and value.startswith(_DEFINITIONS):
            result[key] = "#/components/schemas/" + value.removeprefix(_DEFINITIONS)
        elif key == "discriminator" and isinstance(value, str):
            result[key] = make_map({"propertyName": value}, source.place)
        elif key == "x-nullable":
            result["nullable"] = value
        elif key == "type" and value == "file":
            result |= {"type": "string", "format": "binary"}
        else:
            result[key] = value
    return result


def _schema_or(value: Any) -> Any:
    """A schema converted; what is none is left for the checks of all schemas."""
    return convert_schema(value) if isinstance(value, LocatedMap) else value


def _value_schema(source: LocatedMap) -> LocatedMap:
    """The schema of a parameter, which in Swagger 2.0 stands among what is said about it."""
    inner = source.get("schema")
    words = {
        **(inner if isinstance(inner, LocatedMap) else {}),
        **{key: source[key] for key in source if key not in ABOUT_PARAMETERS},
    }
    return convert_schema(make_map(words, source.place))


class _Trace:
    """Follows what was made along what it was made from."""

    def __init__(self, source: LocatedMap) -> None:
        self.source = source
        self.references = References(source)

    def document(self, made: dict[str, Any]) -> LocatedMap:
        result = _beside(made, self.source, ("components", "paths"))
        paths = self.source["paths"]
        result["paths"] = make_map(
            {
                path: self._path_item(_part(made["paths"], path, paths), paths[path])
                for path in paths
                if not path.startswith("x-")
            },
            paths.place,
        )
        result["components"] = self._components(made.get("components") or {})
        return result

    def _components(self, made: dict[str, Any]) -> LocatedMap:
        place = self.source.place
        result = make_map({}, place)
        definitions = self.source.get("definitions", make_map({}, place))
        schemas = {key: convert_schema(node) for key, node in definitions.items()}
        parameters = self.source.get("parameters", make_map({}, place))
        for key, node in parameters.items():
            if node.get("in") == "formData":
                schemas[f"formData_{key}"] = _value_schema(node)
                continue
            kind = "requestBodies" if node.get("in") == "body" else "parameters"
            part = _part(made.get(kind, {}), key, parameters)
            traced_part = self._body(part, [(node, node)]) if kind == "requestBodies" else self._parameter(part, node)
            result.setdefault(kind, make_map({}, parameters.place))[key] = traced_part
        responses = self.source.get("responses", make_map({}, place))
        result["responses"] = make_map(
            {
                key: self._response(_part(made.get("responses", {}), key, responses), responses[key])
                for key in responses
            },
            responses.place,
        )
        result["schemas"] = make_map(schemas, definitions.place)
        return result

    def _path_item(self, made: dict[str, Any], source: LocatedMap) -> LocatedMap:
        result = _beside(made, source, ("parameters", *METHODS))
        if "parameters" in source:
            result["parameters"] = self._parameters(made, source)
        for method in (method for method in METHODS if method in source):
            result[method] = self._operation(_part(made, method, source), source[method])
        return result

    def _operation(self, made: dict[str, Any], source: LocatedMap) -> LocatedMap:
        result = _beside(made, source, ("parameters", "requestBody", "responses"))
        listed = [(node, self.references.resolve_chain(node)) for node in source.get("parameters", [])]
        if listed:
            result["parameters"] = self._parameters(made, source)
        bodies = [(standing, node) for standing, node in listed if node["in"] in IN_BODY]
        if bodies:
            body = _part(made, "requestBody", source, bodies[0][0].place)
            place = bodies[0][0].place if bodies[0][1]["in"] == "body" else source["parameters"].place
            result["requestBody"] = make_map(self._body(body, bodies), place)
        if "responses" in source:
            answers, written = source["responses"], made.get("responses") or {}
            listed_answers = {
                status: self._response(_part(written, status, answers), answers[status])
                for status in answers
                if not status.startswith("x-")
            }
            result["responses"] = make_map(listed_answers, answers.place)
        return result

    def _parameters(self, made: dict[str, Any], source: LocatedMap) -> list[Any]:
        """The parameters of a path item or an operation that are no part of a body."""
        written = {_identity(node): node for node in made.get("parameters") or []}
        listed = []
        for at, standing in enumerate(source["parameters"]):
            node = self.references.resolve_chain(standing)
            if node["in"] not in IN_BODY:
                place = locate_child(source["parameters"].place, at)
                listed.append(self._parameter(_part(written, _identity(standing), source, place), standing))
        return make_list(listed, source["parameters"].place)

    def _parameter(self, made: dict[str, Any], source: LocatedMap) -> LocatedMap:
        if "$ref" in source:
            return make_map({"$ref": made["$ref"]}, source.place)
        result = _beside(made, source, ("schema",))
        result["schema"] = _value_schema(source)
        return result

    def _body(self, made: dict[str, Any], sources: list[tuple[LocatedMap, LocatedMap]]) -> LocatedMap:
        """A body, of the parameters that stand for it and what these are or refer to."""
        standing, node = sources[0]
        if "$ref" in made:
            return make_map({"$ref": made["$ref"]}, standing.place)
        result = _beside(made, node, ("content",))
        inner = convert_schema(node.get("schema", make_map({}, node.place))) if node["in"] == "body" else None
        content = make_map({}, node.place)
        for media_type, media in made["content"].items():
            content[media_type] = _beside(media, content, ("schema",))
            content[media_type]["schema"] = _form(media["schema"], sources) if inner is None else inner
        result["content"] = content
        return result

    def _response(self, made: dict[str, Any], source: LocatedMap) -> LocatedMap:
        if "$ref" in source:
            return make_map({"$ref": made["$ref"]}, source.place)
        result = _beside(made, source, ("content",))
        content = make_map({}, source.place)
        for media_type, media in made["content"].items() if "schema" in source else ():
            content[media_type] = _beside(media, content, ("schema",))
            content[media_type]["schema"] = convert_schema(source["schema"])
        result["content"] = content
        if isinstance(source.get("headers"), LocatedMap):
            result["headers"] = make_map(
                {name: _header(node) for name, node in source["headers"].items() if isinstance(node, LocatedMap)},
                source["headers"].place,
            )
        return result


def _header(source: LocatedMap) -> LocatedMap:
    about = {key: source[key] for key in ("description",) if key in source}
    return make_map({**about, "schema": _value_schema(source)}, source.place)


def _form(made: dict[str, Any], sources: Iterable[tuple[LocatedMap, LocatedMap]]) -> LocatedMap:
    """The schema of a form: an object whose properties are the parameters."""
    listed = list(sources)
    place = listed[0][0].place
    result = _beside(made, make_map({}, place), ("properties",))
    result["properties"] = make_map({}, place)
    for standing, node in listed:
        inner = _value_schema(standing)
        if "$ref" in standing:
            inner = make_map({"$ref": made["properties"][node["name"]]["$ref"]}, standing.place)
        result["properties"][node["name"]] = inner
    return result


def _beside(made: dict[str, Any], source: LocatedMap, apart: tuple[str, ...]) -> LocatedMap:
    """What was made, but for some of its parts, at the place of its source."""
    return make_map(
        {key: _around(value, source.get(key), source.place) for key, value in made.items() if key not in apart},
        source.place,
    )


def _around(made: Any, source: Any, place: Place) -> Any:
    """What was made, at the place of what stands at the same place in the source, or around it."""
    here = get_place(source, place)
    if isinstance(made, dict):
        inner = source if isinstance(source, LocatedMap) else {}
        return make_map({key: _around(value, inner.get(key), here) for key, value in made.items()}, here)
    if isinstance(made, list):
        items = source if isinstance(source, list) and len(source) == len(made) else [None] * len(made)
        return make_list([_around(value, item, here) for value, item in zip(made, items, strict=True)], here)
    return made


def _identity(node: dict[str, Any]) -> Any:
    """What tells parameters apart, as the converter leaves it: the name of a reference, or where and how called."""
    return node["$ref"].rpartition("/")[2] if "$ref" in node else (node.get("in"), node.get("name"))


def _part(made: Any, key: Any, source: LocatedMap, place: Place | None = None) -> dict[str, Any]:
    """What was made of something.

    Raises:
        Failure: `spec/not-converted` when there is nothing.
    """
    found = made.get(key)
    if isinstance(found, dict):
        return found
    where = place or get_place(source.get(key), source.place)
    hint = "compare it with the specification of Swagger 2.0"
    raise Failure(Diagnostic("spec/not-converted", "swagger-parser does not know what stands here", where, hint))
