"""Constraints: what became of each keyword at each place; which can be expressed at all says `pipeline.model.keywords`.

An account names the fields that the constraint is about, so that options can be put on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pipeline.model.contract import JsonForm, JsonRole, Label
from pipeline.model.declared import Constraint, Declarations
from pipeline.model.keywords import Outcome, keyword
from postprocess.carriers import ALIVE, NULL, NULLED, Carrier, Contents
from postprocess.side_by_side import Walked
from postprocess.views import View

FREE = "the field takes anything"
LEFT_OUT = "what it stands in is left out"
SHORT = "inside a list or map the binding does not tell that a part may stand for the whole"
_FORMATS = dict.fromkeys(("byte", "base64", "base64url", "binary"), "bytes")
_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1), "uint32": (0, 2**32 - 1)}
_RANGES["uint64"] = (0, 2**64 - 1)
_MANY = frozenset({Label.REPEATED, Label.MAP})


@dataclass(frozen=True, slots=True)
class Account:
    """What became of one constraint.

    Attributes:
        constraint: the keyword with its value and place.
        outcome: where it is said now.
        reason: why neither proto nor binding say it; empty where one does.
        carriers: the fields that it is about.
    """

    constraint: Constraint
    outcome: Outcome
    reason: str = ""
    carriers: tuple[Carrier, ...] = ()


def accounts(declared: Declarations, walked: Walked, contents: Contents) -> Iterator[Account]:
    """An account of every constraint in scope."""
    judge = _Judge(contents)
    for node in declared.nodes:
        if node.constraints:
            listed = walked.carriers.get(node, [])
            yield from (judge.account(constraint, listed) for constraint in node.constraints)
    for constraint in declared.constraints:
        yield _inexpressible(constraint, keyword(constraint.keyword).reason)
    for gap in walked.untold:
        yield _inexpressible(Constraint("oneOf", gap.node.title, gap.node.place), SHORT)


def _inexpressible(constraint: Constraint, reason: str, carriers: tuple[Carrier, ...] = ()) -> Account:
    return Account(constraint, Outcome.NOT_EXPRESSIBLE, reason, carriers)


class _Judge:
    """Judges constraints by the fields that they are about."""

    def __init__(self, contents: Contents) -> None:
        self.contents = contents
        self.tests: dict[str, Callable[[Constraint, Carrier], bool]] = {
            "required": self.required,
            "nullable": self.nullable,
            "format": self.format,
            "contentEncoding": self.encoding,
            "minimum": self.bound,
            "maximum": self.bound,
            "additionalProperties": self.closed,
            "unevaluatedProperties": self.closed,
            "minProperties": self.size,
            "maxProperties": self.size,
            "discriminator": self.discriminator,
        }

    def account(self, constraint: Constraint, listed: list[Carrier]) -> Account:
        """What became of one constraint of a schema that these carry."""
        alive = tuple(carrier for carrier in listed if carrier.state in ALIVE)
        if listed and not alive:
            return Account(constraint, Outcome.EXCLUDED, LEFT_OUT)
        test = self.tests.get(constraint.keyword)
        if test is not None and alive and all(test(constraint, carrier) for carrier in alive):
            return Account(constraint, Outcome.EXPRESSED, carriers=alive)
        if constraint.keyword == "nullable" and alive and all(self.null(constraint, carrier) for carrier in alive):
            return Account(constraint, Outcome.CARRIED, carriers=alive)
        free = bool(alive) and all(carrier.dynamic or carrier.free for carrier in alive)
        return _inexpressible(constraint, FREE if free else keyword(constraint.keyword).reason, alive)

    def view(self, carrier: Carrier) -> View | None:
        """The message of one value; None for a list, a map and what is no message."""
        return self.contents.views.get(carrier.type) if carrier.label not in _MANY else None

    def required(self, constraint: Constraint, carrier: Carrier) -> bool:
        """A field without presence must be there; one of a oneof need not, nor has a list or map to."""
        if constraint.value is True:
            return carrier.label is Label.SINGULAR and not carrier.oneof
        view = self.view(carrier)
        item = view.by_name.get(constraint.value) if view is not None else None
        return item is not None and item.label is Label.SINGULAR and item.oneof is None

    def null(self, constraint: Constraint, carrier: Carrier) -> bool:
        """Whether the proto or the binding say that null may stand here."""
        return ("nullable" in carrier.options and not carrier.inside) or self.nullable(constraint, carrier)

    def nullable(self, _: Constraint, carrier: Carrier) -> bool:
        """A type that has null among its values."""
        if NULLED in carrier.options:
            return True
        view = self.view(carrier)
        if view is not None and view.message.form in {JsonForm.UNION, JsonForm.ANY}:
            return any(item.type == NULL for item in view.message.fields)
        return carrier.label not in _MANY and None in self.contents.enums.get(carrier.type, {})

    def format(self, constraint: Constraint, carrier: Carrier) -> bool:
        """A scalar of the format's own name."""
        return bool(carrier.type == _FORMATS.get(constraint.value, constraint.value))

    def encoding(self, _: Constraint, carrier: Carrier) -> bool:
        """Bytes in place of the text that stands for them."""
        return carrier.type == "bytes"

    def bound(self, constraint: Constraint, carrier: Carrier) -> bool:
        """A type whose range ends at the bound."""
        ends = _RANGES.get(carrier.type)
        return ends is not None and constraint.value == ends[constraint.keyword == "maximum"]

    def closed(self, constraint: Constraint, carrier: Carrier) -> bool:
        """A message without a field for further keys."""
        view = self.view(carrier)
        return constraint.value is False and not carrier.dynamic and view is not None and view.rest is None

    def size(self, constraint: Constraint, carrier: Carrier) -> bool:
        """One key and its value, or at most one property."""
        if constraint.value != 1 or carrier.label in _MANY:
            return False
        view = self.view(carrier)
        properties = view.by_name.values() if view is not None and constraint.keyword == "maxProperties" else ()
        return "entry" in carrier.options or any(item.oneof for item in properties)

    def discriminator(self, _: Constraint, carrier: Carrier) -> bool:
        """A oneof of the variants."""
        view = self.view(carrier)
        roles = {JsonRole.VARIANT, JsonRole.SPREAD}
        return view is not None and any(item.oneof and item.role in roles for item in view.message.fields)
