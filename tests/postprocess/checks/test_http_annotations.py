"""The check of HTTP annotations passes the example and reports each way of changing its annotations."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from google.api import annotations_pb2
from google.api.http_pb2 import HttpRule
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
)
from rich.console import Console

from pipeline.build.checks import ExpectedChecks, check_protos, start_tools
from pipeline.build.inputs import Inputs, read_inputs
from pipeline.build.request import Request, fetch_requested_spec, requested_profile
from pipeline.model.contract import Contract
from pipeline.model.diagnostics import Diagnostic
from pipeline.model.document.located import read_document
from pipeline.progress import Progress
from pipeline.workspace import BINDING
from postprocess.checks.http_annotations import check_http, list_rules
from postprocess.coverage.gate import check_coverage
from postprocess.lock.descriptors import descriptors_of_lock
from postprocess.round_trip.check import check_round_trip
from postprocess.tools.protoc import compile_protos
from preprocess.passes import preprocess
from preprocess.records import PreprocessResult
from tests.support import ROOT, spec2proto

EMPTY = ROOT / "examples" / "library" / "empty.lock.yaml"
Change = Callable[[FileDescriptorSet], None]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, built from nothing."""
    out = tmp_path_factory.mktemp("example") / "protos"
    built = spec2proto("build", "--profile", "example", "--lock", EMPTY, "--out", out)
    assert built.returncode == 0, built.stderr
    return out


@pytest.fixture(scope="module")
def inputs(folder: Path) -> Inputs:
    request = Request(profile="example", out=folder)
    profile = requested_profile(request)
    return read_inputs(
        request, profile, fetch_requested_spec(request, profile, Progress(Console(quiet=True), quiet=True))
    )


@pytest.fixture(scope="module")
def done(inputs: Inputs) -> PreprocessResult:
    document = read_document(inputs.spec.content, "spec.yaml")
    return preprocess(document, inputs.profile, inputs.lock, [])


@pytest.fixture(scope="module")
def contract(done: PreprocessResult) -> Contract:
    return done.contract


@pytest.fixture(scope="module")
def published(folder: Path) -> bytes:
    names = list(texts(folder))
    compiled = compile_protos(folder, names)
    return FileDescriptorSet(file=[file for file in compiled.file if file.name in names]).SerializeToString()


@pytest.fixture
def descriptors(published: bytes) -> FileDescriptorSet:
    return FileDescriptorSet.FromString(published)


