"""Slots: the fields of the contract, and the items and values inside them, with what holds for each value there.

A schema holds for all values of a slot when each schema that stands there leads to it by references and allOf; what one
of several variants demands does not, but what they all do. Of a property that several members of an allOf have, all
hold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from pipeline.model.contract import SCALARS, Label
from pipeline.model.schema_facts import SchemaFacts, ScopeFacts
from preprocess.trace.carriers import ALIVE, Carrier
from preprocess.trace.effective_constraints import Constraints, add_constraints, intersect_constraints
from preprocess.trace.normalized_constraints import Kind, NormalizedConstraint
from preprocess.trace.walk import Trace

MANY = frozenset({Label.REPEATED, Label.MAP})


@dataclass(slots=True)
class Slot:
    """Where values of some schemas stand.

    Attributes:
        carriers: what carries them; several where a narrower schema decides the type for some.
        narrowed: the schemas whose values another one narrows, or that hold under a condition.
        roots: the schemas that stand there and are no part of another one that does.
        holds: what is demanded of all values, by key.
    """

    carriers: list[Carrier]
    narrowed: frozenset[SchemaFacts]
    roots: list[SchemaFacts] = field(default_factory=list)
    holds: Constraints = field(default_factory=dict)


SlotKey = tuple[str, tuple[str, ...]]


class Slots:
    """All slots.

    Attributes:
        by_key: by `Message.field` and the steps into its value.
        of_messages: what is demanded of each value that is such a message, by the name of the message.
    """

    def __init__(self, declared: ScopeFacts, walked: Trace) -> None:
        """Read off a walk what stands where.

        Args:
            declared: for what schemas refer to.
            walked: with the carriers of each schema.
        """
        self.holding = walked.constraints
        self.by_key: dict[SlotKey, Slot] = {}
        nodes: dict[SlotKey, dict[SchemaFacts, Carrier]] = defaultdict(dict)
        for node, carriers in walked.carriers.items():
            for carrier in carriers:
                if carrier.state in ALIVE and not carrier.in_free_form:
                    nodes[carrier.full_name, carrier.path][node] = carrier
        for key, standing in nodes.items():
            parts = {part for node in standing for part in self._parts(node)}
            narrowed = frozenset(node for node, carrier in standing.items() if carrier.is_narrowed)
            slot = Slot(list(dict.fromkeys(standing.values())), narrowed)
            slot.roots = [node for node in standing if node not in parts] or list(standing)
            self.by_key[key] = slot
        self._owners = {schema: node for node in declared.nodes for schema in node.properties.values()}
        messages: dict[str, list[Slot]] = defaultdict(list)
        for slot in self.by_key.values():
            for name in {carrier.type for carrier in slot.carriers if carrier.label not in MANY} - SCALARS:
                messages[name].append(slot)
        always = {name: self._common_schemas(slots) for name, slots in messages.items()}
        for (site, inside), slot in self.by_key.items():
            owning = always.get(site.rpartition(".")[0], frozenset()) if not inside else frozenset()
            slot.holds = self._holding(slot, owning)
        self.of_messages = {
            name: intersect_constraints(slot.holds for slot in slots) for name, slots in messages.items()
        }

    def _parts(self, node: SchemaFacts) -> Iterator[SchemaFacts]:
        """The schemas that are about the same value as a schema because it says so."""
        yield from (*node.members, *node.variants, *node.conditions)
        if node.ref in self.holding.schemas:
            yield self.holding.schemas[node.ref]

    def _common_schemas(self, slots: list[Slot]) -> frozenset[SchemaFacts]:
        found = [self.holding.get_applied_schemas(root) for slot in slots for root in slot.roots]
        return frozenset.intersection(*found) if found else frozenset()

    def _holding(self, slot: Slot, owning: frozenset[SchemaFacts]) -> Constraints:
        """What holds: what all roots demand, and what those demand whose object always holds.

        A property that only stands under a condition may be anything where this does not hold.
        """
        owners = {root: self._owners.get(root) for root in slot.roots}
        under = {root for root, owner in owners.items() if owner and owner not in owning and root in slot.narrowed}
        found = intersect_constraints(
            self.holding.get_constraints(root) if root not in under else {} for root in slot.roots
        )
        for root, owner in owners.items():
            if owner in owning:
                add_constraints(found, self.holding.get_constraints(root))
        return found


def by_kind(holds: Constraints) -> dict[Kind, list[NormalizedConstraint]]:
    """Constraints by their kinds, in an order that does not depend on where the spec makes them."""
    found: dict[Kind, list[NormalizedConstraint]] = {}
    for _, demand in sorted(holds.items()):
        found.setdefault(demand.kind, []).append(demand)
    return found
