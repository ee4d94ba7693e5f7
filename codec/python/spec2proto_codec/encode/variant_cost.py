"""Estimate how well a JSON value fits a variant from its type, keys and constants, without looking at inner values."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats import numbers
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan
from spec2proto_codec.values import scalars

MISSING = 1_000_000  # Cost of a required key that is missing.
UNKNOWN = 1_000  # Cost of a key that the variant does not know.
RELUCTANT = 500  # Cost of a spelling that the codec accepts only if no other variant fits.
UNUSUAL = 1  # Cost of a spelling that is not the usual one.
_MAX_DEPTH = 16


def estimate_cost(item: FieldPlan, value: Any, depth: int = 0) -> int | None:
    """Return the cost of a JSON value in a field; None if the value does not fit.

    `depth` counts the unions, arrays and shorthands that contain the field; it limits the recursion.
    """
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
    """Return the cost of a JSON value as one value of a field's type; None if the value does not fit."""
    if value is None or item.options.coding == "document":
        return 0
    if item.kind == "message":
        return _estimate_inner(item, value, depth) if item.wrapped else estimate_message(item.plan, value, depth)
    return _estimate_scalar(item, value)


def _estimate_scalar(item: FieldPlan, value: Any) -> int | None:
    if item.kind == "enum":
        return 0 if type(value) is str and value in item.texts.numbers else None
    if item.options.quoted and type(value) is str:
        return RELUCTANT if _is_quoted(item, value) else None
    if item.kind in {"float", "double"}:
        if not numbers.is_number(value):
            return None
        return UNUSUAL if item.kind == "float" and not _is_exact_float32(value) else 0
    try:
        scalars.encode_scalar(item, value)
    except CodecError:
        return None
    return 0 if type(value) is not float and type(value) is not Decimal else UNUSUAL


def _is_quoted(item: FieldPlan, value: str) -> bool:
    try:
        scalars.parse_quoted(item, value)
    except CodecError:
        return False
    return True


def _is_exact_float32(value: Any) -> bool:
    if type(value) is float:
        return numbers.is_float32(value)
    return type(value) is int and abs(value) < numbers.MAX_EXACT_FLOAT32


def _estimate_inner(item: FieldPlan, value: Any, depth: int) -> int | None:
    """Return the cost of a value that may stand under a key or as a shorthand."""
    if item.options.entry:
        if not is_entry(value):
            return None
        inner = next(iter(value.values()))
        is_shorthand = type(inner) is not dict and item.options.shorthand
        return 0 if is_shorthand else estimate_message(item.plan, inner, depth)
    if type(value) is not dict:
        alone = item.plan.properties.get(item.options.shorthand)
        return estimate_cost(alone, value, depth) if alone is not None else None
    return estimate_message(item.plan, value, depth)


def estimate_message(plan: MessagePlan, value: Any, depth: int = 0) -> int | None:
    """Return the cost of a JSON value as a message; None if the value does not fit."""
    return _FORMS[plan.form](plan, value, depth)


def _estimate_union(plan: MessagePlan, value: Any, depth: int) -> int | None:
    if depth > _MAX_DEPTH:
        return None
    costs = (cost for item in plan.variants if (cost := estimate_cost(item, value, depth + 1)) is not None)
    return min(costs, default=None)


def _estimate_array(plan: MessagePlan, value: Any, depth: int) -> int | None:
    if type(value) is list:
        return 0
    cost = estimate_element(plan.content, value, depth + 1) if depth <= _MAX_DEPTH else None
    return None if cost is None else cost + RELUCTANT


def _estimate_tuple(plan: MessagePlan, value: Any, _: int) -> int | None:
    return 0 if type(value) is list and (plan.content_field is not None or len(value) <= len(plan.items)) else None


def _estimate_any(plan: MessagePlan, value: Any, _: int) -> int | None:
    """Return the cost of a value in a message for any JSON, any object or any list, as its fields say."""
    if plan.variants:
        return 0
    role = plan.content_field.role if plan.content_field is not None else ""
    return 0 if type(value) is {"entries": dict, "items": list}.get(role) else None


def _estimate_object(plan: MessagePlan, value: Any, _: int) -> int | None:
    if type(value) is not dict:
        return None
    for item in plan.constants:
        constant = value.get(item.key)
        if type(constant) is str and constant not in item.texts.numbers:
            return None
    missing = len(plan.required_keys - value.keys())
    unknown = 0 if plan.is_open else len(value.keys() - plan.known_keys)
    return missing * MISSING + unknown * UNKNOWN


def is_entry(value: Any) -> bool:
    """Return whether a value is an object of one key."""
    return type(value) is dict and len(value) == 1


_FORMS: dict[str, Callable[[MessagePlan, Any, int], int | None]] = {
    "object": _estimate_object,
    "union": _estimate_union,
    "array": _estimate_array,
    "tuple": _estimate_tuple,
    "any": _estimate_any,
    "map": lambda _plan, value, _: 0 if type(value) is dict else None,
    "entry": lambda _plan, value, _: 0 if is_entry(value) else None,
    "lines": lambda _plan, value, _: 0 if type(value) is list else None,
    "number": lambda _plan, value, _: 0 if numbers.is_number(value) else None,
    "request": lambda _plan, _value, _: None,
    "response": lambda _plan, _value, _: None,
}
