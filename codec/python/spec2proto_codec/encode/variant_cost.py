"""What a JSON value costs as a variant, judged without looking into it: by its type, its keys and its constants."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats import numbers
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan
from spec2proto_codec.values import scalars

MISSING = 1_000_000
"""A required key that is missing."""
UNKNOWN = 1_000
"""A key that the variant does not know."""
RELUCTANT = 500
"""A spelling that any other variant goes before."""
UNUSUAL = 1
"""A spelling that is not the usual one."""
_DEPTH = 16


def estimate_cost(item: FieldPlan, value: Any, depth: int = 0) -> int | None:
    """What a value costs in a field; None where it does not fit."""
    if value is None:
        return 0 if item.takes_null else None
    if item.label is Label.LIST:
        if type(value) is list:
            return 0
        cost = estimate_element(item, value, depth) if item.options.single else None
        return None if cost is None else cost + UNUSUAL
    if item.label is Label.MAP:
        return 0 if type(value) is dict else None
    return estimate_element(item, value, depth)


def estimate_element(item: FieldPlan, value: Any, depth: int = 0) -> int | None:
    """The same for one value of a field's type."""
    if value is None or item.options.coding == "document":
        return 0
    if item.kind == "message":
        return _in_message(item, value, depth)
    return _scalar(item, value)


def _scalar(item: FieldPlan, value: Any) -> int | None:
    if item.kind == "enum":
        return 0 if type(value) is str and value in item.texts.numbers else None
    if item.options.quoted and type(value) is str:
        return RELUCTANT if _reads(item, value) else None
    if item.kind in {"float", "double"}:
        if not numbers.is_number(value):
            return None
        return UNUSUAL if item.kind == "float" and not _fits_float(value) else 0
    try:
        scalars.encode_scalar(item, value)
    except CodecError:
        return None
    return 0 if type(value) is not float and type(value) is not Decimal else UNUSUAL


def _reads(item: FieldPlan, value: str) -> bool:
    try:
        scalars.parse_quoted(item, value)
    except CodecError:
        return False
    return True


def _fits_float(value: Any) -> bool:
    return numbers.is_float32(value) if type(value) is float else type(value) is int and abs(value) < 2**24


def _in_message(item: FieldPlan, value: Any, depth: int) -> int | None:
    if item.options.entry:
        if not is_entry(value):
            return None
        inner = next(iter(value.values()))
        return 0 if type(inner) is not dict and item.options.shorthand else estimate_message(item.plan, inner, depth)
    if item.options.shorthand and type(value) is not dict:
        alone = item.plan.properties.get(item.options.shorthand)
        return estimate_cost(alone, value, depth) if alone is not None else None
    return estimate_message(item.plan, value, depth)


def estimate_message(plan: MessagePlan, value: Any, depth: int = 0) -> int | None:
    """What a value costs as a message, judged as above."""
    return _FORMS[plan.form](plan, value, depth)


def _union(plan: MessagePlan, value: Any, depth: int) -> int | None:
    if depth > _DEPTH:
        return None
    costs = [cost for item in plan.variants if (cost := estimate_cost(item, value, depth + 1)) is not None]
    return min(costs) if costs else None


def _array(plan: MessagePlan, value: Any, depth: int) -> int | None:
    if type(value) is list:
        return 0
    cost = estimate_element(plan.content, value, depth + 1) if depth <= _DEPTH else None
    return None if cost is None else cost + RELUCTANT


def _tuple(plan: MessagePlan, value: Any, _: int) -> int | None:
    return 0 if type(value) is list and (plan.held is not None or len(value) <= len(plan.items)) else None


def _any(plan: MessagePlan, value: Any, _: int) -> int | None:
    """Any value, any object or any list, by the fields of the message."""
    if plan.variants:
        return 0
    role = plan.held.role if plan.held is not None else ""
    return 0 if type(value) is {"entries": dict, "items": list}.get(role) else None


def _object(plan: MessagePlan, value: Any, _: int) -> int | None:
    if type(value) is not dict:
        return None
    for item in plan.constants:
        given = value.get(item.key)
        if type(given) is str and given not in item.texts.numbers:
            return None
    missing = len(plan.required - value.keys())
    unknown = 0 if plan.open else len(value.keys() - plan.known)
    return missing * MISSING + unknown * UNKNOWN


def is_entry(value: Any) -> bool:
    """Whether a value is an object of one key."""
    return type(value) is dict and len(value) == 1


_FORMS: dict[str, Callable[[MessagePlan, Any, int], int | None]] = {
    "object": _object,
    "union": _union,
    "array": _array,
    "tuple": _tuple,
    "any": _any,
    "map": lambda _plan, value, _: 0 if type(value) is dict else None,
    "entry": lambda _plan, value, _: 0 if is_entry(value) else None,
    "lines": lambda _plan, value, _: 0 if type(value) is list else None,
    "number": lambda _plan, value, _: 0 if numbers.is_number(value) else None,
    "request": lambda _plan, _value, _: None,
    "response": lambda _plan, _value, _: None,
}
