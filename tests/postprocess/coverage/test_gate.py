"""The coverage gate: nothing leaves the result unnoticed, and nothing with a type ends in a field for anything."""

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
from postprocess.tools.protoc import compile_protos
from preprocess.trace.present_elements import collect_compiled_elements
from tests.postprocess.specs import Built, build, built
from tests.support import ROOT

PROTOS = ROOT / "protos" / "example"
CATALOG = "folio/catalog/v1/catalog.proto"
SERVICE = "folio/catalog/v1/catalog_service.proto"
TEXT = {"type": "string"}


@pytest.fixture(scope="module")
def example() -> Built:
    """The bundled example, against its published lock."""
    spec = read_document((ROOT / "examples" / "library" / "openapi.yaml").read_bytes(), "openapi.yaml")
    return build(spec, load_profile("example"), parse_lock((PROTOS / "lock.yaml").read_bytes(), "lock.yaml"))


def published(example: Built, folder: Path) -> Built:
    """The same with what protoc makes of proto files."""
    names = [str(path.relative_to(folder)) for path in folder.rglob("*.proto")]
    lock = parse_lock((folder / "lock.yaml").read_bytes(), "lock.yaml")
    return replace(example, present=collect_compiled_elements(compile_protos(folder, names), lock))


def test_the_published_protos_have_everything_in_scope(example: Built) -> None:
    found = published(example, PROTOS)
    assert found.diagnostics() == []
    assert found.present == example.present


@pytest.mark.parametrize(
    ("file", "line", "told"),
    [
        (CATALOG, "  repeated string drop = 1;\n", "property `drop` has no place in `Amendment`"),
        (CATALOG, "    Target amend = 2;\n", "property `amend` has no place in `ActionLine`"),
        (CATALOG, "  STANDING_OVERDUE = 2;\n", "enum value `overdue` has no live value in `Standing`"),
        (CATALOG, "  string shelf = 2;\n  Amendment", "parameter `shelf` has no place in `AmendRecordRequest`"),
        (SERVICE, "HasRecord", "operation `has_record` is part of no message or rpc"),
    ],
)
def test_an_edit_of_the_protos_is_told(example: Built, tmp_path: Path, file: str, line: str, told: str) -> None:
    folder = tmp_path / "protos"
    shutil.copytree(PROTOS, folder)
    text = (folder / file).read_text()
    assert line in text
    left = {"HasRecord": "HadRecord"}.get(line, line.partition("\n")[2])
    (folder / file).write_text(text.replace(line, left, 1))
    assert f"coverage/lost: {told}" in published(example, folder).diagnostics()


def told(found: Built) -> object:
    """What the gate and the report of constraints say; null among values is one of these."""
    coverage = found.coverage()
    return coverage.diagnostics, [account.outcome for account in coverage.constraint_outcomes]


def test_no_field_can_leave_unnoticed(example: Built) -> None:
    """Fields of messages that no schema is behind, such as those for any JSON, are held against the lock instead."""
    fields = [
        (name, item.name)
        for name, message in example.contract.messages.items()
        for item in message.fields
        if message.schema.kind is not SchemaKind.SUPPORT and (name, item.number) in example.present.fields
    ]
    assert len(fields) > 200
    nothing = told(example)
    assert [field for field in fields if told(example.without(*field)) == nothing] == []


def test_no_enum_value_can_leave_unnoticed(example: Built) -> None:
    values = [
        (name, value.number)
        for name, enum in example.contract.enums.items()
        for value in enum.values
        if value.json and enum.schema.kind is not SchemaKind.SUPPORT
    ]
    nothing = told(example)
    assert len(values) > 20
    assert [value for value in values if told(example.without_value(*value)) == nothing] == []


def test_no_field_can_come_to_take_anything_unnoticed(example: Built) -> None:
    typed = [
        (name, item.name)
        for name, message in example.contract.messages.items()
        for item in message.fields
        if item.places and not item.type.startswith("ObjectMap") and not item.encoding.is_document
        if item.role not in {JsonRole.KEY, JsonRole.GLOBAL} and not item.is_retained
    ]
    assert len(typed) > 150
    unseen = [field for field in typed if example.with_type(*field, "ObjectMap.Value").diagnostics() == []]
    assert unseen == []


def three_of_one_base() -> Built:
    base = {"type": "object", "properties": {"id": TEXT, "size": {"type": "array", "items": TEXT}}}
    own = {name: {"type": "object", "properties": {name: TEXT}} for name in ("red", "green", "blue")}
    members = {name: {"allOf": [{"$ref": "#/components/schemas/Base"}, schema]} for name, schema in own.items()}
    return built({"Base": base, **{name.title(): schema for name, schema in members.items()}})


