"""Locate the parts of a converted Swagger 2.0 document: give each the position of its origin.

The converter decides how operations, parameters, bodies and responses look in OpenAPI 3. Schemas are converted here,
because the converter has no room for some keywords, such as a list of types or keywords beside `allOf`. Schemas of
Swagger 2.0 differ from those of OpenAPI 3.0 only in the keywords that `convert_schema` handles.
Sources: OpenAPI 2.0 (Swagger) and OpenAPI 3.0.3, schema object.
"""

from __future__ import annotations

from typing import Any

from pipeline.model.diagnostics import Diagnostic, Failure, Place
from pipeline.model.document.located import LocatedMap, get_place, locate_child, make_list, make_map
from preprocess.document.openapi import METHODS
from preprocess.document.references import References
from preprocess.swagger.check import IN_BODY, PARAMETER_KEYS, Parameters

_BY_NAME = frozenset({"patternProperties", "properties"})
_ONE = frozenset({"additionalProperties", "items", "not"})
_MANY = frozenset({"allOf", "anyOf", "oneOf"})
_DEFINITIONS = "#/definitions/"


def locate_converted(converted: dict[str, Any], source: LocatedMap) -> LocatedMap:
    """Return the output of the converter with the positions and schemas of its input, from `prepare_swagger`.

    Raises:
        Failure: `spec/not-converted` if the converter dropped a part.
    """
    return _Locator(source).locate_document(converted)


def convert_schema(source: LocatedMap) -> LocatedMap:
    """Convert a schema of Swagger 2.0 to OpenAPI 3; of the siblings of a reference only annotations are kept."""
    result = make_map({}, source.place)
    is_reference = "$ref" in source
    for key, value in source.items():
        if is_reference and not (key in {"$ref", "description"} or key.startswith("x-")):
            continue
        if key in _BY_NAME and isinstance(value, LocatedMap):
            result[key] = make_map({name: _convert_value(item) for name, item in value.items()}, value.place)
        elif key in _ONE:
            result[key] = _convert_value(value)
        elif key in _MANY and isinstance(value, list):
            result[key] = make_list([_convert_value(item) for item in value], get_place(value, source.place))
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


def _convert_value(value: Any) -> Any:
    """Convert a schema; keep any other value for the structure checks of later passes."""
    return convert_schema(value) if isinstance(value, LocatedMap) else value


def _convert_parameter_schema(source: LocatedMap) -> LocatedMap:
    """Convert the schema of a parameter, which Swagger 2.0 mixes with the other keys of the parameter."""
    inner = source.get("schema")
    schema = dict(inner) if isinstance(inner, LocatedMap) else {}
    schema |= {key: source[key] for key in source if key not in PARAMETER_KEYS}
    return convert_schema(make_map(schema, source.place))


