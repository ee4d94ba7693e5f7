"""What a spec says against itself: limits between which nothing is, and defaults that its own schema refuses.

The spec is somebody else's, so these are warnings; no rule of protovalidate is made of limits that no value keeps.
Source: JSON Schema validation 2020-12, sections 6 and 9.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pipeline.model.diagnostics import Diagnostic, Severity
from pipeline.model.schema_facts import Constraint, SchemaFacts, ScopeFacts
from preprocess.constraints.bounds import is_empty
from preprocess.trace.effective_constraints import Constraints, EffectiveConstraints
from preprocess.trace.normalized_constraints import Kind, NormalizedConstraint, is_number

HINT = "mend the spec, or change it by an overlay"
_PAIRS = (
    (Kind.MIN_LENGTH, Kind.MAX_LENGTH),
    (Kind.MIN_ITEMS, Kind.MAX_ITEMS),
    (Kind.MIN_PROPERTIES, Kind.MAX_PROPERTIES),
    *((low, high) for low in (Kind.MINIMUM, Kind.EXCLUSIVE_MINIMUM) for high in (Kind.MAXIMUM, Kind.EXCLUSIVE_MAXIMUM)),
)
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_KEPT: dict[Kind, Callable[[Any, Any], bool]] = {
    Kind.MINIMUM: lambda value, limit: value >= limit,
    Kind.EXCLUSIVE_MINIMUM: lambda value, limit: value > limit,
    Kind.MAXIMUM: lambda value, limit: value <= limit,
    Kind.EXCLUSIVE_MAXIMUM: lambda value, limit: value < limit,
    Kind.MIN_LENGTH: lambda value, limit: len(value) >= limit,
    Kind.MAX_LENGTH: lambda value, limit: len(value) <= limit,
    Kind.MIN_ITEMS: lambda value, limit: len(value) >= limit,
    Kind.MAX_ITEMS: lambda value, limit: len(value) <= limit,
    Kind.ENUM: lambda value, limit: value in limit,
}
_OF = {
    Kind.MIN_LENGTH: (str,),
    Kind.MAX_LENGTH: (str,),
    Kind.MIN_ITEMS: (list,),
    Kind.MAX_ITEMS: (list,),
    Kind.ENUM: (int, float, bool),
}


def contradictions(declared: ScopeFacts, holding: EffectiveConstraints) -> list[Diagnostic]:
    """Everything that a spec says against itself.

    Args:
        declared: what it declares.
        holding: the schemas of it.
    """
    found = _Contradictions(holding)
    return sorted({diagnostic for node in declared.nodes for diagnostic in found.of(node)})


class _Contradictions:
    def __init__(self, holding: EffectiveConstraints) -> None:
        self.holding = holding

    def of(self, node: SchemaFacts) -> Iterator[Diagnostic]:
        """What one schema says against itself, or what it refers to against it."""
        for constraint in node.constraints:
            if constraint.keyword == "default" and constraint.value is not None:
                yield from self.default(constraint, node)
        if node.constraints or node.members:
            yield from _limits(self.holding.get_constraints(node))

    def default(self, constraint: Constraint, node: SchemaFacts) -> Iterator[Diagnostic]:
        """A default that the schema does not take."""
        value = constraint.value
        why = self.refused(value, node)
        if why:
            yield _warning(f"the default `{value}` is {why}", constraint)

    def refused(self, value: Any, node: SchemaFacts) -> str:
        """Why a schema does not take a value; empty where it may."""
        kinds = self.holding.resolved.get_types(node) - {"null"}
        types = tuple(kind for name in kinds for kind in _TYPES.get(name, ()))
        if types and (not isinstance(value, types) or (isinstance(value, bool) and "boolean" not in kinds)):
            return f"no {' or '.join(sorted(kinds))}"
        texts = self.holding.resolved.get_enum_strings(node)
        if texts and value not in texts:
            return "none of the texts that the schema lists"
        for demand in self.holding.get_constraints(node).values():
            fits = isinstance(value, _OF[demand.kind]) if demand.kind in _OF else is_number(value)
            if demand.kind in _KEPT and fits and not _KEPT[demand.kind](value, demand.value):
                return f"not {_words(demand)}"
        return ""


def _words(demand: NormalizedConstraint) -> str:
    return f"what `{demand.constraints[0].keyword}: {demand.constraints[0].value}` allows"


def _limits(holds: Constraints) -> Iterator[Diagnostic]:
    """Lower limits above the upper ones, told where the first of them stands."""
    if len(holds) == 1:
        return
    by_kind: dict[Kind, list[NormalizedConstraint]] = {}
    for demand in holds.values():
        by_kind.setdefault(demand.kind, []).append(demand)
    for low, high in _PAIRS:
        for least in by_kind.get(low, ()):
            for most in by_kind.get(high, ()):
                if is_empty(low, least.value, high, most.value):
                    told = [f"`{each.constraints[0].keyword}: {each.value}`" for each in (least, most)]
                    yield _warning(f"no value fits both {told[0]} and {told[1]}", least.constraints[0])


def _warning(message: str, constraint: Constraint) -> Diagnostic:
    return Diagnostic("spec/contradiction", message, constraint.place, HINT, Severity.WARNING)
