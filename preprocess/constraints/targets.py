"""Collect the targets of options: the fields of the contract, and the items and values inside them.

A constraint applies to a target if every schema of the target leads to it by `$ref` and `allOf`. A constraint of one
variant does not apply, but one that all variants share does. If several `allOf` members declare a property, the
constraints of all of them apply.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from pipeline.model.contract import SCALARS
from pipeline.model.schema_facts import SchemaFacts, ScopeFacts
from preprocess.trace.carriers import ALIVE, CONTAINERS, Carrier
from preprocess.trace.effective_constraints import Constraints, add_constraints, intersect_constraints
from preprocess.trace.walk import Trace

TargetKey = tuple[str, tuple[str, ...]]


@dataclass(slots=True)
class Target:
    """A field, or the items or values inside one.

    Attributes:
        carriers: its carriers; several if a narrower schema decided the type of some values.
        narrowed: the schemas that a narrower one replaces, and those that apply under a condition.
        roots: the schemas of its values that are not part of another such schema.
        constraints: the constraints that every value satisfies.
    """

    carriers: list[Carrier]
    narrowed: frozenset[SchemaFacts]
    roots: list[SchemaFacts] = field(default_factory=list)
    constraints: Constraints = field(default_factory=dict)


class Targets:
    """All targets of a contract by `Message.field` and the path into its value.

    `message_constraints` are by message name the constraints that every object of the message satisfies.
    """

    def __init__(self, declared: ScopeFacts, trace: Trace) -> None:
        self.effective = trace.constraints
        self.by_key = {key: self._create_target(nodes) for key, nodes in _group_by_target(trace).items()}
        self._owners = {schema: node for node in declared.nodes for schema in node.properties.values()}
        messages: dict[str, list[Target]] = defaultdict(list)
        for target in self.by_key.values():
            for name in {carrier.type for carrier in target.carriers if carrier.label not in CONTAINERS} - SCALARS:
                messages[name].append(target)
        applied = {name: self._intersect_schemas(targets) for name, targets in messages.items()}
        for (full_name, path), target in self.by_key.items():
            owners = applied.get(full_name.rpartition(".")[0], frozenset()) if not path else frozenset()
            target.constraints = self._compute_constraints(target, owners)
        self.message_constraints = {
            name: intersect_constraints(target.constraints for target in targets) for name, targets in messages.items()
        }

    def _create_target(self, carriers: dict[SchemaFacts, Carrier]) -> Target:
        parts = {inner for node in carriers for inner in self._list_parts(node)}
        narrowed = frozenset(node for node, carrier in carriers.items() if carrier.is_narrowed)
        roots = [node for node in carriers if node not in parts] or list(carriers)
        return Target(list(dict.fromkeys(carriers.values())), narrowed, roots)

    def _list_parts(self, node: SchemaFacts) -> Iterator[SchemaFacts]:
        yield from (*node.members, *node.variants, *node.conditions)
        if node.ref in self.effective.schemas:
            yield self.effective.schemas[node.ref]

    def _intersect_schemas(self, targets: list[Target]) -> frozenset[SchemaFacts]:
        applied = [self.effective.get_applied_schemas(root) for target in targets for root in target.roots]
        return frozenset.intersection(*applied) if applied else frozenset()

    def _compute_constraints(self, target: Target, always_applied: frozenset[SchemaFacts]) -> Constraints:
        """Return the constraints that all root schemas share, plus those of a root whose parent object always applies.

        A property declared only under a condition may be anything if the condition is false.
        """
        owners = {root: self._owners.get(root) for root in target.roots}
        conditional = {
            root for root, owner in owners.items() if owner and owner not in always_applied and root in target.narrowed
        }
        constraints = intersect_constraints(
            self.effective.get_constraints(root) if root not in conditional else {} for root in target.roots
        )
        for root, owner in owners.items():
            if owner in always_applied:
                add_constraints(constraints, self.effective.get_constraints(root))
        return constraints


def _group_by_target(trace: Trace) -> dict[TargetKey, dict[SchemaFacts, Carrier]]:
    groups: dict[TargetKey, dict[SchemaFacts, Carrier]] = defaultdict(dict)
    for node, carriers in trace.carriers.items():
        for carrier in carriers:
            if carrier.state in ALIVE and not carrier.in_free_form:
                groups[carrier.full_name, carrier.path][node] = carrier
    return groups
