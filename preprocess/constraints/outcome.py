"""Collect what becomes of the constraints of one target: protovalidate rules, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pipeline.model.contract import Rule
from preprocess.trace.normalized_constraints import ConstraintKey, NormalizedConstraint

NO_VALUE = "no value satisfies the constraint"


@dataclass(frozen=True, slots=True)
class CelRule:
    """A rule in the Common Expression Language (CEL), with the fields of `buf.validate.Rule`."""

    id: str
    message: str
    expression: str

    def list_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the fields of the rule as names and values."""
        return (("id", self.id), ("message", self.message), ("expression", self.expression))


@dataclass(slots=True)
class RuleOutcome:
    """The outcome of the constraints of one target.

    Attributes:
        rules: by path within `FieldRules` or `MessageRules`, the value of the rule; a list for a repeated rule.
        conversion_rules: by the key of each constraint that a rule expresses, the id of the conversion rule.
        implied: the keys of the constraints that every value of the protobuf type satisfies.
        reasons: by the key of each constraint that nothing expresses, the reason.
    """

    rules: dict[str, Any] = field(default_factory=dict)
    conversion_rules: dict[ConstraintKey, Rule] = field(default_factory=dict)
    implied: set[ConstraintKey] = field(default_factory=set)
    reasons: dict[ConstraintKey, str] = field(default_factory=dict)

    def add_rule(
        self, constraints: Iterable[NormalizedConstraint], conversion_rule: Rule, path: str, value: Any
    ) -> None:
        """Add a protovalidate rule that expresses the constraints."""
        self.rules[path] = value
        self.conversion_rules |= {constraint.key: conversion_rule for constraint in constraints}

    def add_cel(self, constraints: Iterable[NormalizedConstraint], conversion_rule: Rule, cel: CelRule) -> None:
        """Add a CEL rule that expresses the constraints."""
        self.rules.setdefault("cel", []).append(cel)
        self.conversion_rules |= {constraint.key: conversion_rule for constraint in constraints}

    def mark_implied(self, constraints: Iterable[NormalizedConstraint]) -> None:
        """Record that every value of the protobuf type satisfies the constraints."""
        self.implied |= {constraint.key for constraint in constraints}

    def reject(self, constraints: Iterable[NormalizedConstraint], reason: str) -> None:
        """Record that nothing expresses the constraints."""
        self.reasons |= {constraint.key: reason for constraint in constraints}

    def has(self, key: ConstraintKey) -> bool:
        """Return whether the outcome of a constraint is recorded."""
        return key in self.conversion_rules or key in self.implied or key in self.reasons
