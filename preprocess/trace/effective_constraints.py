"""Compute the constraints that every value of a schema satisfies, with `$ref` and `allOf` resolved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pipeline.model.schema_facts import SchemaFacts
from preprocess.trace.normalized_constraints import ConstraintKey, Kind, NormalizedConstraint, normalize_constraints
from preprocess.trace.resolved_schemas import ResolvedSchemas

Constraints = dict[ConstraintKey, NormalizedConstraint]
ByKind = dict[Kind, list[NormalizedConstraint]]


class EffectiveConstraints:
    """Computes the constraints of schemas and caches them; `resolved` has `$ref` and `allOf` resolved."""

    def __init__(self, schemas: Mapping[str, SchemaFacts]) -> None:
        self.schemas = schemas
        self.resolved = ResolvedSchemas(schemas)
        self._applied: dict[SchemaFacts, frozenset[SchemaFacts]] = {}
        self._constraints: dict[SchemaFacts, Constraints] = {}

    def get_applied_schemas(self, node: SchemaFacts) -> frozenset[SchemaFacts]:
        """Return the schemas that apply to every value of a schema; a union with one variant counts as the variant."""
        applied = self._applied.get(node)
        if applied is None:
            schemas = self.resolved.resolve(node)
            # Store a first result before the recursion: a union may contain itself.
            self._applied[node] = frozenset(schemas)
            single = [self.get_applied_schemas(schema.variants[0]) for schema in schemas if len(schema.variants) == 1]
            applied = self._applied[node] = frozenset(schemas).union(*single)
        return applied

    def get_constraints(self, node: SchemaFacts) -> Constraints:
        """Return the constraints that every value of a schema satisfies; of a union, those that its variants share."""
        constraints = self._constraints.get(node)
        if constraints is None:
            # Store the empty result before the recursion: a union may contain itself.
            constraints = self._constraints[node] = {}
            schemas = self.get_applied_schemas(node)
            for schema in sorted(schemas, key=lambda schema: schema.place) if len(schemas) > 1 else schemas:
                if schema.constraints:
                    add_constraints(constraints, {each.key: each for each in normalize_constraints(schema)})
                if len(schema.variants) > 1:
                    shared = intersect_constraints(self.get_constraints(variant) for variant in schema.variants)
                    add_constraints(constraints, shared)
        return constraints


def add_constraints(target: Constraints, added: Constraints) -> None:
    """Add constraints to others; a constraint in both lists the keywords of both."""
    for key, constraint in added.items():
        existing = target.get(key)
        if existing is None:
            target[key] = constraint
            continue
        keywords = {(each.keyword, each.place): each for each in (*existing.constraints, *constraint.constraints)}
        target[key] = NormalizedConstraint(constraint.kind, constraint.value, tuple(keywords.values()))


def intersect_constraints(alternatives: Iterable[Constraints]) -> Constraints:
    """Return the constraints that all alternatives have."""
    first, *others = list(alternatives) or [{}]
    if not others:
        return dict(first)
    shared: Constraints = {}
    for key in first:
        if all(key in other for other in others):
            for constraints in (first, *others):
                add_constraints(shared, {key: constraints[key]})
    return shared


def group_by_kind(constraints: Constraints) -> ByKind:
    """Group constraints by kind, in an order that does not depend on the order of the specification."""
    by_kind: ByKind = {}
    for _, constraint in sorted(constraints.items()):
        by_kind.setdefault(constraint.kind, []).append(constraint)
    return by_kind
