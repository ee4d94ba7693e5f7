"""Choosing: which variant of a union a JSON value is.

A variant has a cost for a value, or does not fit: a text is no number, an object no list, and no text of an enum that
it does not have. A required key that is missing costs most, a key that the variant does not know less, a number or list
in an unusual form a little. Tags decide first: where the value has the property that tells variants apart, only those
with its value are looked at. Then the least cost is chosen; of equal ones the most special: null, then enums (fewer
texts first), booleans, small before large integers, decimals, base64, texts; objects with more required and then with
fewer other keys, tuples, lists, entries, maps, and last what takes any value. Of equals the lowest number.

Time is bounded: variants are told by JSON type, keys and constants first. Only where that leaves several are values
looked into, and no value twice for one type.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spec2proto_codec.encode.variant_cost import MISSING, estimate_cost, estimate_element, estimate_message, is_entry
from spec2proto_codec.errors import CodecError, shown
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan


class VariantChooser:
    """Chooses for the values of one JSON document, and remembers what it found."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._costs: dict[tuple[int, int], int | None] = {}
        self._alive: list[Any] = []

    def keep_alive(self, value: Any) -> None:
        """Hold a value that is no part of the document, so that nothing else gets its identity."""
        self._alive.append(value)

    def choose(self, fields: list[FieldPlan], value: Any) -> FieldPlan:
        """The variant that a value is.

        Raises:
            CodecError: when it is none of them.
        """
        found = [
            (cost, item.rank, item.number, item) for item in fields if (cost := estimate_cost(item, value)) is not None
        ]
        found = _tagged(found, value) or found
        if len(found) == 1:
            return found[0][3]
        if not found:
            names = ", ".join(item.name for item in fields[:8])
            raise CodecError(f"{shown(value)} is none of {names}{', …' if len(fields) > 8 else ''}")  # noqa: PLR2004 - as many as a sentence takes
        exact = [entry for entry in found if entry[0] == 0]
        if len(exact) == 1:
            return exact[0][3]
        costs = [
            (cost, entry[1], entry[2], entry[3])
            for entry in exact or found
            if (cost := self.compute_cost(entry[3], value)) is not None
        ]
        if not costs and exact:
            rest = [entry for entry in found if entry[0] != 0]
            costs = [
                (cost, entry[1], entry[2], entry[3])
                for entry in rest
                if (cost := self.compute_cost(entry[3], value)) is not None
            ]
        return min(costs or found, key=lambda entry: entry[:3])[3]

    def compute_cost(self, item: FieldPlan, value: Any) -> int | None:
        """What a value costs in a field, looked into to its end; None where it does not fit."""
        if type(value) not in {dict, list} or (item.kind != "message" and item.label is Label.ONE):
            return estimate_cost(item, value)
        key = id(value), id(item)
        if key not in self._costs:
            self._costs[key] = self._compute_field_cost(item, value)
        return self._costs[key]

    def _compute_field_cost(self, item: FieldPlan, value: Any) -> int | None:
        if item.label is Label.ONE:
            return self._compute_element_cost(item, value)
        first = estimate_cost(item, value)
        if first is None:
            return None
        if item.label is Label.LIST:
            inner = value if type(value) is list else [value]
            return self._sum_costs(first, (self._compute_element_cost(item, entry) for entry in inner))
        return self._sum_costs(first, (self._compute_element_cost(item, entry) for entry in value.values()))

    def _compute_element_cost(self, item: FieldPlan, value: Any) -> int | None:
        """The cost of one value of the field's type."""
        if item.kind != "message" or type(value) not in {dict, list}:
            return estimate_element(item, value)
        if item.options.entry:
            return self._remember_message_cost(item.plan, next(iter(value.values()))) if is_entry(value) else None
        if item.options.shorthand and type(value) is not dict:
            alone = item.plan.properties.get(item.options.shorthand)
            return self.compute_cost(alone, value) if alone is not None else None
        return self._remember_message_cost(item.plan, value)

    def _remember_message_cost(self, plan: MessagePlan, value: Any) -> int | None:
        key = id(value), id(plan)
        if key not in self._costs:
            self._costs[key] = self._compute_message_cost(plan, value)
        return self._costs[key]

    def _compute_message_cost(self, plan: MessagePlan, value: Any) -> int | None:
        form = plan.form
        if form == "union":
            found = [cost for item in plan.variants if (cost := self.compute_cost(item, value)) is not None]
            return min(found, default=None)
        first = estimate_message(plan, value)
        if first is None:
            return None
        if form == "object":
            return self._compute_object_cost(plan, value, first)
        if form in {"array", "map"}:
            return self.compute_cost(plan.content, value)
        if form == "entry":
            return self.compute_cost(plan.content, next(iter(value.values())))
        pairs = zip(plan.items, value, strict=False) if form == "tuple" else ()
        return self._sum_costs(first, (self.compute_cost(item, entry) for item, entry in pairs))

    def _compute_object_cost(self, plan: MessagePlan, value: dict[str, Any], first: int) -> int | None:
        own = (
            self.compute_cost(plan.properties[name], entry)
            for name, entry in value.items()
            if name in plan.properties and entry is not None
        )
        total = self._sum_costs(first, own)
        if total is None or (plan.rest is None and not plan.spreads):
            return total
        left = {name: entry for name, entry in value.items() if name not in plan.properties}
        self.keep_alive(left)
        for item, part in self.split_spreads(plan, left, value):
            cost = self.compute_cost(item, part)
            if cost is None:
                return None
            total += cost % MISSING
            left = {name: entry for name, entry in left.items() if name not in part}
        if plan.rest is not None and left and plan.rest.label is Label.MAP:
            return self._sum_costs(total, (self._compute_element_cost(plan.rest, entry) for entry in left.values()))
        return total

    def split_spreads(
        self, plan: MessagePlan, left: dict[str, Any], whole: dict[str, Any]
    ) -> list[tuple[FieldPlan, Any]]:
        """The fields that take those keys of an object that are no properties of its own, each with its part.

        Args:
            plan: of the object.
            left: the keys that are no properties of its own.
            whole: all keys.
        """
        found = []
        for group in plan.spreads:
            choice = self._split_spread(group, left, whole)
            if choice is not None:
                found.append(choice)
                left = {name: entry for name, entry in left.items() if name not in choice[1]}
        return found

    def _split_spread(
        self, group: list[FieldPlan], left: dict[str, Any], whole: dict[str, Any]
    ) -> tuple[FieldPlan, Any] | None:
        best: tuple[tuple[Any, ...], FieldPlan, Any] | None = None
        for item in group:
            part = left if item.plan.open else {name: left[name] for name in left if name in item.plan.known}
            tagged = has_tag(item, whole)
            if not part and not tagged:
                continue
            self.keep_alive(part)
            cost = self.compute_cost(item, part)
            missing = len(item.plan.required - whole.keys())
            key = (not tagged, cost is None, missing, -len(part), (cost or 0) % MISSING, item.rank, item.number)
            if best is None or key < best[0]:
                best = key, item, part
        return (best[1], best[2]) if best else None

    @staticmethod
    def _sum_costs(first: int, costs: Iterable[int | None]) -> int | None:
        for cost in costs:
            if cost is None:
                return None
            first += cost
        return first


def has_tag(item: FieldPlan, value: dict[str, Any]) -> bool:
    """Whether an object has a value by which a variant is known."""
    return any(type(value.get(name)) is str and value[name] in texts for name, texts in item.options.tags.items())


def _tagged(found: list[Any], value: Any) -> list[Any]:
    """Of the variants that fit, those whose tag the value has; none where no tag tells."""
    if type(value) is not dict:
        return []
    return [entry for entry in found if entry[3].options.tags and has_tag(entry[3], value)]