class _Locator:
    """Walks the converted document and its source side by side."""

    def __init__(self, source: LocatedMap) -> None:
        self.source = source
        self.references = References(source)

    def locate_document(self, converted: dict[str, Any]) -> LocatedMap:
        result = _copy_without(converted, self.source, ("components", "paths"))
        paths = self.source["paths"]
        names = [path for path in paths if not path.startswith("x-")]
        items = {path: self.locate_path_item(_get_part(converted["paths"], path, paths), paths[path]) for path in names}
        result["paths"] = make_map(items, paths.place)
        result["components"] = self.locate_components(converted.get("components") or {})
        return result

    def locate_components(self, converted: dict[str, Any]) -> LocatedMap:
        place = self.source.place
        result = make_map({}, place)
        definitions = self.source.get("definitions", make_map({}, place))
        schemas = {key: convert_schema(node) for key, node in definitions.items()}
        parameters = self.source.get("parameters", make_map({}, place))
        for key, node in parameters.items():
            if node.get("in") == "formData":
                schemas[f"formData_{key}"] = _convert_parameter_schema(node)
                continue
            kind = "requestBodies" if node.get("in") == "body" else "parameters"
            target = _get_part(converted.get(kind, {}), key, parameters)
            is_body = kind == "requestBodies"
            located = self.locate_body(target, [(node, node)]) if is_body else self.locate_parameter(target, node)
            result.setdefault(kind, make_map({}, parameters.place))[key] = located
        responses = self.source.get("responses", make_map({}, place))
        result["responses"] = self.locate_responses(converted.get("responses", {}), responses, list(responses))
        result["schemas"] = make_map(schemas, definitions.place)
        return result

    def locate_path_item(self, converted: dict[str, Any], source: LocatedMap) -> LocatedMap:
        result = _copy_without(converted, source, ("parameters", *METHODS))
        if "parameters" in source:
            result["parameters"] = self.locate_parameters(converted, source)
        for method in (method for method in METHODS if method in source):
            result[method] = self.locate_operation(_get_part(converted, method, source), source[method])
        return result

    def locate_operation(self, converted: dict[str, Any], source: LocatedMap) -> LocatedMap:
        result = _copy_without(converted, source, ("parameters", "requestBody", "responses"))
        parameters = [(entry, self.references.resolve_chain(entry)) for entry in source.get("parameters", [])]
        if parameters:
            result["parameters"] = self.locate_parameters(converted, source)
        bodies = [(entry, node) for entry, node in parameters if node["in"] in IN_BODY]
        if bodies:
            body = _get_part(converted, "requestBody", source, bodies[0][0].place)
            place = bodies[0][0].place if bodies[0][1]["in"] == "body" else source["parameters"].place
            result["requestBody"] = make_map(self.locate_body(body, bodies), place)
        if "responses" in source:
            responses = source["responses"]
            statuses = [status for status in responses if not status.startswith("x-")]
            result["responses"] = self.locate_responses(converted.get("responses") or {}, responses, statuses)
        return result

    def locate_responses(self, converted: dict[str, Any], source: LocatedMap, keys: list[str]) -> LocatedMap:
        responses = {key: self.locate_response(_get_part(converted, key, source), source[key]) for key in keys}
        return make_map(responses, source.place)

    def locate_parameters(self, converted: dict[str, Any], source: LocatedMap) -> list[Any]:
        """Return the parameters of a path item or operation that are no part of a body."""
        by_identity = {_identify(node): node for node in converted.get("parameters") or []}
        parameters = []
        for index, entry in enumerate(source["parameters"]):
            node = self.references.resolve_chain(entry)
            if node["in"] not in IN_BODY:
                place = locate_child(source["parameters"].place, index)
                parameter = _get_part(by_identity, _identify(entry), source, place)
                parameters.append(self.locate_parameter(parameter, entry))
        return make_list(parameters, source["parameters"].place)

    def locate_parameter(self, converted: dict[str, Any], source: LocatedMap) -> LocatedMap:
        if "$ref" in source:
            return make_map({"$ref": converted["$ref"]}, source.place)
        result = _copy_without(converted, source, ("schema",))
        result["schema"] = _convert_parameter_schema(source)
        return result

    def locate_body(self, converted: dict[str, Any], sources: Parameters) -> LocatedMap:
        """Return a request body that was made of a body parameter or of form parameters."""
        entry, node = sources[0]
        if "$ref" in converted:
            return make_map({"$ref": converted["$ref"]}, entry.place)
        result = _copy_without(converted, node, ("content",))
        schema = convert_schema(node.get("schema", make_map({}, node.place))) if node["in"] == "body" else None
        content = make_map({}, node.place)
        for media_type, media in converted["content"].items():
            content[media_type] = _copy_without(media, content, ("schema",))
            content[media_type]["schema"] = _locate_form(media["schema"], sources) if schema is None else schema
        result["content"] = content
        return result

    def locate_response(self, converted: dict[str, Any], source: LocatedMap) -> LocatedMap:
        if "$ref" in source:
            return make_map({"$ref": converted["$ref"]}, source.place)
        result = _copy_without(converted, source, ("content",))
        content = make_map({}, source.place)
        for media_type, media in converted["content"].items() if "schema" in source else ():
            content[media_type] = _copy_without(media, content, ("schema",))
            content[media_type]["schema"] = convert_schema(source["schema"])
        result["content"] = content
        headers = source.get("headers")
        if isinstance(headers, LocatedMap):
            nodes = {name: _convert_header(node) for name, node in headers.items() if isinstance(node, LocatedMap)}
            result["headers"] = make_map(nodes, headers.place)
        return result


def _convert_header(source: LocatedMap) -> LocatedMap:
    header = {key: source[key] for key in ("description",) if key in source}
    return make_map({**header, "schema": _convert_parameter_schema(source)}, source.place)


def _locate_form(converted: dict[str, Any], sources: Parameters) -> LocatedMap:
    """Return the schema of a form: an object whose properties are the form parameters."""
    place = sources[0][0].place
    result = _copy_without(converted, make_map({}, place), ("properties",))
    result["properties"] = make_map({}, place)
    for entry, node in sources:
        schema = _convert_parameter_schema(entry)
        if "$ref" in entry:
            schema = make_map({"$ref": converted["properties"][node["name"]]["$ref"]}, entry.place)
        result["properties"][node["name"]] = schema
    return result


def _copy_without(converted: dict[str, Any], source: LocatedMap, keys: tuple[str, ...]) -> LocatedMap:
    copy = {key: _locate_value(converted[key], source.get(key), source.place) for key in converted if key not in keys}
    return make_map(copy, source.place)


def _locate_value(converted: Any, source: Any, parent: Place) -> Any:
    place = get_place(source, parent)
    if isinstance(converted, dict):
        inner = source if isinstance(source, LocatedMap) else {}
        return make_map({key: _locate_value(value, inner.get(key), place) for key, value in converted.items()}, place)
    if isinstance(converted, list):
        is_aligned = isinstance(source, list) and len(source) == len(converted)
        items = source if is_aligned else [None] * len(converted)
        pairs = zip(converted, items, strict=True)
        return make_list([_locate_value(value, item, place) for value, item in pairs], place)
    return converted


def _identify(node: dict[str, Any]) -> Any:
    """Return the identity of a parameter before and after conversion: the name of its reference, or `in` and `name`."""
    return node["$ref"].rpartition("/")[2] if "$ref" in node else (node.get("in"), node.get("name"))


def _get_part(converted: Any, key: Any, source: LocatedMap, place: Place | None = None) -> dict[str, Any]:
    """Return the converted part under a key; raise `spec/not-converted` if the converter dropped it."""
    value = converted.get(key)
    if isinstance(value, dict):
        return value
    place = place or get_place(source.get(key), source.place)
    message, hint = "swagger-parser cannot convert this part", "compare it with the specification of Swagger 2.0"
    raise Failure(Diagnostic("spec/not-converted", message, place, hint))
