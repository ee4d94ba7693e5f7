"""Choose the variant of a union that a JSON value belongs to.

Each variant has a cost for a value, or does not fit, as a number does not fit a string field. A missing required key
costs most, an unknown key less, an unusual spelling of a number or list a little.

1. Tags decide first. If the value has a property that identifies variants, only variants with that value remain.
2. The variant of the lowest cost wins.
3. Of equal ones the most special wins. Scalars rank as null, enums with fewer strings, booleans, small integers, large
   integers, decimals, base64, strings. Messages rank as objects with more required and then fewer other keys, tuples,
   lists, entries, maps. Messages for any value come last.
4. Of equal ones the lowest field number wins.

Time is bounded: inner values count only if JSON type, keys and constants leave several variants. The cost of a value as
one type is computed once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spec2proto_codec.encode.variant_cost import MISSING, estimate_cost, estimate_element, estimate_message, is_entry
from spec2proto_codec.errors import CodecError, describe
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan

_MAX_NAMES = 8
_Fit = tuple[int, FieldPlan]  # A variant that takes a value, with its cost.


class VariantChooser:
    """Chooses variants for the values of one JSON document, and remembers costs."""

    def __init__(self) -> None:
        self._costs: dict[tuple[int, int], int | None] = {}
        self._kept: list[Any] = []

    def keep_alive(self, value: Any) -> None:
        """Keep a temporary value until the document ends; its `id` is a key of remembered costs."""
        self._kept.append(value)

    def choose(self, fields: list[FieldPlan], value: Any) -> FieldPlan:
        """Return the variant for a JSON value. Raise `CodecError` if the value fits no variant."""
        fits = [(cost, item) for item in fields if (cost := estimate_cost(item, value)) is not None]
        fits = _filter_by_tag(fits, value) or fits
        if len(fits) == 1:
            return fits[0][1]
        if not fits:
            names = ", ".join(item.name for item in fields[:_MAX_NAMES])
            raise CodecError(f"{describe(value)} is none of {names}{', …' if len(fields) > _MAX_NAMES else ''}")
        exact = [fit for fit in fits if fit[0] == 0]
        if len(exact) == 1:
            return exact[0][1]
        costs = self._compute_costs(exact or fits, value)
        if not costs and exact:
            costs = self._compute_costs([fit for fit in fits if fit[0] != 0], value)
        return min(costs or fits, key=_get_preference)[1]

    def _compute_costs(self, fits: list[_Fit], value: Any) -> list[_Fit]:
        return [(cost, item) for _, item in fits if (cost := self.compute_cost(item, value)) is not None]

    def compute_cost(self, item: FieldPlan, value: Any) -> int | None:
        """Return the cost of a JSON value in a field, with the costs of all inner values; None if it does not fit."""
        if type(value) not in {dict, list} or (item.kind != "message" and item.label is Label.ONE):
            return estimate_cost(item, value)
        key = id(value), id(item)
        if key not in self._costs:
            self._costs[key] = self._compute_field_cost(item, value)
        return self._costs[key]

    def _compute_field_cost(self, item: FieldPlan, value: Any) -> int | None:
        if item.label is Label.ONE:
            return self._compute_element_cost(item, value)
        estimate = estimate_cost(item, value)
        if estimate is None:
            return None
        elements = value.values() if item.label is Label.MAP else value
        if item.label is Label.LIST and type(value) is not list:
            elements = [value]
        return _sum_costs(estimate, (self._compute_element_cost(item, entry) for entry in elements))

    def _compute_element_cost(self, item: FieldPlan, value: Any) -> int | None:
        if item.kind != "message" or type(value) not in {dict, list}:
            return estimate_element(item, value)
        if item.options.entry:
            return self._get_message_cost(item.plan, next(iter(value.values()))) if is_entry(value) else None
        if item.options.shorthand and type(value) is not dict:
            alone = item.plan.properties.get(item.options.shorthand)
            return self.compute_cost(alone, value) if alone is not None else None
        return self._get_message_cost(item.plan, value)

    def _get_message_cost(self, plan: MessagePlan, value: Any) -> int | None:
        key = id(value), id(plan)
        if key not in self._costs:
            self._costs[key] = self._compute_message_cost(plan, value)
        return self._costs[key]

    def _compute_message_cost(self, plan: MessagePlan, value: Any) -> int | None:
        form = plan.form
        if form == "union":
            costs = [cost for item in plan.variants if (cost := self.compute_cost(item, value)) is not None]
            return min(costs, default=None)
        estimate = estimate_message(plan, value)
        if estimate is None:
            return None
        if form == "object":
            return self._compute_object_cost(plan, value, estimate)
        if form in {"array", "map"}:
            return self.compute_cost(plan.content, value)
        if form == "entry":
            return self.compute_cost(plan.content, next(iter(value.values())))
        pairs = zip(plan.items, value, strict=False) if form == "tuple" else ()
        return _sum_costs(estimate, (self.compute_cost(item, entry) for item, entry in pairs))

    def _compute_object_cost(self, plan: MessagePlan, value: dict[str, Any], estimate: int) -> int | None:
        costs = (
            self.compute_cost(plan.properties[name], entry)
            for name, entry in value.items()
            if name in plan.properties and entry is not None
        )
        total = _sum_costs(estimate, costs)
        if total is None or (plan.rest_field is None and not plan.spreads):
            return total
        others = {name: entry for name, entry in value.items() if name not in plan.properties}
        self.keep_alive(others)
        for item, subset in self.split_spreads(plan, others, value):
            cost = self.compute_cost(item, subset)
            if cost is None:
                return None
            # The keys that a subset misses may stand elsewhere in the whole object.
            total += cost % MISSING
            others = {name: entry for name, entry in others.items() if name not in subset}
        if plan.rest_field is not None and others and plan.rest_field.label is Label.MAP:
            return _sum_costs(total, (self._compute_element_cost(plan.rest_field, entry) for entry in others.values()))
        return total

    def split_spreads(
        self, plan: MessagePlan, others: dict[str, Any], whole: dict[str, Any]
    ) -> list[tuple[FieldPlan, dict[str, Any]]]:
        """Return the spread fields that take keys of an object, each with its subset of the object.

        `others` is the part of the object `whole` without the properties of the message.
        """
        subsets = []
        for group in plan.spreads:
            choice = self._choose_spread(group, others, whole)
            if choice is not None:
                subsets.append(choice)
                others = {name: entry for name, entry in others.items() if name not in choice[1]}
        return subsets

    def _choose_spread(
        self, group: list[FieldPlan], others: dict[str, Any], whole: dict[str, Any]
    ) -> tuple[FieldPlan, dict[str, Any]] | None:
        """Return the field of one oneof that takes keys of an object best, with its subset; None if none takes any."""
        best: tuple[tuple[Any, ...], FieldPlan, dict[str, Any]] | None = None
        for item in group:
            keys = others if item.plan.is_open else item.plan.known_keys
            subset = others if keys is others else {name: others[name] for name in others if name in keys}
            is_tagged = has_tag(item, whole)
            if not subset and not is_tagged:
                continue
            self.keep_alive(subset)
            cost = self.compute_cost(item, subset)
            missing = len(item.plan.required_keys - whole.keys())
            key = (not is_tagged, cost is None, missing, -len(subset), (cost or 0) % MISSING, item.rank, item.number)
            if best is None or key < best[0]:
                best = key, item, subset
        return (best[1], best[2]) if best else None


def has_tag(item: FieldPlan, value: dict[str, Any]) -> bool:
    """Return whether an object has a property value that identifies a variant."""
    tags = item.options.tags
    return any(type(value.get(name)) is str and value[name] in texts for name, texts in tags.items())


def _filter_by_tag(fits: list[_Fit], value: Any) -> list[_Fit]:
    if type(value) is not dict:
        return []
    return [fit for fit in fits if fit[1].options.tags and has_tag(fit[1], value)]


def _get_preference(fit: _Fit) -> tuple[int, tuple[int, int, int], int]:
    cost, item = fit
    return cost, item.rank, item.number


def _sum_costs(total: int, costs: Iterable[int | None]) -> int | None:
    """Return the sum of the costs and `total`; None if an inner value does not fit."""
    for cost in costs:
        if cost is None:
            return None
        total += cost
    return total
