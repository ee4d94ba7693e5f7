"""Swagger 2.0: what a document must be like to be converted to OpenAPI 3, and what of it the converter is given.

The converter leaves out without a word what it does not understand, and writes references anew. So what it would lose
is refused before, at its place, and so is a reference that it could not write.
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

_NAMED = frozenset(
    {"definitions", "headers", "parameters", "paths", "patternProperties", "properties", "responses"}
)  # what stands below these are names, so that `$ref` or `default` is one as well
_DATA = frozenset({"default", "enum", "example", "examples"})
# What a parameter says beside the schema of its value.
ABOUT_PARAMETERS = frozenset({"allowEmptyValue", "collectionFormat", "description", "in", "name", "required", "schema"})
_ANY_SCHEMA = {"type": "string"}
_TARGETS = ("#/definitions/", "#/parameters/", "#/responses/")


def is_swagger(document: LocatedMap) -> bool:
    """Whether a document says that it is Swagger, of any version."""
    return "swagger" in document and "openapi" not in document


def check_swagger(document: LocatedMap) -> None:
    """Refuse what the converter could not convert, or would leave out.

    Raises:
        Failure: `spec/version`, `spec/no-paths`, `spec/malformed`, `spec/external-reference`,
            `spec/dangling-reference`, `spec/reference-cycle`.
    """
    if str(document["swagger"]) != "2.0":
        message, hint = f"Swagger {document['swagger']} is not known", "use Swagger 2.0, or OpenAPI 3.0 or 3.1"
        raise Failure(Diagnostic("spec/version", message, locate_child(document.place, "swagger"), hint))
    if not isinstance(document.get("paths"), LocatedMap):
        hint = "name the whole specification"
        raise Failure(Diagnostic("spec/no-paths", "the specification has no `paths`", document.place, hint))
    check_structure(document, structure.SWAGGER)
    references = References(document)
    for holder in _references(document):
        references.resolve(holder)
        if not holder["$ref"].startswith(_TARGETS):
            message = f"`{holder['$ref']}` leads to no definition, parameter or response"
            hint = "move what it leads to below `definitions`"
            raise Failure(Diagnostic("spec/dangling-reference", message, locate_child(holder.place, "$ref"), hint))
    for key, kind in (
        ("definitions", {}),
        ("parameters", structure.SWAGGER_PARAMETER),
        ("responses", structure.SWAGGER_RESPONSE),
    ):
        for name, value in document.get(key, {}).items():
            _check_object(value, document[key], name, kind)
    for path, item in document["paths"].items():
        if not path.startswith("x-"):
            _check_path_item(document["paths"], path, item, references)


def _check_object(value: Any, holder: LocatedMap, name: str, rules: dict[str, Rule]) -> None:
    if not isinstance(value, LocatedMap):
        raise report_malformed("an object", value, locate_child(holder.place, name))
    if "$ref" not in value:
        check_structure(value, rules)


def _check_path_item(paths: LocatedMap, path: str, item: Any, references: References) -> None:
    _check_object(item, paths, path, structure.SWAGGER_PATH_ITEM)
    item = references.resolve_path_item(item)
    check_structure(item, structure.SWAGGER_PATH_ITEM)
    shared = _parameters(item, references)
    for operation in (item[method] for method in METHODS if method in item):
        check_structure(operation, structure.SWAGGER_OPERATION)
        own = _parameters(operation, references)
        kinds = [node["in"] for _, node in _merged(shared, own) if node["in"] in IN_BODY]
        if "body" in kinds and len(kinds) > 1:
            message = "expected one body, or form parameters, found several bodies or both"
            hint = "mend the specification: a request has one body (Swagger 2.0, parameter object)"
            raise Failure(
                Diagnostic("spec/malformed", message, get_place(operation.get("parameters"), item.place), hint)
            )
        for status, response in operation.get("responses", {}).items():
            if not status.startswith("x-"):
                _check_object(response, operation["responses"], status, structure.SWAGGER_RESPONSE)


def _references(document: LocatedMap) -> Iterator[LocatedMap]:
    """Everything with a `$ref` that is a reference and no data; only texts are, as for OpenAPI 3."""
    stack: list[tuple[Any, bool]] = [(document, False)]
    while stack:
        value, named = stack.pop()
        if isinstance(value, LocatedMap):
            if not named and "$ref" in value:
                yield value
            stack += [
                (item, key in _NAMED and not named)
                for key, item in value.items()
                if named or not (key in _DATA or key.startswith("x-"))
            ]
        elif isinstance(value, list):
            stack += [(item, False) for item in value]


def _parameters(holder: LocatedMap, references: References) -> list[tuple[LocatedMap, LocatedMap]]:
    """The parameters of a path item or an operation: what stands there, and the parameter that it is or refers to."""
    listed = []
    for at, standing in enumerate(holder.get("parameters", [])):
        node = references.resolve_chain(standing)
        if not isinstance(node, LocatedMap) or "name" not in node or "in" not in node:
            raise report_malformed(
                "a parameter with `in` and `name`", node, locate_child(holder["parameters"].place, at)
            )
        check_structure(node, structure.SWAGGER_PARAMETER)
        listed.append((standing, node))
    return listed


def _merged(
    shared: list[tuple[LocatedMap, LocatedMap]], own: list[tuple[LocatedMap, LocatedMap]]
) -> list[tuple[LocatedMap, LocatedMap]]:
    """An operation's parameters and those of its path item that it does not replace; any body replaces a body."""
    taken = {_identity(node) for _, node in own}
    return [*(pair for pair in shared if _identity(pair[1]) not in taken), *own]


