"""Groups of lines: an action, its update and its document, one after the other in JSON lines, are one message.

A group begins with a line that has the keys of its first typed variant, at each level; a number in place of a text, as
in `{"index": {"_id": 1}}`, does not make it another, and is noted. A further line belongs to the group when a variant
that the group does not have yet takes it, unless it says by its keys that it begins the next group. Documents take any
line, and are carried byte by byte.
"""

from __future__ import annotations

from typing import Any

from spec2proto_codec.encode.protocol import ValueEncoder
from spec2proto_codec.encode.variant_cost import UNKNOWN
from spec2proto_codec.errors import CodecError, shown
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan

_EVEN_SO = 16


class _Groups:
    """The groups of a list of lines, one message each."""

    def __init__(self, encoder: ValueEncoder, plan: MessagePlan) -> None:
        self.encoder = encoder
        self.variants = plan.variants
        self.places = {item.number: at for at, item in enumerate(self.variants)}
        self.free = [item for item in self.variants if item.takes_any_line]

    def next(self, last: int, value: Any) -> FieldPlan | None:
        """The variant that a line is in its group, of which `last` was there; None where it begins the next one."""
        left = self.variants[last + 1 :]
        if not left or (value and self.begins(value)):
            return None
        free = [item for item in left if item in self.free]
        if free and not value:
            return free[0]
        typed = (item for item in left if item not in self.free and self.exact(item, value))
        return next(typed, free[0] if free else None)

    def first(self, value: Any) -> FieldPlan:
        """The variant that the first line of a group is."""
        return self.variants[0] if self.begins(value) else self.encoder.chooser.choose(self.variants, value)

    def begins(self, value: Any) -> bool:
        """Whether a line is the first variant of a group."""
        item = self.variants[0]
        plan = item.message
        if plan is None or plan.form != "object" or plan.open or item.options.entry:
            return self.exact(item, value)
        return type(value) is dict and _has_keys(plan, value)

    def exact(self, item: FieldPlan, value: Any) -> bool:
        """Whether a variant takes a line with all its keys."""
        plan = item.message
        if (
            plan is not None
            and type(value) is dict
            and not (plan.open or item.options.entry or value.keys() <= plan.known)
        ):
            return False
        cost = self.encoder.chooser.compute_cost(item, value)
        return cost is not None and cost < UNKNOWN

    def put(self, message: Any, item: FieldPlan, value: Any, index: int) -> int:
        """Put a line into its variant; returns the place of the variant."""
        source = self.encoder.sources.get(id(value)) if item.options.coding == "document" else None
        if source is not None:
            setattr(message, item.name, source)
            return self.places[item.number]
        try:
            found = self.taken(message, item, value)
        except CodecError as error:
            raise error.at(index) from None
        return self.places[found.number]

    def taken(self, message: Any, item: FieldPlan, value: Any) -> FieldPlan:
        """Put a line into its variant, or into one that takes anything where it only looked like the first one."""
        try:
            self.set(message, item, value)
        except CodecError:
            if item is not self.variants[0]:
                raise
            message.ClearField(item.name)
            self.encoder.loose = True
            try:
                self.set(message, item, value)
            except CodecError:
                if not self.free:
                    raise
                message.ClearField(item.name)
                item = self.free[0]
                self.set(message, item, value)
            finally:
                self.encoder.loose = False
        return item

    def set(self, message: Any, item: FieldPlan, value: Any) -> None:
        if self.encoder.put(message, item, value):
            raise CodecError("a line cannot be null")


def _has_keys(plan: MessagePlan, value: dict[str, Any], depth: int = 0) -> bool:
    """Whether an object has no keys but those of a message, and all that must be there, at each level."""
    if not (plan.open or value.keys() <= plan.known) or not plan.required <= value.keys() or depth > _EVEN_SO:
        return False
    for name, entry in value.items():
        if type(entry) is dict:
            item = plan.properties.get(name)
            inner = item.message if item is not None and item.label is Label.ONE and not item.options.entry else None
            if inner is not None and inner.form == "object" and not _has_keys(inner, entry, depth + 1):
                return False
    return True


def fill(encoder: ValueEncoder, target: Any, plan: MessagePlan, values: list[Any]) -> None:
    """Add the groups of a list of lines.

    Raises:
        CodecError: a line that no variant takes.
    """
    groups = _Groups(encoder, plan)
    last = len(groups.variants)
    message: Any = None
    for index, value in enumerate(values):
        item = groups.next(last, value)
        if item is None:
            message, item = target.add(), groups.first(value)
        last = groups.put(message, item, value, index)


def fill_one(encoder: ValueEncoder, message: Any, plan: MessagePlan, values: Any) -> bytes:
    """Put the lines of one group, a list, into its message."""
    if type(values) is not list:
        raise CodecError(f"expected a list of lines, found {shown(values)}")
    groups = _Groups(encoder, plan)
    last: int | None = None
    for index, value in enumerate(values):
        item = groups.first(value) if last is None else groups.next(last, value)
        if item is None:
            raise CodecError("the line belongs to no group", index)
        last = groups.put(message, item, value, index)
    return b""
