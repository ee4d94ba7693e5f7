"""The check of protovalidate options reports every option that is lost, changed or added."""

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
from preprocess.trace.message_index import collect_locked_elements
from preprocess.trace.walk import trace_schemas
from tests.postprocess.specs import convert_schemas
from tests.rules.catalogue import run_all
from tests.rules.examples import Example
from tests.rules.pages import read_pages

BOUNDS, PROPERTIES = "validate-bounds", "validate-properties"
IMPORT = 'import "buf/validate/validate.proto";\n'


@pytest.fixture(scope="module")
def examples() -> dict[str, Example]:
    """The examples of two pages."""
    return run_all([page for page in read_pages() if page.stem in {BOUNDS, PROPERTIES}])


def make_plan(example: Example) -> OptionPlan:
    done = example.built
    trace = trace_schemas(done.declared, done.contract, collect_locked_elements(done.lock))
    return plan_options(done.declared, done.contract, trace)


def diagnostics(example: Example, folder: Path, old: str, new: str) -> list[str]:
    """Return what the check reports after a change of the protos."""
    changed = 0
    for name, text in example.protos.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        changed += text.count(old)
        path.write_text(text.replace(old, new))
    assert changed
    made = compile_protos(folder, example.protos)
    own = FileDescriptorSet(file=[file for file in made.file if file.name in example.protos])
    return [f"{item.code}: {item.message}" for item in check_options(own, example.built.contract, make_plan(example))]


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
def test_difference_is_reported(
    examples: dict[str, Example], tmp_path: Path, stem: str, old: str, new: str, expected: list[str]
) -> None:
    messages = diagnostics(examples[stem], tmp_path, old, new)
    assert len(messages) == len(expected)
    assert all(line.startswith(start) for line, start in zip(messages, expected, strict=True)), messages


def test_options_are_reported_if_the_profile_disables_them(examples: dict[str, Example], tmp_path: Path) -> None:
    example = examples[PROPERTIES]
    for name, text in example.protos.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    made = compile_protos(tmp_path, example.protos)
    own = FileDescriptorSet(file=[file for file in made.file if file.name in example.protos])
    extra = check_options(own, example.built.contract, None)
    assert {item.code for item in extra} == {"constraints/contradiction"}
    assert len(extra) == 3


def list_options(schema: dict[str, Any], **keywords: Any) -> dict[str, str]:
    """Return the options of the field of a property, by name."""
    spec = convert_schemas(
        {"Sample": {"type": "object", "properties": {"field": schema, "other": {"type": "string"}}} | keywords}
    )
    field = next(
        item for item in add_options(spec.contract, spec.plan()).messages["Sample"].fields if item.json_name == "field"
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
def test_options_accept_every_value_of_the_schema(schema: dict[str, Any], expected: dict[str, str]) -> None:
    assert list_options(schema) == expected


def test_conditional_property_has_no_options() -> None:
    limited = {"properties": {"field": {"type": "string", "minLength": 2}}}
    options = list_options(TEXT, **{"if": {"required": ["other"]}, "then": limited})
    assert options == {}


def test_properties_of_an_inline_body_are_not_required() -> None:
    schema = {"type": "object", "required": ["a"], "properties": {"a": {"type": "object", "properties": {"b": TEXT}}}}
    body = {"content": {"application/json": {"schema": schema | {"x-proto-inline": True}}}}
    spec = convert_schemas({}, requestBody=body)
    messages = add_options(spec.contract, spec.plan()).messages
    assert [item.constraints for item in messages["SampleRequest"].fields] == [()]


def test_bundled_source_compiles_to_the_same_descriptors(tmp_path: Path) -> None:
    write_validate(tmp_path)
    made = compile_protos(tmp_path, [validate_proto.VALIDATE])
    [file] = [file for file in made.file if file.name == validate_proto.VALIDATE]
    file.ClearField("source_code_info")
    wanted = FileDescriptorProto.FromString(validate_proto.read_validate_descriptor())
    for each in (file, wanted):
        each.ClearField("syntax")
        clear_json_names(each)
    assert file == wanted


def clear_json_names(holder: Any) -> None:
    """Remove the JSON names, which protoc adds to all fields."""
    for field in [*holder.extension, *getattr(holder, "field", [])]:
        field.ClearField("json_name")
    for message in [*getattr(holder, "message_type", []), *getattr(holder, "nested_type", [])]:
        clear_json_names(message)
