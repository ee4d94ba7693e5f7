"""What became of the demands on the values of one slot: rules of protovalidate, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from preprocess.trace.normalized_constraints import NormalizedConstraint

NO_VALUE = "no value fits"


@dataclass(frozen=True, slots=True)
class Cel:
    """A rule in the Common Expression Language: its id, what is told, the expression."""

    id: str
    message: str
    expression: str

    def told(self) -> tuple[tuple[str, str], ...]:
        """Its parts by the names of `buf.validate.Rule`."""
        return (("id", self.id), ("message", self.message), ("expression", self.expression))


@dataclass(slots=True)
class Said:
    """What became of demands.

    Attributes:
        rules: path within `FieldRules` → value; a list where the rule is repeated.
        by: the id of the conversion rule that carries a demand, by the demand's key.
        expressed: keys of demands that the type meets by itself.
        reasons: why a demand is not carried, by its key.
    """

    rules: dict[str, Any] = field(default_factory=dict)
    by: dict[tuple[str, str], str] = field(default_factory=dict)
    expressed: set[tuple[str, str]] = field(default_factory=set)
    reasons: dict[tuple[str, str], str] = field(default_factory=dict)

    def carry(self, demands: Iterable[NormalizedConstraint], rule: str, path: str, value: Any) -> None:
        """Constraints are carried by one rule."""
        self.rules[path] = value
        self.by |= {demand.key: rule for demand in demands}

    def calculate(self, demands: Iterable[NormalizedConstraint], rule: str, cel: Cel) -> None:
        """Constraints are carried by an expression."""
        self.rules.setdefault("cel", []).append(cel)
        self.by |= {demand.key: rule for demand in demands}

    def meet(self, demands: Iterable[NormalizedConstraint]) -> None:
        """Constraints are met by the type."""
        self.expressed |= {demand.key for demand in demands}

    def refuse(self, demands: Iterable[NormalizedConstraint], reason: str) -> None:
        """Constraints are not carried."""
        self.reasons |= {demand.key: reason for demand in demands}

    def knows(self, key: tuple[str, str]) -> bool:
        """Whether it is told what became of a demand."""
        return key in self.by or key in self.expressed or key in self.reasons
