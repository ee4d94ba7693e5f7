"""Find union variants that no JSON value can tell apart, because both accept exactly the same JSON.

The encoder always chooses the first of them. Only a program that builds messages itself ever sets the second.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from spec2proto_codec.plans.build import Plans
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan

_DEPTH = 4
_JSON_TYPES = {"string": "string", "bytes": "string", "bool": "boolean", "float": "decimal", "double": "decimal"}


@dataclass(frozen=True, order=True, slots=True)
class AmbiguousVariants:
    """Two variants of a message that accept the same JSON."""

    message: str  # Full name of the message.
    chosen: str  # Name of the field that the encoder chooses.
    never: str  # Name of the field that the encoder never chooses.


def find_ambiguous_variants(plans: Plans) -> list[AmbiguousVariants]:
    """Return the variants of all messages that accept the same JSON as an earlier variant, sorted."""
    classes = _EquivalenceClasses()
    return sorted(pair for plan in plans.messages.values() for pair in classes.find_pairs(plan))


class _EquivalenceClasses:
    """Computes equivalence classes of fields and messages; two in one class accept exactly the same JSON.

    A message whose content is more than four levels down is a class of its own.
    """

    def __init__(self) -> None:
        self._classes: dict[tuple[str, int], Hashable] = {}
        self._ids: dict[Hashable, int] = {}

    def find_pairs(self, plan: MessagePlan) -> Iterator[AmbiguousVariants]:
        """Yield the ambiguous variants of one message."""
        for group in [plan.variants] if plan.form in {"union", "lines"} else plan.spreads:
            first_by_class: dict[Hashable, FieldPlan] = {}
            for item in sorted(group, key=lambda item: (item.rank, item.number)):
                tags = frozenset(item.options.tags.items())
                first = first_by_class.setdefault((tags, self._classify_field(item, _DEPTH)), item)
                if first is not item:
                    yield AmbiguousVariants(plan.name, first.name, item.name)

    def _classify_field(self, item: FieldPlan, depth: int) -> Hashable:
        element = self._classify_element(item, depth)
        if item.label is Label.LIST:
            return ("list", element, item.options.single)
        return ("map", element) if item.label is Label.MAP else element

    def _classify_element(self, item: FieldPlan, depth: int) -> Hashable:
        """Return the class of one value of a field's type."""
        options = item.options
        if options.coding == "document":
            return "any"
        if item.enum is not None:
            return ("enum", frozenset(item.enum.numbers))
        if item.kind != "message":
            return (_JSON_TYPES.get(item.kind, item.kind), options.coding, options.quoted)
        return (options.entry, options.shorthand, self._classify_message(item.plan, depth - 1))

    def _classify_message(self, plan: MessagePlan, depth: int) -> Hashable:
        """Return the class of a message: its name where the search ends, otherwise a small number."""
        if depth <= 0 or plan.form in {"any", "number"}:
            return plan.name
        key = (plan.name, depth)
        if key not in self._classes:
            content = self._classify_content(plan, depth)
            self._classes[key] = self._ids.setdefault(content, len(self._ids))
        return self._classes[key]

    def _classify_content(self, plan: MessagePlan, depth: int) -> Hashable:
        if plan.form == "object":
            properties = frozenset((key, self._classify_field(item, depth)) for key, item in plan.properties.items())
            spreads = frozenset(self._classify_field(item, depth) for group in plan.spreads for item in group)
            others = self._classify_field(plan.rest_field, depth) if plan.rest_field is not None else None
            return ("object", properties, spreads, others, plan.required_keys)
        if plan.form == "union":
            return ("union", frozenset(self._classify_field(item, depth) for item in plan.variants))
        if plan.form == "tuple":
            return ("tuple", tuple(self._classify_field(item, depth) for item in plan.items))
        return (plan.form, self._classify_field(plan.content, depth) if plan.content_field is not None else plan.name)
