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
from preprocess.trace.effective_constraints import Demands, Holding
from preprocess.trace.normalized_constraints import Demand, Kind, is_number

HINT = "mend the spec, or change it by an overlay"
_PAIRS = (
    (Kind.SHORTEST, Kind.LONGEST),
    (Kind.FEWEST_ITEMS, Kind.MOST_ITEMS),
    (Kind.FEWEST_KEYS, Kind.MOST_KEYS),
    *((low, high) for low in (Kind.AT_LEAST, Kind.ABOVE) for high in (Kind.AT_MOST, Kind.BELOW)),
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
    Kind.AT_LEAST: lambda value, limit: value >= limit,
    Kind.ABOVE: lambda value, limit: value > limit,
    Kind.AT_MOST: lambda value, limit: value <= limit,
    Kind.BELOW: lambda value, limit: value < limit,
    Kind.SHORTEST: lambda value, limit: len(value) >= limit,
    Kind.LONGEST: lambda value, limit: len(value) <= limit,
    Kind.FEWEST_ITEMS: lambda value, limit: len(value) >= limit,
    Kind.MOST_ITEMS: lambda value, limit: len(value) <= limit,
    Kind.ONE_OF: lambda value, limit: value in limit,
}
_OF = {
    Kind.SHORTEST: (str,),
    Kind.LONGEST: (str,),
    Kind.FEWEST_ITEMS: (list,),
    Kind.MOST_ITEMS: (list,),
    Kind.ONE_OF: (int, float, bool),
}


def contradictions(declared: ScopeFacts, holding: Holding) -> list[Diagnostic]:
    """Everything that a spec says against itself.

    Args:
        declared: what it declares.
        holding: the schemas of it.
    """
    found = _Contradictions(holding)
    return sorted({diagnostic for node in declared.nodes for diagnostic in found.of(node)})


class _Contradictions:
    def __init__(self, holding: Holding) -> None:
        self.holding = holding

    def of(self, node: SchemaFacts) -> Iterator[Diagnostic]:
        """What one schema says against itself, or what it refers to against it."""
        for constraint in node.constraints:
            if constraint.keyword == "default" and constraint.value is not None:
                yield from self.default(constraint, node)
        if node.constraints or node.members:
            yield from _limits(self.holding.demanded(node))

    def default(self, constraint: Constraint, node: SchemaFacts) -> Iterator[Diagnostic]:
        """A default that the schema does not take."""
        value = constraint.value
        why = self.refused(value, node)
        if why:
            yield _warning(f"the default `{value}` is {why}", constraint)

    def refused(self, value: Any, node: SchemaFacts) -> str:
        """Why a schema does not take a value; empty where it may."""
        kinds = self.holding.seen.types(node) - {"null"}
        types = tuple(kind for name in kinds for kind in _TYPES.get(name, ()))
        if types and (not isinstance(value, types) or (isinstance(value, bool) and "boolean" not in kinds)):
            return f"no {' or '.join(sorted(kinds))}"
        texts = self.holding.seen.texts(node)
        if texts and value not in texts:
            return "none of the texts that the schema lists"
        for demand in self.holding.demanded(node).values():
            fits = isinstance(value, _OF[demand.kind]) if demand.kind in _OF else is_number(value)
            if demand.kind in _KEPT and fits and not _KEPT[demand.kind](value, demand.value):
                return f"not {_words(demand)}"
        return ""


def _words(demand: Demand) -> str:
    return f"what `{demand.constraints[0].keyword}: {demand.constraints[0].value}` allows"


def _limits(holds: Demands) -> Iterator[Diagnostic]:
    """Lower limits above the upper ones, told where the first of them stands."""
    if len(holds) == 1:
        return
    by_kind: dict[Kind, list[Demand]] = {}
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