def texts(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.proto")}


def method(descriptors: FileDescriptorSet, name: str) -> MethodDescriptorProto:
    services = (service for file in descriptors.file for service in file.service)
    return next(item for service in services for item in service.method if item.name == name)


def message(descriptors: FileDescriptorSet, name: str) -> DescriptorProto:
    return next(item for file in descriptors.file for item in file.message_type if item.name == name)


def rule(descriptors: FileDescriptorSet, name: str) -> HttpRule:
    return method(descriptors, name).options.Extensions[annotations_pb2.http]


def test_annotations_of_a_build_pass(descriptors: FileDescriptorSet, done: PreprocessResult) -> None:
    assert check_http(descriptors, done.contract, wanted=True) == []
    operations = done.declared.operations
    assert len(operations) > len(done.contract.rpcs)
    assert sum(len(list_rules(method(descriptors, rpc.name))) for rpc in done.contract.rpcs) == len(operations)


def drop_a_binding(descriptors: FileDescriptorSet) -> None:
    del rule(descriptors, "Search").additional_bindings[1]


def drop_an_annotation(descriptors: FileDescriptorSet) -> None:
    method(descriptors, "ListShelves").options.ClearExtension(annotations_pb2.http)


def double_a_binding(descriptors: FileDescriptorSet) -> None:
    bindings = rule(descriptors, "Search").additional_bindings
    bindings.add().CopyFrom(bindings[0])


def change_the_method(descriptors: FileDescriptorSet) -> None:
    rule(descriptors, "PutRecord").post = rule(descriptors, "PutRecord").put


def change_a_custom_method(descriptors: FileDescriptorSet) -> None:
    rule(descriptors, "HasRecord").custom.kind = "OPTIONS"


def change_the_path(descriptors: FileDescriptorSet) -> None:
    rule(descriptors, "ListShelves").get = "/shelfs"


def exchange_the_variables(descriptors: FileDescriptorSet) -> None:
    rule(descriptors, "GetRecord").get = "/{isbn}/records/{shelf}"


def name_no_field_in_the_path(descriptors: FileDescriptorSet) -> None:
    rule(descriptors, "LoansRenew").post = "/loans/{loan-id}/renewals"


def make_a_path_field_a_message(descriptors: FileDescriptorSet) -> None:
    field = next(item for item in message(descriptors, "GetRecordRequest").field if item.name == "isbn")
    field.type, field.type_name = FieldDescriptorProto.TYPE_MESSAGE, ".folio.catalog.v1.Shelf"


def put_a_path_field_in_a_oneof(descriptors: FileDescriptorSet) -> None:
    request = message(descriptors, "GetRecordRequest")
    field = next(item for item in request.field if item.name == "isbn")
    field.oneof_index = len(request.oneof_decl)
    request.oneof_decl.add(name="which")


def drop_the_body(descriptors: FileDescriptorSet) -> None:
    rule(descriptors, "Search").ClearField("body")


def take_the_whole_request_as_body(descriptors: FileDescriptorSet) -> None:
    rule(descriptors, "Search").body = "*"


def give_a_body_to_a_get(descriptors: FileDescriptorSet) -> None:
    rule(descriptors, "GetRecord").body = "isbn"


def drop_the_response_body(descriptors: FileDescriptorSet) -> None:
    rule(descriptors, "ListShelves").ClearField("response_body")


def name_another_response_body(descriptors: FileDescriptorSet) -> None:
    rule(descriptors, "ListShelves").response_body = "shelves"


def remove_the_body_field(descriptors: FileDescriptorSet) -> None:
    request = message(descriptors, "AmendRecordRequest")
    del request.field[next(at for at, item in enumerate(request.field) if item.name == "amendment")]


def remove_the_response_body_field(descriptors: FileDescriptorSet) -> None:
    del message(descriptors, "GetRecordResponse").field[0]


def take_the_path_of_another(descriptors: FileDescriptorSet) -> None:
    rule(descriptors, "LoansStats").additional_bindings.add(get="/{shelf}/records/{isbn}")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (drop_a_binding, "http/form: `GET /search` is not in the annotation of `CatalogService/Search`"),
        (drop_an_annotation, "http/form: `GET /shelves` is not in the annotation"),
        (
            double_a_binding,
            "http/form: `POST /{shelf}/search` is no form of `CatalogService/Search`, or is there twice",
        ),
        (change_the_method, "http/form: `PUT /{shelf}/records/{isbn}` is not in the annotation"),
        (change_a_custom_method, "http/form: `HEAD /{shelf}/records/{isbn}` is not in the annotation"),
        (change_the_path, "http/form: `GET /shelfs` is no form"),
        (exchange_the_variables, "http/form: `GET /{isbn}/records/{shelf}` is no form"),
        (name_no_field_in_the_path, "http/field: `/loans/{loan-id}/renewals`: the request has no field `loan-id`"),
        (make_a_path_field_a_message, "http/field: `/{shelf}/records/{isbn}`: the field `isbn` is a message or a map"),
        (put_a_path_field_in_a_oneof, "http/field: `/{shelf}/records/{isbn}`: the field `isbn` is a member of a oneof"),
        (drop_the_body, "http/body: `POST /search`: `body` is missing, expected `search_body`"),
        (take_the_whole_request_as_body, "http/body: `POST /search`: `body` is `*`, expected `search_body`"),
        (give_a_body_to_a_get, "http/body: `GET /{shelf}/records/{isbn}`: `body` is `isbn`, expected missing"),
        (drop_the_response_body, "http/response-body: `GET /shelves`: `response_body` is missing, expected `shelf`"),
        (
            name_another_response_body,
            "http/response-body: `GET /shelves`: `response_body` is `shelves`, expected `shelf`",
        ),
        (remove_the_body_field, "names `amendment`, which `folio.catalog.v1.AmendRecordRequest` does not have"),
        (
            remove_the_response_body_field,
            "names `record_card`, which `folio.catalog.v1.GetRecordResponse` does not have",
        ),
        (take_the_path_of_another, "http/route: `GET /{shelf}/records/{isbn}` of `CatalogService/LoansStats` is "),
    ],
)
def test_changed_annotation_is_reported(
    descriptors: FileDescriptorSet, contract: Contract, change: Change, message: str
) -> None:
    change(descriptors)
    diagnostics = check_http(descriptors, contract, wanted=True)
    assert any(message in f"{diagnostic.code}: {diagnostic.message}" for diagnostic in diagnostics), [
        str(item) for item in diagnostics
    ]


def test_annotations_are_reported_if_the_profile_disables_them(
    descriptors: FileDescriptorSet, contract: Contract
) -> None:
    plain = replace(contract, rpcs=tuple(rpc._replace(http=(), unmapped_forms=()) for rpc in contract.rpcs))
    assert {diagnostic.code for diagnostic in check_http(descriptors, plain, wanted=False)} == {"http/form"}
    for rpc in contract.rpcs:
        method(descriptors, rpc.name).options.ClearExtension(annotations_pb2.http)
    assert check_http(descriptors, plain, wanted=False) == []


def test_a_build_runs_the_check(folder: Path, done: PreprocessResult, tmp_path: Path) -> None:
    files, binding = texts(folder), (folder / BINDING).read_text()
    expected = descriptors_of_lock(done.lock)
    coverage = check_coverage(done.declared, done.contract, done.trace, done.plan)
    checks = ExpectedChecks(coverage, lambda: check_round_trip(expected, json.loads(binding), done.contract))

    def check() -> list[Diagnostic]:
        with ThreadPoolExecutor() as pool:
            tools = start_tools(files, done, expected, tmp_path / "protos", pool)
            return check_protos(tools, files, done, checks, binding)[0]

    assert check() == []
    name = "folio/catalog/v1/catalog_service.proto"
    files[name] = files[name].replace('post: "/search"', 'post: "/searches"')
    assert {item.code for item in check()} == {"http/form"}
