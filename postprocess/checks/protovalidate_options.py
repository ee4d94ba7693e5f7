"""The compiled options of protovalidate, held against what the spec asks for: none is lost, none says anything else.

They are read back from the descriptors, so a mistake anywhere between the plan and the protos shows here.
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
from preprocess.constraints.outcome import Cel
from preprocess.constraints.plan import OptionPlan

HINT = "build again; never edit the protos by hand, and give options of protovalidate by the spec alone"


def check_options(descriptors: FileDescriptorSet, contract: Contract, plan: OptionPlan | None) -> list[Diagnostic]:
    """Everything in which the compiled options and the plan differ.

    Args:
        descriptors: compiled, the contract's own files alone.
        contract: for the places in the spec.
        plan: what the spec asks for; None where the profile wants no options.
    """
    validated = any(validate_proto.VALIDATE in file.dependency for file in descriptors.file)
    if not validated and plan is None:
        return []
    found: list[Diagnostic] = []
    for file in descriptors.file:
        stack = [(message.name, message) for message in file.message_type]
        while stack:
            name, message = stack.pop()
            stack += [(f"{name}.{nested.name}", nested) for nested in message.nested_type]
            found += _of_message(name, message, contract, plan)
    return sorted(found)


def _of_message(
    name: str, message: DescriptorProto, contract: Contract, plan: OptionPlan | None
) -> Iterator[Diagnostic]:
    known = contract.messages.get(name)
    place = known.place if known is not None else NOWHERE
    fields = {item.name: item for item in known.fields} if known is not None else {}
    wanted = plan.messages.get(name, {}) if plan is not None else {}
    yield from _differences(f"`{name}`", _told(message.options, "message"), wanted, place)
    for oneof in message.oneof_decl:
        must = plan is not None and (name, oneof.name) in plan.oneofs
        told = _told(oneof.options, "oneof")
        yield from _differences(f"the oneof `{name}.{oneof.name}`", told, {"required": True} if must else {}, place)
    for field in message.field:
        item = fields.get(field.name)
        own = dict(plan.fields.get((name, field.name), {})) if plan is not None else {}
        told = _told(field.options, "field")
        for option, _ in item.options if item is not None else ():
            told.pop(option.removeprefix("(buf.validate.field)."), None)
        where = item.places[0] if item is not None and item.places else place
        yield from _differences(f"`{name}.{field.name}`", told, own, where)


def _told(options: Message, extension: str) -> dict[str, Any]:
    """The rules among options, by their paths."""
    if not options.ByteSize():
        return {}
    again = validate_proto.known(options)
    known: Any = again.Extensions
    return dict(_paths(known[validate_proto.pool().FindExtensionByName(f"buf.validate.{extension}")]))


def _paths(rules: Message, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for field, value in rules.ListFields():
        path = prefix + field.name
        if field.name == "cel":
            yield path, [Cel(each.id, each.message, each.expression) for each in value]
        elif field.message_type is not None and not field.is_repeated:
            yield from _paths(value, f"{path}.")
        elif field.enum_type is not None:
            yield path, field.enum_type.values_by_number[value].name
        else:
            yield path, list(value) if field.is_repeated else value


def _differences(what: str, told: dict[str, Any], wanted: dict[str, Any], place: Place) -> Iterator[Diagnostic]:
    if told == wanted:
        return
    for path, value in sorted(wanted.items()):
        if path not in told:
            yield Diagnostic("constraints/lost", f"{what} has no option `{path}`, which the spec asks for", place, HINT)
        elif told[path] != value and not _is_rounded(path, told[path], value):
            text = f"the option `{path}` of {what} is `{told[path]}`, and by the spec `{value}`"
            yield Diagnostic("constraints/contradiction", text, place, HINT)
    for path in sorted(told.keys() - wanted.keys()):
        text = f"{what} has an option `{path}`, which the spec does not ask for"
        yield Diagnostic("constraints/contradiction", text, place, HINT)


def _is_rounded(path: str, told: Any, value: Any) -> bool:
    """Whether a value differs only in that a float32 holds it."""
    return "float." in path and isinstance(told, float) and abs(told - value) <= abs(value) * 2**-23
