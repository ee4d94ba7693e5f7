"""Typed or not: how each leaf of a JSON value travels, read off the message that the codec made of it.

A leaf is a text, a number, a boolean or null. It is dynamic where it ends in a field for anything, or in the bytes of a
document; this is right only where the spec declares no type.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from spec2proto_codec.plans.types import FieldPlan, MessagePlan

from pipeline.model.diagnostics import Diagnostic, Place

HINT = "report the missing conversion, or name a type with `x-protobuf-type` in an overlay"


class Leaves:
    """Counts leaves.

    Attributes:
        typed: how many travel in fields of their type.
        dynamic: how many do not, by the field that they are in, `Message.field`.
    """

    def __init__(self, wrappers: frozenset[str] = frozenset()) -> None:
        """Begin with none.

        Args:
            wrappers: full names of messages around lists and maps; what is in them is in the field that has them.
        """
        self.typed = 0
        self.dynamic: Counter[str] = Counter()
        self.wrappers = wrappers

    @property
    def total(self) -> int:
        """All leaves."""
        return self.typed + self.dynamic.total()

    def count(self, message: Any, plan: MessagePlan, within: str = "") -> None:
        """Count the leaves of one message.

        Args:
            message: of protobuf.
            plan: what the binding says of it.
            within: the field that has it, where it is but a wrapper.
        """
        for field, value in message.ListFields():
            item = plan.fields.get(field.number)
            if item is None:
                continue
            site = within or f"{plan.short}.{item.name}"
            for one in _each(field, value):
                self._one(one, item, site)

    def _one(self, value: Any, item: FieldPlan, site: str) -> None:
        if item.options.coding == "document":
            self.dynamic[site] += _of_json(json.loads(value))
        elif item.kind != "message" or item.message is None:
            self.typed += 1
        elif item.message.form == "any":
            self.dynamic[site] += _of_any(value)
        else:
            self.count(value, item.message, site if item.message.name in self.wrappers else "")

    def though_typed(self, open_fields: Iterable[str]) -> dict[str, int]:
        """The dynamic leaves in fields of which the spec declares a type: how many, by field.

        Args:
            open_fields: those of which it declares none.
        """
        known = set(open_fields)
        return {site: number for site, number in sorted(self.dynamic.items()) if number and site not in known}

    def diagnostics(self, open_fields: Iterable[str]) -> Iterator[Diagnostic]:
        """Each field that takes leaves of a declared type as anything."""
        for site, number in self.though_typed(open_fields).items():
            text = f"{number} values of a declared type travel in `{site}`, which takes anything"
            yield Diagnostic("coverage/dynamic", text, Place(pointer=site), HINT)


def _each(field: Any, value: Any) -> Iterable[Any]:
    """The values of a field: one, those of a list, those of a map."""
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return list(value.values())
    return list(value) if field.is_repeated else [value]


def _of_any(message: Any) -> int:
    """The leaves of a message that holds any JSON."""
    return sum(
        _of_any(one) if hasattr(one, "ListFields") else 1
        for field, value in message.ListFields()
        for one in _each(field, value)
    )


def _of_json(value: Any) -> int:
    if isinstance(value, dict | list):
        return sum(map(_of_json, value.values() if isinstance(value, dict) else value))
    return 1
