"""Translate bounds, multiples and listed values of numbers into protovalidate rules.

Sources: buf/validate/validate.proto (rules of numbers); JSON Schema validation 2020-12, section 6.2.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import NamedTuple

from pipeline.model.contract import Rule
from preprocess.constraints.outcome import NO_VALUE, CelRule, RuleOutcome
from preprocess.trace.effective_constraints import ByKind
from preprocess.trace.normalized_constraints import Kind, NormalizedConstraint, is_number

RULE_VALUES = Rule("validate-values")
RULE = Rule("validate-bounds")
RANGES = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}
# The largest integer of CEL; no list, map or string is as large.
MAX_SIZE = RANGES["int64"][1]
# The largest finite numbers (IEEE 754, binary32 and binary64).
FLOATS = {"float": (2 - 2**-23) * 2.0**127, "double": sys.float_info.max}
ROUNDED = "a float32 may be rounded to the bound itself"
NO_MODULO = "protovalidate has no modulo for this type and divisor"
TOO_LONG = "the bound has more digits than a double can hold"
MIXED_TYPES = "the allowed values have several types"
OUT_OF_RANGE = "the allowed values exceed the range of the type"
# The members of `GeneralNumber`.
_MEMBERS = ("int32", "int64", "uint64", "float", "double")
_EXACT = 2**53
_LOWER = (Kind.MINIMUM, Kind.EXCLUSIVE_MINIMUM)
_UPPER = (Kind.MAXIMUM, Kind.EXCLUSIVE_MAXIMUM)
# The name of each comparison in protovalidate, in CEL, and in the message of a rule.
_COMPARISONS = {
    Kind.MINIMUM: ("gte", ">=", "at least"),
    Kind.EXCLUSIVE_MINIMUM: ("gt", ">", "above"),
    Kind.MAXIMUM: ("lte", "<=", "at most"),
    Kind.EXCLUSIVE_MAXIMUM: ("lt", "<", "below"),
}


class _Bound(NamedTuple):
    """The strictest lower or upper bound, and all constraints that it satisfies."""

    kind: Kind
    value: float
    constraints: list[NormalizedConstraint]


def translate_number(by_kind: ByKind, type_name: str, outcome: RuleOutcome) -> None:
    """Translate all constraints of a scalar number."""
    for bound in _select_bounds(by_kind, outcome):
        if type_name in FLOATS:
            _translate_float_bound(bound, type_name, outcome)
        else:
            _translate_integer_bound(bound, type_name, outcome)
    _translate_multiples(by_kind, type_name, outcome)
    translate_listed_values(by_kind, type_name, outcome)


def _select_bounds(by_kind: ByKind, outcome: RuleOutcome) -> Iterator[_Bound]:
    """Yield the strictest bounds; reject an empty range, which protovalidate would read as its complement."""
    bounds = []
    for kinds, sign in ((_LOWER, 1), (_UPPER, -1)):
        constraints = [constraint for kind in kinds for constraint in by_kind.get(kind, ())]
        if constraints:
            strictest = max(constraints, key=lambda each: (sign * each.value, each.kind is kinds[1]))
            bounds.append(_Bound(strictest.kind, strictest.value, constraints))
    if len(bounds) > 1 and is_empty_range(bounds[0].kind, bounds[0].value, bounds[1].kind, bounds[1].value):
        outcome.reject([constraint for bound in bounds for constraint in bound.constraints], NO_VALUE)
        return
    yield from bounds


def is_empty_range(lower: Kind, least: float, upper: Kind, greatest: float) -> bool:
    """Return whether no number lies within two bounds."""
    is_exclusive = lower is Kind.EXCLUSIVE_MINIMUM or upper is Kind.EXCLUSIVE_MAXIMUM
    return least > greatest or (least == greatest and is_exclusive)


def _translate_float_bound(bound: _Bound, type_name: str, outcome: RuleOutcome) -> None:
    """Translate a bound of a finite number; one outside the range of the type is implied, or excludes every value."""
    if abs(bound.value) > FLOATS[type_name]:
        if (bound.value < 0) is (bound.kind in _LOWER):
            outcome.mark_implied(bound.constraints)
        else:
            outcome.reject(bound.constraints, NO_VALUE)
    elif type_name == "float" and bound.kind in {Kind.EXCLUSIVE_MINIMUM, Kind.EXCLUSIVE_MAXIMUM}:
        outcome.reject(bound.constraints, ROUNDED)
    else:
        rule = f"{type_name}.{_COMPARISONS[bound.kind][0]}"
        outcome.add_rule(bound.constraints, RULE, rule, float(bound.value))


def _translate_integer_bound(bound: _Bound, type_name: str, outcome: RuleOutcome) -> None:
    """Translate a bound to an inclusive integer; one outside the range is implied, or excludes every value."""
    is_lower = bound.kind in _LOWER
    value = math.ceil(bound.value) if is_lower else math.floor(bound.value)
    if value == bound.value:
        value += {Kind.EXCLUSIVE_MINIMUM: 1, Kind.EXCLUSIVE_MAXIMUM: -1}.get(bound.kind, 0)
    least, greatest = RANGES[type_name]
    if (is_lower and value <= least) or (not is_lower and value >= greatest):
        outcome.mark_implied(bound.constraints)
    elif least <= value <= greatest:
        outcome.add_rule(bound.constraints, RULE, f"{type_name}.{'gte' if is_lower else 'lte'}", value)
    else:
        outcome.reject(bound.constraints, NO_VALUE)


def translate_general_number_bounds(by_kind: ByKind, outcome: RuleOutcome) -> None:
    """Translate the bounds of a `GeneralNumber` message into CEL, with each member compared as a double."""
    for bound in _select_bounds(by_kind, outcome):
        if abs(bound.value) > _EXACT:
            outcome.reject(bound.constraints, TOO_LONG)
            continue
        _, operator, words = _COMPARISONS[bound.kind]
        condition = f"{operator} {float(bound.value)!r}"
        parts = (f"(!has(this.{member}_value) || double(this.{member}_value) {condition})" for member in _MEMBERS)
        words = f"{words} {bound.value}"
        name = words.replace(" ", "_").replace("+", "")
        outcome.add_cel(bound.constraints, RULE, CelRule(name, f"must be {words}", " && ".join(parts)))


def _translate_multiples(by_kind: ByKind, type_name: str, outcome: RuleOutcome) -> None:
    for constraint in by_kind.get(Kind.MULTIPLE_OF, ()):
        value = constraint.value
        if type_name not in RANGES or value != int(value) or not 0 < value <= RANGES[type_name][1]:
            outcome.reject([constraint], NO_MODULO)
            continue
        divisor, suffix = int(value), "u" if type_name.startswith("u") else ""
        expression = f"this % {divisor}{suffix} == 0{suffix}"
        cel = CelRule(f"multiple_of_{divisor}", f"must be a multiple of {divisor}", expression)
        outcome.add_cel([constraint], RULE, cel)


def translate_listed_values(by_kind: ByKind, type_name: str, outcome: RuleOutcome) -> None:
    """Translate the `enum` or `const` of a number or boolean."""
    for constraint in by_kind.get(Kind.ENUM, ()):
        values = [value for value in constraint.value if value is not None]
        matches = (isinstance(value, bool) if type_name == "bool" else is_number(value) for value in values)
        if not values or not all(matches) or f"{type_name}.const" in outcome.rules:
            outcome.reject([constraint], MIXED_TYPES)
        elif type_name == "bool":
            if len(set(values)) > 1:
                outcome.mark_implied([constraint])
            else:
                outcome.add_rule([constraint], RULE_VALUES, "bool.const", values[0])
        elif all(_is_in_range(value, type_name) for value in values):
            numbers = [float(value) if type_name in FLOATS else int(value) for value in values]
            is_single = len(numbers) == 1
            path = f"{type_name}.{'const' if is_single else 'in'}"
            outcome.add_rule([constraint], RULE_VALUES, path, numbers[0] if is_single else numbers)
        else:
            outcome.reject([constraint], OUT_OF_RANGE)


def _is_in_range(value: float, type_name: str) -> bool:
    if type_name in FLOATS:
        return abs(value) <= FLOATS[type_name]
    return value == int(value) and RANGES[type_name][0] <= value <= RANGES[type_name][1]
