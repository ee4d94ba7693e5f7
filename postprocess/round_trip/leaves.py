"""Count the leaves of JSON values that travel in typed or in dynamic fields, as the encoded messages show.

A leaf is a string, a number, a boolean or null. It is dynamic if it ends in a field for any value or in the bytes of a
document. That is right only where the specification declares no type.
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
    """Counters of leaves in fields of their type (`typed`), and of dynamic leaves by field, as `Message.field`."""

    def __init__(self, wrappers: frozenset[str] = frozenset()) -> None:
        self.typed = 0
        self.dynamic: Counter[str] = Counter()
        self.wrappers = wrappers

    @property
    def total(self) -> int:
        """The number of all leaves."""
        return self.typed + self.dynamic.total()

    def count(self, message: Any, plan: MessagePlan, within: str = "") -> None:
        """Count the leaves of one message; `within` is the field around it, if the message is a wrapper."""
        for field, value in message.ListFields():
            item = plan.fields.get(field.number)
            if item is None:
                continue
            site = within or f"{plan.short}.{item.name}"
            for element in _list_values(field, value):
                self._count_value(element, item, site)

    def _count_value(self, value: Any, item: FieldPlan, site: str) -> None:
        if item.options.coding == "document":
            self.dynamic[site] += _count_json(json.loads(value))
        elif item.kind != "message" or item.message is None:
            self.typed += 1
        elif item.message.form == "any":
            self.dynamic[site] += _count_any(value)
        else:
            self.count(value, item.message, site if item.message.name in self.wrappers else "")

    def count_typed_dynamic(self, open_fields: Iterable[str]) -> dict[str, int]:
        """Count by field the dynamic leaves of all but `open_fields`, for which the specification declares no type."""
        untyped = set(open_fields)
        return {site: number for site, number in sorted(self.dynamic.items()) if number and site not in untyped}

    def report_diagnostics(self, open_fields: Iterable[str]) -> Iterator[Diagnostic]:
        """Report each field that carries leaves of a declared type as any value."""
        for site, number in self.count_typed_dynamic(open_fields).items():
            text = f"{number} values of a declared type travel in `{site}`, which accepts any value"
            yield Diagnostic("coverage/dynamic", text, Place(pointer=site), HINT)


def _list_values(field: Any, value: Any) -> Iterable[Any]:
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return list(value.values())
    return list(value) if field.is_repeated else [value]


def _count_any(message: Any) -> int:
    """Count the leaves of a message that holds any JSON value."""
    return sum(
        _count_any(element) if hasattr(element, "ListFields") else 1
        for field, value in message.ListFields()
        for element in _list_values(field, value)
    )


def _count_json(value: Any) -> int:
    if isinstance(value, dict | list):
        return sum(map(_count_json, value.values() if isinstance(value, dict) else value))
    return 1
