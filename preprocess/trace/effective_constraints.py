"""What holds for the values of a schema, seen through references and allOf, each worked out once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pipeline.model.schema_facts import SchemaFacts
from preprocess.trace.normalized_constraints import Demand, Kind, demands
from preprocess.trace.resolved_schemas import SeenThrough

Demands = dict[tuple[Kind, str], Demand]


class Holding:
    """What holds for the values of a schema, whatever else it says: seen through references and allOf."""

    def __init__(self, schemas: Mapping[str, SchemaFacts]) -> None:
        """Hold the component schemas, by key."""
        self.schemas = schemas
        self.seen = SeenThrough(schemas)
        self._always: dict[SchemaFacts, frozenset[SchemaFacts]] = {}
        self._demands: dict[SchemaFacts, Demands] = {}

    def always(self, node: SchemaFacts) -> frozenset[SchemaFacts]:
        """The schemas that hold wherever a schema does; a union of one variant is that variant."""
        known = self._always.get(node)
        if known is None:
            parts = self.seen.together(node)
            self._always[node] = frozenset(parts)
            only = [self.always(part.variants[0]) for part in parts if len(part.variants) == 1]
            known = self._always[node] = frozenset(parts).union(*only)
        return known

    def demanded(self, node: SchemaFacts) -> Demands:
        """What holds for the values of a schema, by key."""
        known = self._demands.get(node)
        if known is None:
            known = self._demands[node] = {}
            parts = self.always(node)
            for part in sorted(parts, key=lambda part: part.place) if len(parts) > 1 else parts:
                if part.constraints:
                    add(known, {demand.key: demand for demand in demands(part)})
                if len(part.variants) > 1:
                    add(known, common(self.demanded(variant) for variant in part.variants))
        return known


def add(found: Demands, more: Demands) -> None:
    """Add demands; of one that is made twice all places are kept."""
    for key, demand in more.items():
        old = found.get(key)
        if old is None:
            found[key] = demand
            continue
        told = {(each.keyword, each.place): each for each in (*old.constraints, *demand.constraints)}
        found[key] = Demand(demand.kind, demand.value, tuple(told.values()))


def common(listed: Iterable[Demands]) -> Demands:
    """The demands that all make."""
    every = list(listed)
    if len(every) == 1:
        return dict(every[0])
    found: Demands = {}
    for key in every[0] if every else ():
        if all(key in other for other in every):
            for other in every:
                add(found, {key: other[key]})
    return found
