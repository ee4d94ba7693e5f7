"""Create sample values of each message for the round trip, from the plans of the codec.

Samples are few, small, and equal in each build. The first is the minimal value of the message. The others have every
property, and each property takes its own samples in turn: boundaries, nulls, empty and single lists, all variants, all
notations. A nested message gets its minimal value, because it is tried on its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any
from zlib import crc32

from spec2proto_codec.plans.build import Plans
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan

ROUNDS = 3
"""The number of values with every property for each message."""
MAX_VALUES = 48
"""The largest number of values for a union or a list."""
NO_VALUE: Any = object()
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
        self._minimal: dict[str, Any] = {}
        waiting = list(plans.messages.values())
        for _ in range(_DEPTH):
            values = {plan.name: self._find_minimal(plan) for plan in waiting}
            self._minimal |= {name: value for name, value in values.items() if value is not NO_VALUE}
            endless = [plan for plan in waiting if values[plan.name] is NO_VALUE]
            if len(endless) == len(waiting):
                break
            waiting = endless

    def get_minimal(self, plan: MessagePlan) -> Any:
        """Return the minimal value of a message; NO_VALUE if every value would be infinite."""
        return self._minimal.get(plan.name, NO_VALUE)

    def sample_message(self, plan: MessagePlan) -> Iterator[Any]:
        """Yield the sample values of a message."""
        if plan.form == "object":
            return self._sample_objects(plan)
        return islice(self._sample_others(plan), MAX_VALUES)

    def _find_minimal(self, plan: MessagePlan) -> Any:
        if plan.form == "object":
            members = {
                name: self._take_first(item) for name, item in plan.properties.items() if name in plan.required_keys
            }
            return NO_VALUE if any(value is NO_VALUE for value in members.values()) else members
        return next(iter(self._sample_others(plan)), NO_VALUE)

    def _take_first(self, item: FieldPlan) -> Any:
        if item.label is Label.LIST:
            return []
        return {} if item.label is Label.MAP else next(iter(self._sample_item(item)), NO_VALUE)

    def _sample_others(self, plan: MessagePlan) -> Iterator[Any]:
        form = plan.form
        if form == "union":
            variants = sorted(plan.variants, key=lambda item: (item.kind == "message", item.number))
            yield from chain.from_iterable(self.sample_field(item) for item in variants)
        elif form in {"array", "map"}:
            yield from self.sample_field(plan.content)
        elif form == "entry":
            yield from ({"a": value} for value in self.sample_field(plan.content))
        elif form == "tuple":
            yield from self._sample_tuples(plan)
        elif form == "lines":
            yield from ([value] for item in plan.variants[:1] for value in self._sample_item(item))
        elif form == "number":
            yield from (*_SCALARS["int64"], *_SCALARS["uint64"], *_SCALARS["double"])
        elif form == "any":
            wanted = {"entries": dict, "items": list}.get(plan.content.role if plan.content_field else "", object)
            yield from (value for value in _ANYTHING if isinstance(value, wanted))

    def _sample_tuples(self, plan: MessagePlan) -> Iterator[Any]:
        for at in range(ROUNDS):
            positions = [_take_in_turn(list(self.sample_field(item)), at) for item in plan.items]
            if NO_VALUE not in positions:
                further = list(self.sample_field(plan.content)) if plan.content_field is not None else [[]]
                more = _take_in_turn(further, at)
                yield positions + (more if type(more) is list else [more])

    def sample_field(self, item: FieldPlan) -> Iterator[Any]:
        """Yield the sample values of a field."""
        if item.takes_null or item.options.nullable:
            yield None
        if item.label is Label.ONE:
            yield from self._sample_item(item)
            return
        items = list(self._sample_item(item))
        if item.label is Label.MAP:
            yield {str(at): value for at, value in enumerate(items[:2])}
            yield {}
            return
        lines = item.kind == "message" and item.plan.form == "lines"
        yield list(chain.from_iterable(items[:2])) if lines else items[:2]
        yield []
        if item.options.single:
            yield from (value for value in items if type(value) is not list)
        elif not lines:
            yield from ([value] for value in items[2:])

    def _sample_item(self, item: FieldPlan) -> Iterator[Any]:
        if item.kind == "message":
            yield from self._sample_nested(item)
        elif item.kind == "enum":
            yield from item.texts.numbers
        elif item.kind == "bytes" or item.options.coding == "number":
            yield from _CODINGS[item.options.coding]
        else:
            yield from _SCALARS[item.kind]
            if item.options.quoted:
                yield from ("true", "false") if item.kind == "bool" else ("5", "0")

    def _sample_nested(self, item: FieldPlan) -> Iterator[Any]:
        values = [self.get_minimal(item.plan)] if item.plan.name in self._minimal else []
        values = [tagged for value in values if (tagged := _add_tag(item, value)) is not NO_VALUE]
        if item.options.shorthand:
            shorthand = item.plan.properties[item.options.shorthand]
            values += [value for value in self.sample_field(shorthand) if type(value) is not dict and value is not None]
        yield from ({"a": value} for value in values) if item.options.entry else values

    def _sample_objects(self, plan: MessagePlan) -> Iterator[Any]:
        minimal = self.get_minimal(plan)
        if minimal is NO_VALUE:
            return
        yield minimal
        columns = {name: list(self.sample_field(item)) for name, item in plan.properties.items()}
        groups = [[(item, value) for item in group for value in self._sample_parts(item)] for group in plan.spreads]
        further = self.sample_field(plan.rest_field) if plan.rest_field is not None else ()
        additional = [value for value in further if type(value) is dict and value]
        longest = max((len(group) for group in groups), default=0)
        for at in range(max(min(ROUNDS, max(map(len, columns.values()), default=0)), longest, bool(additional))):
            yield self._build_object(plan, columns, groups, additional, at)

    def _build_object(
        self,
        plan: MessagePlan,
        columns: dict[str, list[Any]],
        groups: list[list[tuple[FieldPlan, Any]]],
        additional: list[Any],
        at: int,
    ) -> dict[str, Any]:
        members: dict[str, Any] = {}
        oneofs: dict[str, list[str]] = {}
        for name, item in plan.properties.items():
            if item.oneof:
                oneofs.setdefault(item.oneof, []).append(name)
            elif columns[name]:
                members[name] = _take_in_turn(columns[name], at + crc32(name.encode()))
        for names in oneofs.values():
            name = _take_in_turn(names, at)
            if columns[name]:
                members[name] = _take_in_turn(columns[name], at)
        for group in groups:
            if group:
                item, part = _take_in_turn(group, at)
                members = {**part, **members} if item.oneof not in oneofs else members
        return members | {
            f"{name} of the rest": value
            for name, value in (additional[at % len(additional)] if additional else {}).items()
        }

    def _sample_parts(self, item: FieldPlan) -> Iterator[Any]:
        """Yield what a variant adds to the object around it: its minimal value, and one with all properties."""
        plan = item.plan
        whole = {
            name: value for name, field in plan.properties.items() if (value := self._take_first(field)) is not NO_VALUE
        }
        single = all(not field.oneof for field in plan.properties.values())
        values = [self.get_minimal(plan), *([whole] if plan.form == "object" and single else [])]
        tagged = (_add_tag(item, value) for value in values if type(value) is dict)
        yield from (value for value in tagged if value is not NO_VALUE)


def _take_in_turn(values: list[Any], at: int) -> Any:
    """Return one of the values, another one for each round; NO_VALUE if the list is empty."""
    return values[at % len(values)] if values else NO_VALUE


def list_tag_values(item: FieldPlan, name: str) -> list[str]:
    """List the values of a tag property that identify a variant and that its own schema allows."""
    tag = item.plan.properties.get(name) if item.kind == "message" else None
    allowed = tag.texts.numbers if tag is not None and tag.kind == "enum" and tag.label is Label.ONE else None
    return sorted(text for text in item.options.tags[name] if allowed is None or text in allowed)


def _add_tag(item: FieldPlan, value: Any) -> Any:
    """Add the tag that identifies the variant to a value; return NO_VALUE if no tag value is allowed."""
    if type(value) is not dict or not item.options.tags:
        return value
    tags = {name: list_tag_values(item, name) for name in item.options.tags}
    return value | {name: texts[0] for name, texts in tags.items()} if all(tags.values()) else NO_VALUE
