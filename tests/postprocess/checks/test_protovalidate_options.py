"""The options of protovalidate are held against the spec: what is lost, changed or added in between is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from postprocess.checks.protovalidate_options import check_options
from postprocess.tools import validate_proto
from postprocess.tools.imports import write_validate
from postprocess.tools.protoc import compile_protos
from preprocess.constraints.options import add_options
from preprocess.constraints.plan import OptionPlan, plan_options
from preprocess.trace.analysis import trace_schemas
from preprocess.trace.present_elements import collect_locked_elements
from tests.postprocess.specs import built
from tests.rules.catalogue import run_all
from tests.rules.examples import Example
from tests.rules.pages import read_pages

BOUNDS, PROPERTIES = "validate-bounds", "validate-properties"
IMPORT = 'import "buf/validate/validate.proto";\n'


@pytest.fixture(scope="module")
def examples() -> dict[str, Example]:
    """The examples of two pages."""
    return run_all([page for page in read_pages() if page.stem in {BOUNDS, PROPERTIES}])


def plan_of(example: Example) -> OptionPlan:
    done = example.built
    analysis = trace_schemas(done.declared, done.contract, collect_locked_elements(done.lock))
    return plan_options(done.declared, done.contract, analysis)


def diagnostics(example: Example, folder: Path, old: str, new: str) -> list[str]:
    """What the check says after a change of the protos."""
    changed = 0
    for name, text in example.protos.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        changed += text.count(old)
        path.write_text(text.replace(old, new))
    assert changed
    made = compile_protos(folder, example.protos)
    own = FileDescriptorSet(file=[file for file in made.file if file.name in example.protos])
    return [f"{item.code}: {item.message}" for item in check_options(own, example.built.contract, plan_of(example))]


DAYS = "(buf.validate.field).int32.gte = 1"
FEE = "optional double fee = 3 [(buf.validate.field).double.gt = 0.0]"
ONEOF = "    option (buf.validate.oneof).required = true;\n"
CHANGES = [
    (BOUNDS, IMPORT, IMPORT, []),
    (BOUNDS, f"{DAYS}, ", "", ["constraints/lost: `Loan.days` has no option `int32.gte`, which the spec asks for"]),
    (
        BOUNDS,
        DAYS,
        "(buf.validate.field).int32.gte = 2",
        ["constraints/contradiction: the option `int32.gte` of `Loan.days` is `2`, and by the spec `1`"],
    ),
    (
        BOUNDS,
        FEE,
        FEE.replace("]", ", (buf.validate.field).required = true]"),
        ["constraints/contradiction: `Loan.fee` has an option `required`, which the spec does not ask for"],
    ),
    (
        PROPERTIES,
        ONEOF,
        "",
        ["constraints/lost: the oneof `Filter.filter` has no option `required`, which the spec asks for"],
    ),
    (
        PROPERTIES,
        "<= 2",
        "<= 3",
        ["constraints/contradiction: the option `cel` of `Contact` is"],
    ),
]


@pytest.mark.parametrize(("stem", "old", "new", "expected"), CHANGES)
def test_what_differs_is_told(
    examples: dict[str, Example], tmp_path: Path, stem: str, old: str, new: str, expected: list[str]
) -> None:
    told = diagnostics(examples[stem], tmp_path, old, new)
    assert len(told) == len(expected)
    assert all(line.startswith(start) for line, start in zip(told, expected, strict=True)), told


def test_options_that_no_profile_asks_for_are_told(examples: dict[str, Example], tmp_path: Path) -> None:
    example = examples[PROPERTIES]
    for name, text in example.protos.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    made = compile_protos(tmp_path, example.protos)
    own = FileDescriptorSet(file=[file for file in made.file if file.name in example.protos])
    told = check_options(own, example.built.contract, None)
    assert {item.code for item in told} == {"constraints/contradiction"}
    assert len(told) == 3


def options(schema: dict[str, Any], **beside: Any) -> dict[str, str]:
    """The options of the field of a property."""
    found = built({"Sample": {"type": "object", "properties": {"field": schema, "other": {"type": "string"}}} | beside})
    field = next(
        item
        for item in add_options(found.contract, found.plan()).messages["Sample"].fields
        if item.json_name == "field"
    )
    return {name.removeprefix("(buf.validate.field)."): value for name, value in field.constraints}


TEXT = {"type": "string"}
HUGE = 10**400


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (TEXT, {}),
        ({"allOf": [{"type": "string", "minLength": 2}, {"minLength": 5}]}, {"string.min_len": "5"}),
        ({"oneOf": [TEXT | {"minLength": 2}, TEXT | {"maxLength": 9}]}, {}),
        (
            {"oneOf": [TEXT | {"minLength": 2, "maxLength": 9}, TEXT | {"minLength": 2}]},
            {"string.min_len": "2"},
        ),
        ({"oneOf": [{"type": "string", "minLength": 2}]}, {"string.min_len": "2"}),
        ({"type": "string", "minLength": 5, "maxLength": 3}, {}),
        (TEXT | {"minLength": 2.0}, {"string.min_len": "2"}),
        (TEXT | {"minLength": 1.5, "maxLength": -1}, {}),
        (TEXT | {"minLength": "2", "maxLength": {}, "pattern": 3, "format": "x"}, {}),
        ({"type": "integer", "multipleOf": "3", "minimum": "1"}, {}),
        ({"type": "integer", "minimum": 9, "maximum": 3}, {}),
        ({"type": "integer", "format": "int32", "minimum": -(2**31)}, {}),
        ({"type": "integer", "format": "int32", "minimum": 1, "exclusiveMinimum": True}, {"int32.gte": "2"}),
        ({"type": "integer", "minimum": -HUGE, "maximum": HUGE}, {}),
        ({"type": "number", "format": "double", "minimum": -HUGE, "exclusiveMaximum": HUGE}, {}),
        ({"type": "number", "format": "double", "minimum": HUGE}, {}),
        ({"type": "number", "format": "double", "minimum": 10**39}, {"double.gte": "1e+39"}),
        ({"type": "number", "format": "float", "minimum": 10**39}, {}),
        ({"type": "number", "format": "double", "enum": [1, HUGE]}, {}),
        ({"type": "number", "format": "float", "enum": [2, 10**39]}, {}),
        ({"type": "number", "minimum": HUGE, "multipleOf": HUGE}, {}),
        (TEXT | {"minLength": HUGE}, {}),
        (TEXT | {"maxLength": HUGE}, {}),
        ({"type": "array", "items": TEXT, "minItems": HUGE}, {}),
        ({"type": "string", "pattern": "(?=a)"}, {}),
        ({"oneOf": [TEXT, {"type": "array", "items": TEXT, "minItems": 2}]}, {}),
        ({"type": "array", "items": {"type": ["string", "null"], "minLength": 2}}, {}),
        ({"type": "array", "items": {"type": "string", "format": "byte"}, "uniqueItems": True}, {}),
        ({"type": ["string", "null"], "minLength": 2}, {"string.min_len": "2"}),
        ({"type": "object", "additionalProperties": TEXT, "propertyNames": {"anyOf": [{"pattern": "a"}]}}, {}),
        ({"description": "anything", "minLength": 3}, {}),
    ],
)
def test_a_field_has_the_options_that_all_its_values_keep(schema: dict[str, Any], expected: dict[str, str]) -> None:
    assert options(schema) == expected


def test_a_property_under_a_condition_may_be_anything_without_it() -> None:
    limited = {"properties": {"field": {"type": "string", "minLength": 2}}}
    found = options(TEXT, **{"if": {"required": ["other"]}, "then": limited})
    assert found == {}


def test_a_request_of_which_the_body_is_a_part_may_come_without() -> None:
    schema = {"type": "object", "required": ["a"], "properties": {"a": {"type": "object", "properties": {"b": TEXT}}}}
    body = {"content": {"application/json": {"schema": schema | {"x-proto-inline": True}}}}
    found = built({}, requestBody=body)
    messages = add_options(found.contract, found.plan()).messages
    assert [item.constraints for item in messages["SampleRequest"].fields] == [()]


def test_the_printed_source_compiles_to_the_same_descriptors(tmp_path: Path) -> None:
    write_validate(tmp_path)
    made = compile_protos(tmp_path, [validate_proto.VALIDATE])
    [file] = [file for file in made.file if file.name == validate_proto.VALIDATE]
    file.ClearField("source_code_info")
    wanted = FileDescriptorProto.FromString(validate_proto.read_validate_descriptor())
    for each in (file, wanted):
        each.ClearField("syntax")
        plain(each)
    assert file == wanted


def plain(holder: Any) -> None:
    """Leave out the JSON names, which protoc gives to all fields."""
    for field in [*holder.extension, *getattr(holder, "field", [])]:
        field.ClearField("json_name")
    for message in [*getattr(holder, "message_type", []), *getattr(holder, "nested_type", [])]:
        plain(message)
