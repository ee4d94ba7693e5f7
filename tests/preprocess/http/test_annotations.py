"""HTTP rules: path templates, fields as the lock names them, and the order of the forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.model.contract import HttpRule, Rpc
from pipeline.model.document.located import make_map, read_document
from pipeline.model.document.validated import validate
from pipeline.model.lock.model import Lock, create_empty_lock
from pipeline.model.profile.profile import Profile
from postprocess.tools.protoc import compile_protos
from preprocess.canonical.http_option import format_http_option
from preprocess.http.annotations import explain_path_fault, format_template, list_variables
from preprocess.passes import preprocess
from preprocess.records import PreprocessResult


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", "/"),
        ("/shelves", "/shelves"),
        ("/shelves/{shelf-id}/books/{isbn}", "/shelves/{shelf_id}/books/{isbn}"),
        ("/shelves/{isbn}:move", "/shelves/{isbn}:move"),
        ("/_all,-x/~y/a.b", "/_all,-x/~y/a.b"),
        ("/two words/é", "/two%20words/%C3%A9"),
        ('/say "when"/a\\b', "/say%20%22when%22/a%5Cb"),
        ("/done%20already/100%", "/done%20already/100%25"),
    ],
)
def test_a_path_becomes_a_template(path: str, expected: str) -> None:
    assert explain_path_fault(path) == ""
    assert format_template(path, {"shelf-id": "shelf_id", "isbn": "isbn"}) == expected


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("shelves", "does not begin"),
        ("/shelves/", "is empty"),
        ("//shelves", "is empty"),
        ("/shelves?sort=up", "a query or a fragment"),
        ("/#shelves", "a query or a fragment"),
        ("/files/*", "wildcard"),
        ("/files/**/x", "wildcard"),
        ("/{id}.{format}", "only a part"),
        ("/books('{id}')", "only a part"),
        ("/x:{id}", "only a part"),
        ("/{id}:move/now", "only a part"),
        ("/{id", "only a part"),
    ],
)
def test_a_path_that_is_no_template(path: str, why: str) -> None:
    assert why in explain_path_fault(path)


def operation(group: str, *parameters: str, body: str = "", **answers: str) -> dict[str, Any]:
    """An operation with parameters `in:name`, a body and answers of component schemas."""
    listed = [part.split(":") for part in parameters]
    node: dict[str, Any] = {
        "x-operation-group": group,
        "parameters": [
            {"name": name, "in": where, "required": where == "path", "schema": {"type": "string"}}
            for where, name in listed
        ],
        "responses": {
            status[1:]: {"description": "OK", "content": {"application/json": {"schema": reference(name)}}}
            for status, name in answers.items()
        }
        or {"204": {"description": "Done"}},
    }
    return node | ({"requestBody": {"content": {"application/json": {"schema": reference(body)}}}} if body else {})


def reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def converted(
    paths: dict[str, Any], lock: Lock | None = None, *, partial: bool = False, **profile: Any
) -> PreprocessResult:
    schemas = {name: {"type": "object", "properties": {"title": {"type": "string"}}} for name in ("Book", "Loan")}
    text = json.dumps({"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}})
    document = read_document(text, "spec.yaml")
    given = {"name": "sample", "package": "sample.v1", "files": {"messages": "sample/v1/sample.proto"}, **profile}
    chosen = validate(Profile, make_map(given, document.place), "profile/invalid", "")
    return preprocess(document, chosen, lock or create_empty_lock("sample.v1"), [], partial=partial)


def only(done: PreprocessResult) -> Rpc:
    [rpc] = done.contract.rpcs
    return rpc


def codes(done: PreprocessResult) -> list[str]:
    return [diagnostic.code for diagnostic in done.diagnostics]


def test_the_form_with_the_body_comes_first_then_the_shortest() -> None:
    paths = {
        "/{shelf}/{room}/books": {"post": operation("add", "path:shelf", "path:room", body="Book")},
        "/{shelf}/books": {"get": operation("add", "path:shelf"), "put": operation("add", "path:shelf", body="Book")},
        "/books": {"get": operation("add")},
    }
    expected = [
        HttpRule("PUT", "/{shelf}/books", "book"),
        HttpRule("POST", "/{shelf}/{room}/books", "book"),
        HttpRule("GET", "/books"),
        HttpRule("GET", "/{shelf}/books"),
    ]
    assert list(only(converted(paths)).http) == expected
    assert list(only(converted(dict(reversed(paths.items())))).http) == expected


def test_each_form_names_its_own_body_and_answer() -> None:
    paths = {
        "/books": {"post": operation("put", body="Book", s201="Book")},
        "/loans": {"post": operation("put", body="Loan", s200="Loan", s404="Book")},
    }
    assert list(only(converted(paths)).http) == [
        HttpRule("POST", "/books", "book", "book"),
        HttpRule("POST", "/loans", "loan", "loan"),
    ]


def test_fields_are_called_as_the_lock_has_them() -> None:
    paths = {"/books/{isbn}": {"put": operation("put", "path:isbn", body="Book", s200="Book")}}
    done = converted(paths)
    renamed = {"isbn": "number", "book": "volume"}
    messages = {
        name: entry.model_copy(
            update={
                "fields": tuple(
                    item.model_copy(update={"name": renamed.get(item.name, item.name)}) for item in entry.fields
                )
            }
        )
        for name, entry in done.lock.messages.items()
    }
    again = converted(paths, done.lock.model_copy(update={"messages": messages}))
    assert list(only(again).http) == [HttpRule("PUT", "/books/{number}", "volume", "volume")]
    assert only(again).bindings[0].path == "/books/{isbn}"


def test_two_rpcs_never_take_the_same_requests() -> None:
    paths = {
        "/books/{isbn}": {"get": operation("get", "path:isbn")},
        "/books/{title}": {"get": operation("find", "path:title")},
    }
    done = converted(paths)
    assert {rpc.name: (len(rpc.http), rpc.unmapped_forms) for rpc in done.contract.rpcs} == {
        "Find": (1, ()),
        "Get": (0, (("GET", "/books/{isbn}"),)),
    }
    assert codes(done) == ["http/path-twice"]


def test_the_rpc_that_streams_gives_way() -> None:
    rpcs = [{"name": "All", "group": "list", "server_streaming": True}, {"name": "List", "group": "list"}]
    services = [{"name": "BookService", "file": "sample/v1/book_service.proto", "rpcs": rpcs}]
    done = converted({"/books": {"get": operation("list")}}, services=services)
    assert {rpc.name: len(rpc.http) for rpc in done.contract.rpcs} == {"All": 0, "List": 1}


def test_a_parameter_without_a_declaration_leaves_its_form_out() -> None:
    done = converted({"/books/{isbn}": {"get": operation("get")}})
    assert only(done).http == ()
    assert codes(done) == ["http/path-parameter"]


def test_a_build_of_a_part_says_what_is_lost() -> None:
    paths = {"/books": {"get": operation("books")}, "/loans": {"get": operation("loans")}}
    lock = converted(paths).lock
    part = {"/books": paths["/books"]}
    assert codes(converted(part, lock, partial=True)) == ["http/partial"]
    assert codes(converted(part, lock)) == []


def test_the_option_is_found_in_any_package(tmp_path: Path) -> None:
    for package in ("sample.v1", "google.v1", "com.google.books.v1"):
        lines = "\n".join(format_http_option((HttpRule("GET", "/books"), HttpRule("HEAD", "/books")), package))
        text = (
            f'syntax = "proto3";\npackage {package};\nimport "google/api/annotations.proto";\n'
            f"message Empty {{}}\nservice Books {{\n  rpc Get(Empty) returns (Empty) {{\n{lines}\n}}\n}}\n"
        )
        (tmp_path / "sample.proto").write_text(text)
        compile_protos(tmp_path, ["sample.proto"])


def test_the_parameters_of_a_path_are_in_its_order() -> None:
    assert list_variables("/{b}/x/{a}:go") == ["b", "a"]
