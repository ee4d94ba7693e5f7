"""The coverage check reports every lost element, and every typed schema that became free-form."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.model.contract import JsonRole
from pipeline.model.document.located import read_document
from pipeline.model.lock.text import parse_lock
from pipeline.model.profile.load import load_profile
from pipeline.model.source import SchemaKind
from postprocess.coverage.gate import collect_compiled_elements
from postprocess.tools.protoc import compile_protos
from tests.postprocess.specs import ConvertedSpec, convert_document, convert_schemas
from tests.support import ROOT

PROTOS = ROOT / "protos" / "example"
CATALOG = "folio/catalog/v1/catalog.proto"
SERVICE = "folio/catalog/v1/catalog_service.proto"
TEXT = {"type": "string"}


@pytest.fixture(scope="module")
def example() -> ConvertedSpec:
    """Convert the bundled example with its published lock."""
    spec = read_document((ROOT / "examples" / "library" / "openapi.yaml").read_bytes(), "openapi.yaml")
    return convert_document(spec, load_profile("example"), parse_lock((PROTOS / "lock.yaml").read_bytes(), "lock.yaml"))


def compile_folder(example: ConvertedSpec, folder: Path) -> ConvertedSpec:
    """Return a copy with the elements that protoc finds in a folder of protos."""
    names = [str(path.relative_to(folder)) for path in folder.rglob("*.proto")]
    lock = parse_lock((folder / "lock.yaml").read_bytes(), "lock.yaml")
    return replace(example, present=collect_compiled_elements(compile_protos(folder, names), lock))


def test_published_protos_cover_everything_in_scope(example: ConvertedSpec) -> None:
    spec = compile_folder(example, PROTOS)
    assert spec.diagnostics() == []
    assert spec.present == example.present


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        (CATALOG, "  repeated string drop = 1;\n", "property `drop` has no place in `Amendment`"),
        (CATALOG, "    Target amend = 2;\n", "property `amend` has no place in `ActionLine`"),
        (CATALOG, "  STANDING_OVERDUE = 2;\n", "enum value `overdue` has no live value in `Standing`"),
        (CATALOG, "  string shelf = 2;\n  Amendment", "parameter `shelf` has no place in `AmendRecordRequest`"),
        (SERVICE, "HasRecord", "operation `has_record` is part of no message or rpc"),
    ],
)
def test_edit_of_the_protos_is_reported(
    example: ConvertedSpec, tmp_path: Path, file: str, line: str, message: str
) -> None:
    folder = tmp_path / "protos"
    shutil.copytree(PROTOS, folder)
    text = (folder / file).read_text()
    assert line in text
    replacement = {"HasRecord": "HadRecord"}.get(line, line.partition("\n")[2])
    (folder / file).write_text(text.replace(line, replacement, 1))
    assert f"coverage/lost: {message}" in compile_folder(example, folder).diagnostics()


def summarize(spec: ConvertedSpec) -> object:
    """Return the diagnostics and the outcomes of constraints; a lost null value shows in the outcomes alone."""
    coverage = spec.coverage()
    return coverage.diagnostics, [item.outcome for item in coverage.constraint_outcomes]


def test_every_removed_field_is_reported(example: ConvertedSpec) -> None:
    """Support messages, such as those for any JSON value, have no schema; the lock check covers their fields."""
    fields = [
        (name, item.name)
        for name, message in example.contract.messages.items()
        for item in message.fields
        if message.schema.kind is not SchemaKind.SUPPORT and (name, item.number) in example.present.fields
    ]
    assert len(fields) > 200
    unchanged = summarize(example)
    assert [field for field in fields if summarize(example.without(*field)) == unchanged] == []


def test_every_removed_enum_value_is_reported(example: ConvertedSpec) -> None:
    values = [
        (name, value.number)
        for name, enum in example.contract.enums.items()
        for value in enum.values
        if value.json and enum.schema.kind is not SchemaKind.SUPPORT
    ]
    unchanged = summarize(example)
    assert len(values) > 20
    assert [value for value in values if summarize(example.without_value(*value)) == unchanged] == []


def test_every_field_that_becomes_free_form_is_reported(example: ConvertedSpec) -> None:
    typed = [
        (name, item.name)
        for name, message in example.contract.messages.items()
        for item in message.fields
        if item.places and not item.type.startswith("ObjectMap") and not item.encoding.is_document
        if item.role not in {JsonRole.KEY, JsonRole.GLOBAL} and not item.is_retained
    ]
    assert len(typed) > 150
    unreported = [field for field in typed if example.with_type(*field, "ObjectMap.Value").diagnostics() == []]
    assert unreported == []


def convert_three_subtypes() -> ConvertedSpec:
    base = {"type": "object", "properties": {"id": TEXT, "size": {"type": "array", "items": TEXT}}}
    own = {name: {"type": "object", "properties": {name: TEXT}} for name in ("red", "green", "blue")}
    members = {name: {"allOf": [{"$ref": "#/components/schemas/Base"}, schema]} for name, schema in own.items()}
    return convert_schemas({"Base": base, **{name.title(): schema for name, schema in members.items()}})


@pytest.mark.parametrize("message", ["Base", "Red", "Green", "Blue"])
def test_property_must_be_in_each_message_of_its_schema(message: str) -> None:
    spec = convert_three_subtypes()
    assert spec.diagnostics() == []
    expected = f"coverage/lost: property `size` has no place in `{message}`"
    assert spec.without(message, "size").diagnostics() == [expected]


@pytest.mark.parametrize("message", ["Base", "Red", "Green", "Blue"])
def test_property_must_have_its_type_in_each_message(message: str) -> None:
    expected = f"coverage/dynamic: list item `items` declares a type, but `{message}.size` takes any value"
    assert convert_three_subtypes().with_type(message, "size", "ObjectMap.Value").diagnostics() == [expected]


def test_restriction_of_a_later_member_does_not_replace_an_earlier_one() -> None:
    """The field `part` comes from the later schema; its message needs the properties of both."""
    first = {"type": "object", "properties": {"part": {"type": "object", "properties": {"a": TEXT}}}}
    later = {"type": "object", "properties": {"part": {"type": "object", "properties": {"b": TEXT}}}}
    spec = convert_schemas({"Whole": {"allOf": [first, later]}})
    part = spec.field("Whole", "part").type
    names = {item.json_name for item in spec.contract.messages[part].fields}
    lost = [f"coverage/lost: property `{name}` has no place in `{part}`" for name in sorted({"a", "b"} - names)]
    assert spec.diagnostics() == lost


def test_parameter_must_be_in_the_request_of_its_own_group() -> None:
    parameter = {"name": "a", "in": "query", "schema": TEXT}
    spec = convert_schemas({"Sample": {"type": "object", "properties": {"a": TEXT}}}, parameters=[parameter])
    assert spec.diagnostics() == []
    assert spec.without("SampleRequest", "a").diagnostics() == [
        "coverage/lost: parameter `a` has no place in `SampleRequest`"
    ]


def test_bodies_and_responses_must_have_a_field() -> None:
    content = {"application/json": {"schema": {"type": "array", "items": TEXT}}}
    spec = convert_schemas(
        {}, requestBody={"content": content}, responses={"200": {"description": "OK", "content": content}}
    )
    assert spec.diagnostics() == []
    body = spec.without("SampleRequest", spec.contract.messages["SampleRequest"].fields[0].name)
    response = spec.without("SampleResponse", spec.contract.messages["SampleResponse"].fields[0].name)
    assert body.diagnostics() == ["coverage/lost: body `application/json` has no place in `SampleRequest`"]
    assert response.diagnostics() == ["coverage/lost: response `200 application/json` has no place in `SampleResponse`"]


@pytest.mark.parametrize("headers", [-1, [], "x", None])
def test_malformed_headers_are_ignored(headers: Any) -> None:
    spec = convert_schemas({}, responses={"200": {"description": "OK", "headers": headers}})
    assert spec.diagnostics() == []
    assert not [item for item in spec.declared.constraints if item.keyword == "headers"]


def test_pruned_elements_are_counted_by_kind() -> None:
    sample = {
        "type": "object",
        "properties": {"kept": TEXT, "gone": {**TEXT, "x-protobuf-excluded": True}},
    }
    parameter = {"name": "a", "in": "query", "schema": TEXT, "x-protobuf-excluded": True}
    counts = convert_schemas({"Sample": sample}, parameters=[parameter]).coverage().counts
    assert counts["property"] == Counter(typed=2, excluded=1)
    assert counts["parameter"] == Counter(excluded=1)


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({}, "no type declared"),
        ({"description": "anything"}, "no type declared"),
        ({"type": "object"}, "an object without properties"),
        ({"type": "object", "additionalProperties": True}, "an object of any values"),
        ({"additionalProperties": {}}, "an object of any values"),
        ({"type": "object", "additionalProperties": {"type": "object"}}, "an object of any values"),
        ({"type": "array"}, "a list of any items"),
        ({"type": "array", "items": {}}, "no type declared"),
        ({"allOf": [{"type": "object"}, {"description": "a note"}]}, "an object without properties"),
        ({"x-protobuf-type": "ObjectMap", "properties": {"a": TEXT}}, "a vendor extension names the type"),
    ],
)
def test_free_form_reason_of_an_open_schema(schema: dict[str, Any], reason: str) -> None:
    coverage = convert_schemas(
        {"Sample": {"type": "object", "properties": {"field": schema, "other": TEXT}}}
    ).coverage()
    assert coverage.diagnostics == []
    assert coverage.free_form_reasons == {"Sample.field": reason}


@pytest.mark.parametrize(
    "schema",
    [
        TEXT,
        {"enum": ["a", "b"]},
        {"type": "array", "items": TEXT},
        {"type": "object", "properties": {"a": TEXT}},
        {"type": "object", "additionalProperties": TEXT},
        {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}}},
        {"allOf": [{"description": "a note"}, TEXT]},
        {"oneOf": [TEXT, {"type": "integer"}]},
        {"oneOf": [{"type": "object"}, {"type": "array", "items": TEXT}]},
        {"type": ["string", "integer"]},
    ],
)
def test_typed_schema_must_not_be_free_form(schema: dict[str, Any]) -> None:
    spec = convert_schemas({"Sample": {"type": "object", "properties": {"field": schema, "other": TEXT}}})
    assert spec.diagnostics() == []
    assert spec.coverage().free_form_reasons.keys() <= {"SampleField.object_map"}
    assert [text.partition(":")[0] for text in spec.with_type("Sample", "field", "ObjectMap.Value").diagnostics()] == [
        "coverage/dynamic"
    ]


def test_variants_of_an_enum_of_several_types_have_their_own_places() -> None:
    parameter = {"name": "a", "in": "query", "schema": {"enum": [True, False, 0, 1]}}
    assert convert_schemas({}, parameters=[parameter]).diagnostics() == []


def test_indirect_subtype_has_its_own_message() -> None:
    base = {"type": "object", "properties": {"kind": TEXT}, "discriminator": {"propertyName": "kind"}}
    middle = {"allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {"middle": TEXT}}]}
    lowest = {"allOf": [{"$ref": "#/components/schemas/Middle"}, {"properties": {"low": TEXT}}]}
    spec = convert_schemas({"Base": base, "Middle": middle, "Zero": lowest})
    assert spec.diagnostics() == []
    assert spec.without("Zero", "low").diagnostics() == ["coverage/lost: property `low` has no place in `Zero`"]
