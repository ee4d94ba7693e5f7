"""Samples: values of a message for the check that all of them come back, made from what its schema became.

They are few, small, and the same in each build: the least value of the message, then values with every property, each
property with another of its samples from one to the next (boundaries, nulls, empty and single lists, all variants, all
spellings). What is inside the message of a property is its least value, as that message is tried on its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any
from zlib import crc32

from spec2proto_codec.plans.build import Plans
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan

ROUNDS = 3
"""How many values with every property are made of a message."""
MOST = 48
"""How many values are made of a union or a list."""
NONE: Any = object()
_DEPTH = 24
_SCALARS: dict[str, tuple[Any, ...]] = {
    "int32": (1, 0, -(2**31), 2**31 - 1),
    "int64": (2**53 + 1, 0, -(2**63), 2**63 - 1),
    "uint32": (1, 0, 2**32 - 1),
    "uint64": (2**53 + 1, 0, 2**64 - 1),
    "float": (0.1, 0.0, 3.4028235e38, -1e-45, 0.12345678901),
    "double": (0.1, 0.0, 1.7976931348623157e308, -5e-324, 16777217.0),
    "bool": (True, False),
    "string": ("a", "", "é\u2028\U0001f600", "1"),
}
_CODINGS: dict[str, tuple[Any, ...]] = {
    "document": ({"a": [1, 2.5, None, {"b": "é"}]}, {}),
    "base64": ("AP8=", ""),
    "base64url": ("AP8=", "_-8=", ""),
    "raw": ("a", ""),
    "number": (2**64, 0.1, 0),
    "": ("AP8=", ""),
}
_ANYTHING: tuple[Any, ...] = ({"a": [0, 0.5, None, {}]}, [], "", 2**63, True, None)


class Samples:
    """The samples of all messages of a contract."""

    def __init__(self, plans: Plans) -> None:
        """Find the least value of each message.

        Args:
            plans: of the contract.
        """
        self._plans = plans
        self._least: dict[str, Any] = {}
        waiting = list(plans.messages.values())
        for _ in range(_DEPTH):
            made = {plan.name: self._smallest(plan) for plan in waiting}
            self._least |= {name: value for name, value in made.items() if value is not NONE}
            left = [plan for plan in waiting if made[plan.name] is NONE]
            if len(left) == len(waiting):
                break
            waiting = left

    def least(self, plan: MessagePlan) -> Any:
        """The least value of a message; NONE where it has no end."""
        return self._least.get(plan.name, NONE)

    def of(self, plan: MessagePlan) -> Iterator[Any]:
        """The values to try of a message."""
        if plan.form == "object":
            return self._objects(plan)
        return islice(self._others(plan), MOST)

    def _smallest(self, plan: MessagePlan) -> Any:
        if plan.form == "object":
            found = {name: self._first(item) for name, item in plan.properties.items() if name in plan.required}
            return NONE if any(value is NONE for value in found.values()) else found
        return next(iter(self._others(plan)), NONE)

    def _first(self, item: FieldPlan) -> Any:
        """The least value of a field."""
        if item.label is Label.LIST:
            return []
        return {} if item.label is Label.MAP else next(iter(self._one(item)), NONE)

    def _others(self, plan: MessagePlan) -> Iterator[Any]:
        form = plan.form
        if form == "union":
            yield from chain.from_iterable(self.field(item) for item in sorted(plan.variants, key=_simple))
        elif form in {"array", "map"}:
            yield from self.field(plan.content)
        elif form == "entry":
            yield from ({"a": value} for value in self.field(plan.content))
        elif form == "tuple":
            yield from self._tuples(plan)
        elif form == "lines":
            yield from ([value] for item in plan.variants[:1] for value in self._one(item))
        elif form == "number":
            yield from (*_SCALARS["int64"], *_SCALARS["uint64"], *_SCALARS["double"])
        elif form == "any":
            wanted = {"entries": dict, "items": list}.get(plan.content.role if plan.held else "", object)
            yield from (value for value in _ANYTHING if isinstance(value, wanted))

    def _tuples(self, plan: MessagePlan) -> Iterator[Any]:
        for at in range(ROUNDS):
            found = [_turn(list(self.field(item)), at) for item in plan.items]
            if NONE not in found:
                further = list(self.field(plan.content)) if plan.held is not None else [[]]
                more = _turn(further, at)
                yield found + (more if type(more) is list else [more])

    def field(self, item: FieldPlan) -> Iterator[Any]:
        """The values of a field."""
        if item.takes_null or item.options.nullable:
            yield None
        if item.label is Label.ONE:
            yield from self._one(item)
            return
        found = list(self._one(item))
        if item.label is Label.MAP:
            yield {str(at): value for at, value in enumerate(found[:2])}
            yield {}
            return
        lines = item.kind == "message" and item.plan.form == "lines"
        yield list(chain.from_iterable(found[:2])) if lines else found[:2]
        yield []
        if item.options.single:
            yield from (value for value in found if type(value) is not list)
        elif not lines:
            yield from ([value] for value in found[2:])

    def _one(self, item: FieldPlan) -> Iterator[Any]:
        """The values of one item of a field."""
        if item.kind == "message":
            yield from self._in_message(item)
        elif item.kind == "enum":
            yield from item.texts.numbers
        elif item.kind == "bytes" or item.options.coding == "number":
            yield from _CODINGS[item.options.coding]
        else:
            yield from _SCALARS[item.kind]
            if item.options.quoted:
                yield from ("true", "false") if item.kind == "bool" else ("5", "0")

    def _in_message(self, item: FieldPlan) -> Iterator[Any]:
        values = [self.least(item.plan)] if item.plan.name in self._least else []
        values = [tagged for value in values if (tagged := _tagged(item, value)) is not NONE]
        if item.options.shorthand:
            alone = item.plan.properties[item.options.shorthand]
            values += [value for value in self.field(alone) if type(value) is not dict and value is not None]
        yield from ({"a": value} for value in values) if item.options.entry else values

    def _objects(self, plan: MessagePlan) -> Iterator[Any]:
        least = self.least(plan)
        if least is NONE:
            return
        yield least
        columns = {name: list(self.field(item)) for name, item in plan.properties.items()}
        groups = [[(item, value) for item in group for value in self._parts(item)] for group in plan.spreads]
        rest = [value for value in self._rest(plan) if type(value) is dict and value]
        longest = max((len(group) for group in groups), default=0)
        for at in range(max(min(ROUNDS, _most(columns)), longest, bool(rest))):
            yield self._whole(plan, columns, groups, rest, at)

    def _whole(
        self,
        plan: MessagePlan,
        columns: dict[str, list[Any]],
        groups: list[list[tuple[FieldPlan, Any]]],
        rest: list[Any],
        at: int,
    ) -> dict[str, Any]:
        found: dict[str, Any] = {}
        held: dict[str, list[str]] = {}
        for name, item in plan.properties.items():
            if item.oneof:
                held.setdefault(item.oneof, []).append(name)
            elif columns[name]:
                found[name] = _turn(columns[name], at + crc32(name.encode()))
        for names in held.values():
            name = _turn(names, at)
            if columns[name]:
                found[name] = _turn(columns[name], at)
        for group in groups:
            if group:
                item, part = _turn(group, at)
                found = {**part, **found} if item.oneof not in held else found
        return found | {f"{name} of the rest": value for name, value in (rest[at % len(rest)] if rest else {}).items()}

    def _parts(self, item: FieldPlan) -> Iterator[Any]:
        """What a variant adds to the object that it is a part of: its least value, and one with all properties."""
        plan = item.plan
        whole = {name: value for name, field in plan.properties.items() if (value := self._first(field)) is not NONE}
        single = all(not field.oneof for field in plan.properties.values())
        values = [self.least(plan), *([whole] if plan.form == "object" and single else [])]
        made = (_tagged(item, value) for value in values if type(value) is dict)
        yield from (value for value in made if value is not NONE)

    def _rest(self, plan: MessagePlan) -> Iterator[Any]:
        if plan.rest is not None:
            yield from self.field(plan.rest)


def _simple(item: FieldPlan) -> tuple[bool, int]:
    return item.kind == "message", item.number


def _turn(values: list[Any], at: int) -> Any:
    """One of the values, another each time; NONE where there is none."""
    return values[at % len(values)] if values else NONE


def _most(columns: dict[str, list[Any]]) -> int:
    return max(map(len, columns.values()), default=0)


def told_by(item: FieldPlan, name: str) -> list[str]:
    """The values of a property that tell a variant from others, less those that the property itself does not allow."""
    own = item.plan.properties.get(name) if item.kind == "message" else None
    allowed = own.texts.numbers if own is not None and own.kind == "enum" and own.label is Label.ONE else None
    return sorted(text for text in item.options.tags[name] if allowed is None or text in allowed)


def _tagged(item: FieldPlan, value: Any) -> Any:
    """The value with the property by which the variant is known; NONE where no value of it is allowed."""
    if type(value) is not dict or not item.options.tags:
        return value
    told = {name: told_by(item, name) for name in item.options.tags}
    return value | {name: texts[0] for name, texts in told.items()} if all(told.values()) else NONE
