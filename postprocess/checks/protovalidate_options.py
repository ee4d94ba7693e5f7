"""Check the protovalidate options of the compiled protos against the plan: none is missing, different or extra.

The check reads the descriptors, so it finds an error in any step between the plan and the protos.
Source: buf/validate/validate.proto.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorSet
from google.protobuf.message import Message

from pipeline.model.contract import Contract
from pipeline.model.diagnostics import NOWHERE, Diagnostic, Place
from postprocess.tools import validate_proto
from postprocess.tools.descriptors import iterate_messages
from preprocess.constraints.outcome import CelRule
from preprocess.constraints.plan import OptionPlan

HINT = "build again; never edit the protos by hand, and add protovalidate options through the specification only"


def check_options(descriptors: FileDescriptorSet, contract: Contract, plan: OptionPlan | None) -> list[Diagnostic]:
    """Return a diagnostic for each difference between the options compiled for the contract's own files and the plan.

    The plan is None if the profile disables options.
    """
    has_options = any(validate_proto.VALIDATE in file.dependency for file in descriptors.file)
    if not has_options and plan is None:
        return []
    diagnostics: list[Diagnostic] = []
    for _, name, message in iterate_messages(descriptors.file):
        diagnostics += _check_message(name, message, contract, plan)
    return sorted(diagnostics)


def _check_message(
    name: str, message: DescriptorProto, contract: Contract, plan: OptionPlan | None
) -> Iterator[Diagnostic]:
    planned = contract.messages.get(name)
    place = planned.place if planned is not None else NOWHERE
    fields = {item.name: item for item in planned.fields} if planned is not None else {}
    expected = plan.messages.get(name, {}) if plan is not None else {}
    yield from _compare_options(f"`{name}`", _read_rules(message.options, "message"), expected, place)
    for oneof in message.oneof_decl:
        expected = {"required": True} if plan is not None and (name, oneof.name) in plan.oneofs else {}
        rules = _read_rules(oneof.options, "oneof")
        yield from _compare_options(f"the oneof `{name}.{oneof.name}`", rules, expected, place)
    for field in message.field:
        item = fields.get(field.name)
        expected = plan.fields.get((name, field.name), {}) if plan is not None else {}
        rules = _read_rules(field.options, "field")
        for option, _ in item.options if item is not None else ():
            rules.pop(option.removeprefix("(buf.validate.field)."), None)
        field_place = item.places[0] if item is not None and item.places else place
        yield from _compare_options(f"`{name}.{field.name}`", rules, expected, field_place)


def _read_rules(options: Message, extension: str) -> dict[str, Any]:
    if not options.ByteSize():
        return {}
    extensions: Any = validate_proto.parse_validate_options(options).Extensions
    return dict(_flatten(extensions[validate_proto.validate_pool().FindExtensionByName(f"buf.validate.{extension}")]))


def _flatten(rules: Message, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for field, value in rules.ListFields():
        path = prefix + field.name
        if field.name == "cel":
            yield path, [CelRule(each.id, each.message, each.expression) for each in value]
        elif field.message_type is not None and not field.is_repeated:
            yield from _flatten(value, f"{path}.")
        elif field.enum_type is not None:
            yield path, field.enum_type.values_by_number[value].name
        else:
            yield path, list(value) if field.is_repeated else value


def _compare_options(
    element: str, compiled: dict[str, Any], expected: dict[str, Any], place: Place
) -> Iterator[Diagnostic]:
    if compiled == expected:
        return
    for path, value in sorted(expected.items()):
        if path not in compiled:
            message = f"{element} has no option `{path}`, which the spec asks for"
            yield Diagnostic("constraints/lost", message, place, HINT)
        elif compiled[path] != value and not _is_rounded(path, compiled[path], value):
            message = f"the option `{path}` of {element} is `{compiled[path]}`, and by the spec `{value}`"
            yield Diagnostic("constraints/contradiction", message, place, HINT)
    for path in sorted(compiled.keys() - expected.keys()):
        message = f"{element} has an option `{path}`, which the spec does not ask for"
        yield Diagnostic("constraints/contradiction", message, place, HINT)


def _is_rounded(path: str, compiled: Any, value: Any) -> bool:
    """Return whether two values differ only by the precision of a float32."""
    return "float." in path and isinstance(compiled, float) and abs(compiled - value) <= abs(value) * 2**-23
