"""Encode groups of NDJSON lines: an action, its update and its document in successive lines become one message.

A group begins with a line that has the keys of its first typed variant, at each level. A number in place of a string,
as in `{"index": {"_id": 1}}`, does not change that; a note keeps the number. Any other line joins the group if a
variant takes it that the group does not have yet; otherwise it begins the next group. Documents take any line, and
the codec copies them byte by byte.
"""

from __future__ import annotations

from typing import Any

from spec2proto_codec.encode.protocol import ValueEncoder
from spec2proto_codec.encode.variant_cost import UNKNOWN
from spec2proto_codec.errors import CodecError, describe
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan

_MAX_DEPTH = 16


def fill_groups(encoder: ValueEncoder, target: Any, plan: MessagePlan, values: list[Any]) -> None:
    """Put a list of lines into a repeated field of group messages."""
    groups = _GroupEncoder(encoder, plan)
    last = len(groups.variants)
    message: Any = None
    for index, value in enumerate(values):
        item = groups.choose_next(last, value)
        if item is None:
            message, item = target.add(), groups.choose_first(value)
        last = groups.put_line(message, item, value, index)


def fill_group(encoder: ValueEncoder, message: Any, plan: MessagePlan, values: Any) -> bytes:
    """Put the lines of one group into its message; return no note records."""
    if type(values) is not list:
        raise CodecError(f"expected a list of lines, found {describe(values)}")
    groups = _GroupEncoder(encoder, plan)
    last: int | None = None
    for index, value in enumerate(values):
        item = groups.choose_first(value) if last is None else groups.choose_next(last, value)
        if item is None:
            raise CodecError("the line belongs to no group", index)
        last = groups.put_line(message, item, value, index)
    return b""


class _GroupEncoder:
    """Assigns lines to `variants`, those of the group messages in the order of their lines."""

    def __init__(self, encoder: ValueEncoder, plan: MessagePlan) -> None:
        self.variants = plan.variants
        self._encoder = encoder
        self._indexes = {item.number: index for index, item in enumerate(self.variants)}
        self._documents = [item for item in self.variants if item.takes_any_line]

    def choose_next(self, last: int, value: Any) -> FieldPlan | None:
        """Return the variant of a line that follows the variant `last`; None if the line begins the next group."""
        following = self.variants[last + 1 :]
        if not following or (value and self._is_group_start(value)):
            return None
        document = next((item for item in following if item in self._documents), None)
        if document is not None and not value:
            return document
        typed = (item for item in following if item not in self._documents and self._is_match(item, value))
        return next(typed, document)

    def choose_first(self, value: Any) -> FieldPlan:
        return self.variants[0] if self._is_group_start(value) else self._encoder.chooser.choose(self.variants, value)

    def _is_group_start(self, value: Any) -> bool:
        """Return whether a line has the keys of the first variant."""
        item = self.variants[0]
        plan = item.message
        if plan is None or plan.form != "object" or plan.is_open or item.options.entry:
            return self._is_match(item, value)
        return type(value) is dict and _has_keys(plan, value)

    def _is_match(self, item: FieldPlan, value: Any) -> bool:
        """Return whether a variant takes a line without unknown keys."""
        plan = item.message
        is_closed = plan is not None and not plan.is_open and not item.options.entry
        if plan is not None and is_closed and type(value) is dict and not value.keys() <= plan.known_keys:
            return False
        cost = self._encoder.chooser.compute_cost(item, value)
        return cost is not None and cost < UNKNOWN

    def put_line(self, message: Any, item: FieldPlan, value: Any, index: int) -> int:
        """Put a line into its variant, or copy its source into a document; return the index of the variant."""
        source = self._encoder.sources.get(id(value)) if item.options.coding == "document" else None
        if source is not None:
            setattr(message, item.name, source)
            return self._indexes[item.number]
        try:
            used = self._put_typed(message, item, value)
        except CodecError as error:
            raise error.add_step(index) from None
        return self._indexes[used.number]

    def _put_typed(self, message: Any, item: FieldPlan, value: Any) -> FieldPlan:
        """Put a line into its variant; return the variant used.

        A line that only looks like the first variant is tried with numbers in place of strings, then as a document.
        """
        try:
            self._put(message, item, value)
        except CodecError:
            if item is not self.variants[0]:
                raise
            message.ClearField(item.name)
            self._encoder.loose = True
            try:
                self._put(message, item, value)
            except CodecError:
                if not self._documents:
                    raise
                message.ClearField(item.name)
                item = self._documents[0]
                self._put(message, item, value)
            finally:
                self._encoder.loose = False
        return item

    def _put(self, message: Any, item: FieldPlan, value: Any) -> None:
        if self._encoder.put(message, item, value):
            raise CodecError("a line cannot be null")


def _has_keys(plan: MessagePlan, value: dict[str, Any], depth: int = 0) -> bool:
    """Return whether an object has only keys of a message and all required ones, at each level."""
    if (
        not (plan.is_open or value.keys() <= plan.known_keys)
        or not plan.required_keys <= value.keys()
        or depth > _MAX_DEPTH
    ):
        return False
    for name, entry in value.items():
        if type(entry) is dict:
            item = plan.properties.get(name)
            inner = item.message if item is not None and item.label is Label.ONE and not item.options.entry else None
            if inner is not None and inner.form == "object" and not _has_keys(inner, entry, depth + 1):
                return False
    return True
