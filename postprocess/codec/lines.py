"""Groups of lines: an action, its update and its document, one after the other in JSON lines, are one message.

A group begins with a line that its first typed variant takes. A further line belongs to the group when a variant that
the group does not have yet takes it, unless it says by its keys that it begins the next group. Documents take any line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from postprocess.codec.errors import CodecError, shown
from postprocess.codec.model import FieldPlan, MessagePlan
from postprocess.codec.shallow import UNKNOWN

if TYPE_CHECKING:
    from postprocess.codec.encode import Encoder


def _takes_any(item: FieldPlan) -> bool:
    return item.coding == "document" or (item.kind == "message" and item.plan.form == "any")


def order(plan: MessagePlan) -> list[FieldPlan]:
    """The variants in the order of their lines: the typed ones by their numbers, then what takes any line."""
    return sorted(plan.variants, key=lambda item: (_takes_any(item), item.number))


def fill(encoder: Encoder, target: Any, plan: MessagePlan, values: list[Any]) -> None:
    """Add the groups of a list of lines.

    Raises:
        CodecError: a line that no variant takes.
    """
    variants = order(plan)
    group: list[FieldPlan] = []
    message: Any = None
    for index, value in enumerate(values):
        begins = _exact(encoder, variants[0], value)
        item = None if message is None else _next(encoder, variants, group, value, begins=begins)
        if item is None:
            message, group = target.add(), []
            item = variants[0] if begins else encoder.chooser.one(variants, value)
        group.append(item)
        _put(encoder, message, item, value, index)


def fill_one(encoder: Encoder, message: Any, plan: MessagePlan, values: Any) -> bytes:
    """Put the lines of one group, a list, into its message."""
    if type(values) is not list:
        raise CodecError(f"expected a list of lines, found {shown(values)}")
    variants = order(plan)
    group: list[FieldPlan] = []
    for index, value in enumerate(values):
        begins = _exact(encoder, variants[0], value)
        if group:
            item = _next(encoder, variants, group, value, begins=begins)
        else:
            item = variants[0] if begins else encoder.chooser.one(variants, value)
        if item is None:
            raise CodecError("the line belongs to no group", index)
        group.append(item)
        _put(encoder, message, item, value, index)
    return b""


def _put(encoder: Encoder, message: Any, item: FieldPlan, value: Any, index: int) -> None:
    try:
        records = encoder.put(message, item, value)
    except CodecError as error:
        raise error.at(index) from None
    if records:
        raise CodecError("a line cannot be null", index)


def _next(
    encoder: Encoder, variants: list[FieldPlan], group: list[FieldPlan], value: Any, *, begins: bool
) -> FieldPlan | None:
    """The variant of the group that a further line is; None where it begins the next group."""
    at = max(variants.index(item) for item in group)
    left = variants[at + 1 :]
    if not left or (value and begins):
        return None
    typed = [item for item in left if not _takes_any(item) and _exact(encoder, item, value)]
    free = [item for item in left if _takes_any(item)]
    found = [*typed, *free] if value else [*free, *typed]
    return found[0] if found else None


def _exact(encoder: Encoder, item: FieldPlan, value: Any) -> bool:
    """Whether a variant takes a line with all its keys."""
    plan = item.message
    if plan is not None and type(value) is dict and not (plan.open or item.entry or value.keys() <= plan.known):
        return False
    cost = encoder.chooser.cost(item, value)
    return cost is not None and cost < UNKNOWN


def flat(plan: MessagePlan, groups: list[dict[int, Any]]) -> list[Any]:
    """The lines of groups, one after the other; each group has its lines by the numbers of their fields."""
    variants = order(plan)
    return [group[item.number] for group in groups for item in variants if item.number in group]
