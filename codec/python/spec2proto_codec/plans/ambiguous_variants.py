"""Unions that no value can tell apart: two variants of which each takes what the other takes.

The order of `choose` then always takes the same one, and the other is only ever set by who writes messages by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from spec2proto_codec.plans.build import Plans
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan

_DEPTH = 4
_TYPES = {"string": "text", "bytes": "text", "bool": "boolean", "float": "decimal", "double": "decimal"}


@dataclass(frozen=True, order=True, slots=True)
class AmbiguousVariants:
    """Two variants of a message that no value tells apart; the first is the one that is always chosen."""

    message: str
    chosen: str
    never: str


def find_ambiguous_variants(plans: Plans) -> list[AmbiguousVariants]:
    """The variants of all messages that no value tells apart from an earlier one, sorted.

    Args:
        plans: of a contract.
    """
    taken = _Taken()
    return sorted(found for plan in plans.messages.values() for found in taken.of_message(plan))


class _Taken:
    """What values fields and messages take, such that two with the same take the same; each worked out once."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, int], Any] = {}
        self._ids: dict[Any, int] = {}

    def of_message(self, plan: MessagePlan) -> Iterator[AmbiguousVariants]:
        for group in [plan.variants] if plan.form in {"union", "lines"} else plan.spreads:
            first: dict[Any, FieldPlan] = {}
            for item in sorted(group, key=lambda item: (item.rank, item.number)):
                earlier = first.setdefault((_tags(item), self.field(item, _DEPTH)), item)
                if earlier is not item:
                    yield AmbiguousVariants(plan.name, earlier.name, item.name)

    def field(self, item: FieldPlan, depth: int) -> Any:
        one = self.element(item, depth)
        if item.label is Label.LIST:
            return ("list", one, item.options.single)
        return ("map", one) if item.label is Label.MAP else one

    def element(self, item: FieldPlan, depth: int) -> Any:
        if item.options.coding == "document":
            return "any"
        if item.enum is not None:
            return ("enum", frozenset(item.enum.numbers))
        if item.kind != "message":
            return (_TYPES.get(item.kind, item.kind), item.options.coding, item.options.quoted)
        return (item.options.entry, item.options.shorthand, self.message(item.plan, depth - 1))

    def message(self, plan: MessagePlan, depth: int) -> Any:
        """A number that messages share which take the same."""
        if depth <= 0 or plan.form in {"any", "number"}:
            return plan.name
        key = (plan.name, depth)
        if key not in self._made:
            found = self.within(plan, depth)
            self._made[key] = self._ids.setdefault(found, len(self._ids))
        return self._made[key]

    def within(self, plan: MessagePlan, depth: int) -> Any:
        if plan.form == "object":
            fields = frozenset((key, self.field(item, depth)) for key, item in plan.properties.items())
            spreads = frozenset(self.field(item, depth) for group in plan.spreads for item in group)
            rest = self.field(plan.rest, depth) if plan.rest is not None else None
            return ("object", fields, spreads, rest, plan.required)
        if plan.form == "union":
            return ("union", frozenset(self.field(item, depth) for item in plan.variants))
        if plan.form == "tuple":
            return ("tuple", tuple(self.field(item, depth) for item in plan.items))
        return (plan.form, self.field(plan.content, depth) if plan.held is not None else plan.name)


def _tags(item: FieldPlan) -> Any:
    return tuple(sorted((name, tuple(sorted(texts))) for name, texts in item.options.tags.items()))