@pytest.mark.parametrize("message", ["Base", "Red", "Green", "Blue"])
def test_a_property_must_be_in_each_message_that_its_schema_is_part_of(message: str) -> None:
    found = three_of_one_base()
    assert found.diagnostics() == []
    told = f"coverage/lost: property `size` has no place in `{message}`"
    assert found.without(message, "size").diagnostics() == [told]


@pytest.mark.parametrize("message", ["Base", "Red", "Green", "Blue"])
def test_a_property_must_have_its_type_in_each_message(message: str) -> None:
    told = f"coverage/dynamic: list item `items` declares a type, but `{message}.size` takes any value"
    assert three_of_one_base().with_type(message, "size", "ObjectMap.Value").diagnostics() == [told]


def test_what_a_later_member_restricts_may_not_take_the_place_of_what_an_earlier_one_has() -> None:
    """The field `part` is that of the later schema; whatever its message is called, it needs both properties."""
    first = {"type": "object", "properties": {"part": {"type": "object", "properties": {"a": TEXT}}}}
    later = {"type": "object", "properties": {"part": {"type": "object", "properties": {"b": TEXT}}}}
    found = built({"Whole": {"allOf": [first, later]}})
    part = found.field("Whole", "part").type
    names = {item.json_name for item in found.contract.messages[part].fields}
    lost = [f"coverage/lost: property `{name}` has no place in `{part}`" for name in sorted({"a", "b"} - names)]
    assert found.diagnostics() == lost


def test_a_parameter_must_be_in_the_request_of_its_own_group() -> None:
    parameter = {"name": "a", "in": "query", "schema": TEXT}
    found = built({"Sample": {"type": "object", "properties": {"a": TEXT}}}, parameters=[parameter])
    assert found.diagnostics() == []
    assert found.without("SampleRequest", "a").diagnostics() == [
        "coverage/lost: parameter `a` has no place in `SampleRequest`"
    ]


def test_bodies_and_answers_must_have_a_field() -> None:
    content = {"application/json": {"schema": {"type": "array", "items": TEXT}}}
    found = built({}, requestBody={"content": content}, responses={"200": {"description": "OK", "content": content}})
    assert found.diagnostics() == []
    body = found.without("SampleRequest", found.contract.messages["SampleRequest"].fields[0].name)
    answer = found.without("SampleResponse", found.contract.messages["SampleResponse"].fields[0].name)
    assert body.diagnostics() == ["coverage/lost: body `application/json` has no place in `SampleRequest`"]
    assert answer.diagnostics() == ["coverage/lost: response `200 application/json` has no place in `SampleResponse`"]


@pytest.mark.parametrize("headers", [-1, [], "x", None])
def test_headers_that_are_none_are_nothing_to_account_for(headers: Any) -> None:
    found = built({}, responses={"200": {"description": "OK", "headers": headers}})
    assert found.diagnostics() == []
    assert not [item for item in found.declared.constraints if item.keyword == "headers"]


def test_what_was_pruned_is_counted_by_kind() -> None:
    sample = {
        "type": "object",
        "properties": {"kept": TEXT, "gone": {**TEXT, "x-protobuf-excluded": True}},
    }
    parameter = {"name": "a", "in": "query", "schema": TEXT, "x-protobuf-excluded": True}
    counts = built({"Sample": sample}, parameters=[parameter]).coverage().counts
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
def test_a_field_may_take_anything_where_the_spec_leaves_it_open(schema: dict[str, Any], reason: str) -> None:
    coverage = built({"Sample": {"type": "object", "properties": {"field": schema, "other": TEXT}}}).coverage()
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
def test_a_declared_type_may_not(schema: dict[str, Any]) -> None:
    found = built({"Sample": {"type": "object", "properties": {"field": schema, "other": TEXT}}})
    assert found.diagnostics() == []
    assert found.coverage().free_form_reasons.keys() <= {"SampleField.object_map"}
    assert [text.partition(":")[0] for text in found.with_type("Sample", "field", "ObjectMap.Value").diagnostics()] == [
        "coverage/dynamic"
    ]


def test_the_variants_that_an_enum_of_several_types_becomes_have_their_own_places() -> None:
    parameter = {"name": "a", "in": "query", "schema": {"enum": [True, False, 0, 1]}}
    assert built({}, parameters=[parameter]).diagnostics() == []


def test_what_extends_a_base_by_way_of_another_is_in_its_own_message() -> None:
    base = {"type": "object", "properties": {"kind": TEXT}, "discriminator": {"propertyName": "kind"}}
    middle = {"allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {"middle": TEXT}}]}
    lowest = {"allOf": [{"$ref": "#/components/schemas/Middle"}, {"properties": {"low": TEXT}}]}
    found = built({"Base": base, "Middle": middle, "Zero": lowest})
    assert found.diagnostics() == []
    assert found.without("Zero", "low").diagnostics() == ["coverage/lost: property `low` has no place in `Zero`"]
