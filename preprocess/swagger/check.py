"""Check that a Swagger 2.0 document can be converted to OpenAPI 3, and prepare it for the converter.

The converter silently drops what it does not understand, and rewrites references. So everything that it would lose is
refused beforehand, with its position.
Source: OpenAPI 2.0 (Swagger), schema and references.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.document.located import LocatedMap, get_place, locate_child, make_list, make_map
from preprocess.document import structure
from preprocess.document.openapi import report_malformed
from preprocess.document.references import References
from preprocess.document.structure import Rule, check_structure

METHODS = ("get", "put", "post", "delete", "options", "head", "patch")
IN_BODY = ("body", "formData")

# The keys of these are names, so that `$ref` or `default` below them are names, too.
_NAME_HOLDERS = frozenset(
    {"definitions", "headers", "parameters", "paths", "patternProperties", "properties", "responses"}
)
_DATA = frozenset({"default", "enum", "example", "examples"})
# The keys of a parameter that are not part of its schema.
PARAMETER_KEYS = frozenset({"allowEmptyValue", "collectionFormat", "description", "in", "name", "required", "schema"})
_ANY_SCHEMA = {"type": "string"}
_TARGETS = ("#/definitions/", "#/parameters/", "#/responses/")

Parameters = list[tuple[LocatedMap, LocatedMap]]
"""Parameters as listed, each with the target of its reference (itself if it is none)."""


def is_swagger(document: LocatedMap) -> bool:
    """Return whether a document declares any version of Swagger."""
    return "swagger" in document and "openapi" not in document


def check_swagger(document: LocatedMap) -> None:
    """Refuse everything that the converter cannot convert, or would drop.

    Raises:
        Failure: `spec/version`, `spec/no-paths`, `spec/malformed`, `spec/external-reference`,
            `spec/dangling-reference`, `spec/reference-cycle`.
    """
    if str(document["swagger"]) != "2.0":
        message, hint = f"expected Swagger 2.0, found {document['swagger']}", "use Swagger 2.0, or OpenAPI 3.0 or 3.1"
        raise Failure(Diagnostic("spec/version", message, locate_child(document.place, "swagger"), hint))
    if not isinstance(document.get("paths"), LocatedMap):
        hint = "name the whole specification"
        raise Failure(Diagnostic("spec/no-paths", "the specification has no `paths`", document.place, hint))
    check_structure(document, structure.SWAGGER)
    references = References(document)
    _check_references(document, references)
    for key, rules in (
        ("definitions", {}),
        ("parameters", structure.SWAGGER_PARAMETER),
        ("responses", structure.SWAGGER_RESPONSE),
    ):
        for name, value in document.get(key, {}).items():
            _check_object(value, document[key], name, rules)
    for path, item in document["paths"].items():
        if not path.startswith("x-"):
            _check_path_item(document["paths"], path, item, references)


def _check_references(document: LocatedMap, references: References) -> None:
    for holder in _find_references(document):
        references.resolve(holder)
        if not holder["$ref"].startswith(_TARGETS):
            message = f"expected a reference to a definition, parameter or response, found `{holder['$ref']}`"
            hint = "move its target below `definitions`"
            raise Failure(Diagnostic("spec/dangling-reference", message, locate_child(holder.place, "$ref"), hint))


def _check_object(value: Any, parent: LocatedMap, name: str, rules: dict[str, Rule]) -> None:
    if not isinstance(value, LocatedMap):
        raise report_malformed("an object", value, locate_child(parent.place, name))
    if "$ref" not in value:
        check_structure(value, rules)


def _check_path_item(paths: LocatedMap, path: str, item: Any, references: References) -> None:
    _check_object(item, paths, path, structure.SWAGGER_PATH_ITEM)
    item = references.resolve_path_item(item)
    check_structure(item, structure.SWAGGER_PATH_ITEM)
    shared = _list_parameters(item, references)
    for operation in (item[method] for method in METHODS if method in item):
        check_structure(operation, structure.SWAGGER_OPERATION)
        parameters = _override_parameters(shared, _list_parameters(operation, references))
        kinds = [node["in"] for _, node in parameters if node["in"] in IN_BODY]
        if "body" in kinds and len(kinds) > 1:
            message = "expected one body, or form parameters, found several bodies or both"
            hint = "fix the specification: a request has one body (Swagger 2.0, parameter object)"
            place = get_place(operation.get("parameters"), item.place)
            raise Failure(Diagnostic("spec/malformed", message, place, hint))
        for status, response in operation.get("responses", {}).items():
            if not status.startswith("x-"):
                _check_object(response, operation["responses"], status, structure.SWAGGER_RESPONSE)


def _find_references(document: LocatedMap) -> Iterator[LocatedMap]:
    """Yield every object with a `$ref`, except in data such as examples."""
    stack: list[tuple[Any, bool]] = [(document, False)]
    while stack:
        value, has_names = stack.pop()
        if isinstance(value, LocatedMap):
            if not has_names and "$ref" in value:
                yield value
            stack += [
                (item, key in _NAME_HOLDERS and not has_names)
                for key, item in value.items()
                if has_names or not (key in _DATA or key.startswith("x-"))
            ]
        elif isinstance(value, list):
            stack += [(item, False) for item in value]


def _list_parameters(holder: LocatedMap, references: References) -> Parameters:
    parameters = []
    for index, entry in enumerate(holder.get("parameters", [])):
        node = references.resolve_chain(entry)
        if not isinstance(node, LocatedMap) or "name" not in node or "in" not in node:
            place = locate_child(holder["parameters"].place, index)
            raise report_malformed("a parameter with `in` and `name`", node, place)
        check_structure(node, structure.SWAGGER_PARAMETER)
        parameters.append((entry, node))
    return parameters


def _override_parameters(shared: Parameters, parameters: Parameters) -> Parameters:
    replaced = {_identify(node) for _, node in parameters}
    return [*(pair for pair in shared if _identify(pair[1]) not in replaced), *parameters]


def _identify(node: LocatedMap) -> tuple[str, str]:
    """Return the identity of a parameter; all bodies have the same one."""
    return node["in"], "" if node["in"] == "body" else node["name"]


def prepare_swagger(document: LocatedMap) -> LocatedMap:
    """Return a checked document with bodies and forms moved from path items to their operations.

    The converter would read a body of a path item as a parameter of unknown kind.
    """
    references = References(document)
    paths = {
        path: item if path.startswith("x-") else _move_bodies(references.resolve_path_item(item), references)
        for path, item in document["paths"].items()
    }
    return make_map({**document, "swagger": "2.0", "paths": make_map(paths, document["paths"].place)}, document.place)


def _move_bodies(item: LocatedMap, references: References) -> LocatedMap:
    shared = _list_parameters(item, references)
    bodies = [pair for pair in shared if pair[1]["in"] in IN_BODY]
    if not bodies:
        return item
    place = item["parameters"].place
    remaining = make_list([entry for entry, node in shared if node["in"] not in IN_BODY], place)
    result = make_map({**item, "parameters": remaining}, item.place)
    for method in (method for method in METHODS if method in item):
        operation = item[method]
        merged = _override_parameters(bodies, _list_parameters(operation, references))
        parameters = make_list([entry for entry, _ in merged], get_place(operation.get("parameters"), place))
        result[method] = make_map({**operation, "parameters": parameters}, operation.place)
    return result


def select_converter_input(source: LocatedMap) -> dict[str, Any]:
    """Return the parts of a prepared document that the converter gets: everything without schemas and examples.

    The converter would lose parts of some schemas and fails on others, such as an `enum` of large integers. It reads
    the media types of examples as media types that the operation produces.
    """
    paths = {path: item if path.startswith("x-") else _reduce_path_item(item) for path, item in source["paths"].items()}
    result = {key: value for key, value in source.items() if key != "definitions"} | {"paths": paths}
    for key, reduce in (("parameters", _reduce_parameter), ("responses", _reduce_response)):
        if key in source:
            result[key] = {name: reduce(node) for name, node in source[key].items()}
    return result


def _reduce_path_item(item: LocatedMap) -> dict[str, Any]:
    result: dict[str, Any] = dict(item)
    if "parameters" in item:
        result["parameters"] = [_reduce_parameter(node) for node in item["parameters"]]
    for method in (method for method in METHODS if method in item):
        operation = result[method] = dict(item[method])
        operation["parameters"] = [_reduce_parameter(node) for node in operation.get("parameters", [])]
        operation["responses"] = {
            status: node if status.startswith("x-") else _reduce_response(node)
            for status, node in operation.get("responses", {}).items()
        }
    return result


def _reduce_parameter(node: LocatedMap) -> dict[str, Any]:
    if "$ref" in node:
        return {"$ref": node["$ref"]}
    result = {key: value for key, value in node.items() if key in PARAMETER_KEYS or key.startswith("x-")}
    result.pop("x-nullable", None)
    if node["in"] == "body":
        return result | {"schema": _ANY_SCHEMA}
    result.pop("schema", None)
    return result | ({"type": "array", "items": _ANY_SCHEMA} if node.get("type") == "array" else {"type": "string"})


def _reduce_response(node: LocatedMap) -> dict[str, Any]:
    if "$ref" in node:
        return {"$ref": node["$ref"]}
    result = {key: value for key, value in node.items() if key not in {"examples", "headers", "schema"}}
    return result | ({"schema": _ANY_SCHEMA} if "schema" in node else {})
