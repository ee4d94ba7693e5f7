"""Find contradictions in the specification: bounds that exclude each other, and defaults that their schema refuses.

The result is correct nevertheless, so these are warnings. Bounds that exclude every value become no protovalidate rule.
Source: JSON Schema validation 2020-12, sections 6 and 9.2.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from pipeline.model.diagnostics import Diagnostic, Severity
from pipeline.model.schema_facts import Constraint, SchemaFacts, ScopeFacts
from preprocess.constraints.bounds import is_empty_range
from preprocess.trace.effective_constraints import Constraints, EffectiveConstraints, group_by_kind
from preprocess.trace.normalized_constraints import Kind, NormalizedConstraint, is_number

HINT = "fix the specification, or change it by an overlay"
_PAIRS = (
    (Kind.MIN_LENGTH, Kind.MAX_LENGTH),
    (Kind.MIN_ITEMS, Kind.MAX_ITEMS),
    (Kind.MIN_PROPERTIES, Kind.MAX_PROPERTIES),
    (Kind.MINIMUM, Kind.MAXIMUM),
    (Kind.MINIMUM, Kind.EXCLUSIVE_MAXIMUM),
    (Kind.EXCLUSIVE_MINIMUM, Kind.MAXIMUM),
    (Kind.EXCLUSIVE_MINIMUM, Kind.EXCLUSIVE_MAXIMUM),
)
_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict}
_NUMBER_CHECKS: dict[Kind, Callable[[Any, Any], bool]] = {
    Kind.MINIMUM: operator.ge,
    Kind.EXCLUSIVE_MINIMUM: operator.gt,
    Kind.MAXIMUM: operator.le,
    Kind.EXCLUSIVE_MAXIMUM: operator.lt,
}
_SIZE_CHECKS: dict[Kind, tuple[type[str] | type[list[Any]], Callable[[Any, Any], bool]]] = {
    Kind.MIN_LENGTH: (str, operator.ge),
    Kind.MAX_LENGTH: (str, operator.le),
    Kind.MIN_ITEMS: (list, operator.ge),
    Kind.MAX_ITEMS: (list, operator.le),
}


def find_contradictions(declared: ScopeFacts, effective: EffectiveConstraints) -> list[Diagnostic]:
    """Return a warning for each contradiction of the specification."""
    return sorted({warning for node in declared.nodes for warning in _check_schema(node, effective)})


def _check_schema(node: SchemaFacts, effective: EffectiveConstraints) -> Iterator[Diagnostic]:
    for constraint in node.constraints:
        if constraint.keyword == "default" and constraint.value is not None:
            reason = _explain_refusal(constraint.value, node, effective)
            if reason:
                yield _create_warning(f"the default `{constraint.value}` is {reason}", constraint)
    if node.constraints or node.members:
        yield from _check_bounds(effective.get_constraints(node))


def _explain_refusal(value: Any, node: SchemaFacts, effective: EffectiveConstraints) -> str:
    """Return why a schema refuses a value; empty if it may accept it."""
    names = effective.resolved.get_types(node) - {"null"}
    types = tuple(_TYPES[name] for name in names if name in _TYPES) + ((int,) if "number" in names else ())
    if types and (not isinstance(value, types) or (isinstance(value, bool) and "boolean" not in names)):
        return f"no {' or '.join(sorted(names))}"
    strings = effective.resolved.get_enum_strings(node)
    if strings and value not in strings:
        return "none of the strings that the schema lists"
    for constraint in effective.get_constraints(node).values():
        if not _is_satisfied(constraint, value):
            keyword = constraint.constraints[0]
            return f"not what `{keyword.keyword}: {keyword.value}` allows"
    return ""


def _is_satisfied(constraint: NormalizedConstraint, value: Any) -> bool:
    """Return whether a value satisfies a constraint, or is of a type that the constraint ignores."""
    if constraint.kind is Kind.ENUM:
        return not isinstance(value, int | float) or value in constraint.value
    if constraint.kind in _NUMBER_CHECKS:
        return not is_number(value) or _NUMBER_CHECKS[constraint.kind](value, constraint.value)
    if constraint.kind in _SIZE_CHECKS:
        sized_type, check = _SIZE_CHECKS[constraint.kind]
        return not isinstance(value, sized_type) or check(len(value), constraint.value)
    return True


def _check_bounds(constraints: Constraints) -> Iterator[Diagnostic]:
    """Yield a warning, at the lower bound, for each pair of bounds that excludes every value."""
    if len(constraints) == 1:  # most schemas have one constraint, so grouping would cost more than the check
        return
    by_kind = group_by_kind(constraints)
    for lower, upper in _PAIRS:
        for least in by_kind.get(lower, ()):
            for greatest in by_kind.get(upper, ()):
                if is_empty_range(lower, least.value, upper, greatest.value):
                    bounds = [f"`{each.constraints[0].keyword}: {each.value}`" for each in (least, greatest)]
                    yield _create_warning(f"no value satisfies both {bounds[0]} and {bounds[1]}", least.constraints[0])


def _create_warning(message: str, constraint: Constraint) -> Diagnostic:
    return Diagnostic("spec/contradiction", message, constraint.place, HINT, Severity.WARNING)
