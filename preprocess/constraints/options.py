"""Write the planned protovalidate options into the contract, as names and literals of the proto language.

Sources: buf/validate/validate.proto; protobuf language specification (proto3), options.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pipeline.model.contract import Contract, Field, Message
from pipeline.model.json_name import quote_string
from preprocess.constraints.outcome import CelRule
from preprocess.constraints.plan import IGNORE, OptionPlan

FIELD = "(buf.validate.field)"
MESSAGE = "(buf.validate.message)"
_RANKS = {"required": 0, "cel": 3, "ignore": 4}


def add_options(contract: Contract, plan: OptionPlan) -> Contract:
    """Return the contract with the options that the plan gives its fields, oneofs and messages."""
    messages = {name: _add_message_options(message, plan) for name, message in contract.messages.items()}
    return replace(contract, messages=messages)


def _add_message_options(message: Message, plan: OptionPlan) -> Message:
    fields = tuple(_add_field_options(message.name, item, plan) for item in message.fields)
    options = _format_options(MESSAGE, plan.messages.get(message.name, {}))
    constraints = tuple(f"option {name} = {literal};" for name, literal in options)
    oneofs = tuple(sorted(oneof for name, oneof in plan.oneofs if name == message.name))
    rules = tuple(sorted({*message.rules, *plan.conversion_rules.get((message.name, ""), ())}))
    return message._replace(fields=fields, constraints=constraints, required_oneofs=oneofs, rules=rules)


def _add_field_options(message: str, item: Field, plan: OptionPlan) -> Field:
    options = plan.fields.get((message, item.name))
    if options is None or item.is_retained:
        return item
    rules = tuple(sorted({*item.rules, *plan.conversion_rules[message, item.name]}))
    return item._replace(constraints=tuple(_format_options(FIELD, options)), rules=rules)


def _format_options(prefix: str, options: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield options as name and literal: `required` first, lower before upper bounds, then CEL and `ignore`."""
    for path, value in sorted(options.items(), key=lambda option: (_rank_option(option[0]), option[0])):
        for element in value if isinstance(value, list) else [value]:
            yield f"{prefix}.{path}", _format_literal(element)


def _rank_option(path: str) -> int:
    is_upper_bound = path.rpartition(".")[2].startswith(("lt", "max"))
    return _RANKS.get(path, 2 if is_upper_bound else 1)


def _format_literal(value: Any) -> str:
    if isinstance(value, CelRule):
        fields = (f"{name}: {quote_string(text)}" for name, text in value.list_fields())
        return f"{{{', '.join(fields)}}}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value if value == IGNORE else quote_string(value)
    return repr(value)
