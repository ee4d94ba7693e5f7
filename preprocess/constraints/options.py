"""A contract with its options of protovalidate, in the words of the protos.

Sources: buf/validate/validate.proto; protobuf language specification (proto3), options.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pipeline.model.contract import Contract, Field, Message
from pipeline.model.json_name import quote_string
from preprocess.constraints.outcome import Cel
from preprocess.constraints.plan import IGNORE, OptionPlan

FIELD = "(buf.validate.field)"
MESSAGE = "(buf.validate.message)"
_LAST = {"cel": 3, "ignore": 4}


def add_options(contract: Contract, plan: OptionPlan) -> Contract:
    """Return the contract with the options that the plan gives its fields, oneofs and messages.

    Args:
        contract: the numbered contract.
        plan: the options.
    """
    messages = {name: _message(message, plan) for name, message in contract.messages.items()}
    return replace(contract, messages=messages)


def _message(message: Message, plan: OptionPlan) -> Message:
    fields = tuple(_field(message.name, item, plan) for item in message.fields)
    found = plan.messages.get(message.name, {})
    constraints = tuple(f"option {name} = {value};" for name, value in _literals(MESSAGE, found))
    oneofs = tuple(sorted(oneof for name, oneof in plan.oneofs if name == message.name))
    rules = tuple(sorted({*message.rules, *plan.rules.get((message.name, ""), ())}))
    return message._replace(fields=fields, constraints=constraints, required_oneofs=oneofs, rules=rules)


def _field(message: str, item: Field, plan: OptionPlan) -> Field:
    found = plan.fields.get((message, item.name))
    if found is None or "kept-by-lock" in item.rules:
        return item
    rules = tuple(sorted({*item.rules, *plan.rules[message, item.name]}))
    return item._replace(constraints=tuple(_literals(FIELD, found)), rules=rules)


def _literals(prefix: str, found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Options as name and literal: what must be there first, lower limits before upper ones, exceptions last."""
    for path, value in sorted(found.items(), key=lambda item: (_rank(item[0]), item[0])):
        for one in value if isinstance(value, list) else [value]:
            yield f"{prefix}.{path}", literal(one)


def _rank(path: str) -> int:
    if path == "required":
        return 0
    return _LAST.get(path) or (2 if path.rpartition(".")[2].startswith(("lt", "max")) else 1)


def literal(value: Any) -> str:
    """A value as it stands in a proto."""
    if isinstance(value, Cel):
        parts = (f"{name}: {quote_string(text)}" for name, text in value.told())
        return f"{{{', '.join(parts)}}}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value if value == IGNORE else quote_string(value)
    return repr(value)