def _identity(node: LocatedMap) -> tuple[str, str]:
    return node["in"], "" if node["in"] == "body" else node["name"]


def prepare_swagger(document: LocatedMap) -> LocatedMap:
    """A checked document in which bodies and forms stand with each operation.

    Those of a path item the converter takes for parameters of an unknown kind.
    """
    references = References(document)
    paths = {
        path: item if path.startswith("x-") else _with_bodies(references.resolve_path_item(item), references)
        for path, item in document["paths"].items()
    }
    return make_map({**document, "swagger": "2.0", "paths": make_map(paths, document["paths"].place)}, document.place)


def _with_bodies(item: LocatedMap, references: References) -> LocatedMap:
    shared = _parameters(item, references)
    bodies = [pair for pair in shared if pair[1]["in"] in IN_BODY]
    if not bodies:
        return item
    place = item["parameters"].place
    rest = make_list([standing for standing, node in shared if node["in"] not in IN_BODY], place)
    result = make_map({**item, "parameters": rest}, item.place)
    for method in (method for method in METHODS if method in item):
        listed = [standing for standing, _ in _merged(bodies, _parameters(item[method], references))]
        own = get_place(item[method].get("parameters"), place)
        result[method] = make_map({**item[method], "parameters": make_list(listed, own)}, item[method].place)
    return result


def select_converter_input(source: LocatedMap) -> dict[str, Any]:
    """What the converter is given of a prepared document: all but its schemas, which are kept as they are.

    It would lose some of them, and stumble over others, as over an `enum` of large integers. Examples are left out as
    well: it takes their media types for some that the operation produces.
    """
    paths = {path: item if path.startswith("x-") else _path_given(item) for path, item in source["paths"].items()}
    result = {key: value for key, value in source.items() if key != "definitions"} | {"paths": paths}
    for key, part in (("parameters", _parameter_given), ("responses", _response_given)):
        if key in source:
            result[key] = {name: part(node) for name, node in source[key].items()}
    return result


def _path_given(item: LocatedMap) -> dict[str, Any]:
    result: dict[str, Any] = dict(item)
    if "parameters" in item:
        result["parameters"] = [_parameter_given(node) for node in item["parameters"]]
    for method in (method for method in METHODS if method in item):
        operation = result[method] = dict(item[method])
        operation["parameters"] = [_parameter_given(node) for node in operation.get("parameters", [])]
        operation["responses"] = {
            status: node if status.startswith("x-") else _response_given(node)
            for status, node in operation.get("responses", {}).items()
        }
    return result


def _parameter_given(node: LocatedMap) -> dict[str, Any]:
    if "$ref" in node:
        return {"$ref": node["$ref"]}
    kept = {key: value for key, value in node.items() if key in ABOUT_PARAMETERS or key.startswith("x-")}
    kept.pop("x-nullable", None)
    if node["in"] == "body":
        return kept | {"schema": _ANY_SCHEMA}
    kept.pop("schema", None)
    return kept | ({"type": "array", "items": _ANY_SCHEMA} if node.get("type") == "array" else {"type": "string"})


def _response_given(node: LocatedMap) -> dict[str, Any]:
    if "$ref" in node:
        return {"$ref": node["$ref"]}
    kept = {key: value for key, value in node.items() if key not in {"examples", "headers", "schema"}}
    return kept | ({"schema": _ANY_SCHEMA} if "schema" in node else {})
