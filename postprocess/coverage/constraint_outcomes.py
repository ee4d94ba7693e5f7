"""Constraints: what became of each keyword at each place; which can be expressed at all says `pipeline.model.keywords`.

An account names the fields that the constraint is about, so that options can be put on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from pipeline.model.contract import JsonForm, JsonRole, Label
from pipeline.model.keywords import Outcome, get_keyword
from pipeline.model.schema_facts import Constraint, ScopeFacts
from postprocess.coverage.option_outcomes import DemandKey, demand_keys, told_of
from preprocess.constraints.plan import OptionPlan
from preprocess.trace.carriers import ALIVE, NULL_ENUM, Carrier
from preprocess.trace.contract_index import ContractIndex
from preprocess.trace.message_index import MessageIndex
from preprocess.trace.walk import Trace

FREE = "the field takes anything"
LEFT_OUT = "what it stands in is left out"
SHORT = "inside a list or map the binding does not tell that a part may stand for the whole"
_FORMATS = dict.fromkeys(("byte", "base64", "base64url", "binary"), "bytes")
_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1), "uint32": (0, 2**32 - 1)}
_RANGES["uint64"] = (0, 2**64 - 1)
_MANY = frozenset({Label.REPEATED, Label.MAP})


class Account(NamedTuple):
    """What became of one constraint.

    Attributes:
        constraint: the keyword with its value and place.
        outcome: where it is said now.
        reason: why it is said nowhere, or not of all its fields; empty where it is.
        carriers: the fields that it is about.
    """

    constraint: Constraint
    outcome: Outcome
    reason: str = ""
    carriers: tuple[Carrier, ...] = ()


def accounts(
    declared: ScopeFacts, walked: Trace, contents: ContractIndex, plan: OptionPlan | None
) -> Iterator[Account]:
    """An account of every constraint in scope.

    Args:
        declared: what the spec declares.
        walked: with the carriers of each schema.
        contents: the contract as it was compiled.
        plan: the options of protovalidate, where the profile wants them.
    """
    judge = _Judge(contents, plan)
    for node in declared.nodes:
        listed = walked.carriers.get(node, [])
        if node.enum_strings and listed:
            yield judge.account(Constraint("enum", node.enum_strings, node.place), listed, None)
        told = demand_keys(node) if plan is not None else {}
        for constraint in node.constraints:
            yield judge.account(constraint, listed, told.get(constraint.keyword))
    for constraint in declared.constraints:
        yield _inexpressible(constraint, get_keyword(constraint.keyword).reason)
    for gap in walked.unmarked_shorthands:
        yield _inexpressible(Constraint("oneOf", gap.node.title, gap.node.place), SHORT)


def _inexpressible(constraint: Constraint, reason: str, carriers: tuple[Carrier, ...] = ()) -> Account:
    return Account(constraint, Outcome.NOT_EXPRESSIBLE, reason, carriers)


def _never(_: Constraint, __: Carrier) -> bool:
    """Of a keyword that no proto ever says."""
    return False


class _Judge:
    """Judges constraints by the fields that they are about."""

    def __init__(self, contents: ContractIndex, plan: OptionPlan | None) -> None:
        self.contents = contents
        self.plan = plan
        self.tests: dict[str, Callable[[Constraint, Carrier], bool]] = {
            "required": self.required,
            "enum": self.enum,
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

    def account(self, constraint: Constraint, listed: list[Carrier], key: DemandKey | None) -> Account:
        """What became of one constraint of a schema that these carry; `key` is that of the demand it makes."""
        alive = tuple(carrier for carrier in listed if carrier.state in ALIVE)
        if listed and not alive:
            return Account(constraint, Outcome.EXCLUDED, LEFT_OUT)
        if not alive:
            return _inexpressible(constraint, get_keyword(constraint.keyword).reason)
        told = [told_of(self.plan, constraint, carrier, key) if self.plan else "" for carrier in alive]
        outcome = self.outcome(constraint, alive, told)
        if outcome is not Outcome.NOT_EXPRESSIBLE:
            return Account(constraint, outcome, carriers=alive)
        why = [each for each in told if each and not isinstance(each, Outcome)]
        reason = min(why, default=get_keyword(constraint.keyword).reason)
        if all(carrier.is_dynamic or carrier.in_free_form for carrier in alive):
            reason = FREE
        return Account(constraint, Outcome.PARTLY if Outcome.OPTION in told else outcome, reason, alive)

    def outcome(self, constraint: Constraint, alive: tuple[Carrier, ...], told: list[Outcome | str]) -> Outcome:
        """What says a constraint of all its fields: options, else types, else both, else the binding."""
        if all(each is Outcome.OPTION for each in told):
            return Outcome.OPTION
        test = self.tests.get(constraint.keyword, _never)
        met = [test(constraint, carrier) for carrier in alive]
        if all(said or isinstance(each, Outcome) for said, each in zip(met, told, strict=True)):
            return Outcome.OPTION if Outcome.OPTION in told else Outcome.EXPRESSED
        if constraint.keyword == "nullable" and all(self.null(constraint, carrier) for carrier in alive):
            return Outcome.CARRIED
        return Outcome.NOT_EXPRESSIBLE

    def view(self, carrier: Carrier) -> MessageIndex | None:
        """The message of one value; None for a list, a map and what is no message."""
        return self.contents.messages.get(carrier.type) if carrier.label not in _MANY else None

    def required(self, constraint: Constraint, carrier: Carrier) -> bool:
        """A field without presence must be there; one of a oneof need not, nor has a list or map to."""
        if constraint.value is True:
            return carrier.label is Label.SINGULAR and not carrier.in_oneof
        view = self.view(carrier)
        item = view.properties.get(constraint.value) if view is not None else None
        return item is not None and item.label is Label.SINGULAR and item.oneof is None

    def enum(self, _: Constraint, carrier: Carrier) -> bool:
        """An enum, whose values stand for the texts."""
        return carrier.type in self.contents.enums

    def null(self, constraint: Constraint, carrier: Carrier) -> bool:
        """Whether the proto or the binding say that null may stand here."""
        return (carrier.encoding.is_nullable and not carrier.path) or self.nullable(constraint, carrier)

    def nullable(self, _: Constraint, carrier: Carrier) -> bool:
        """A type that has null among its values."""
        if carrier.is_beside_null:
            return True
        view = self.view(carrier)
        if view is not None and view.message.form in {JsonForm.UNION, JsonForm.ANY}:
            return any(item.type == NULL_ENUM for item in view.message.fields)
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
        return constraint.value is False and not carrier.is_dynamic and view is not None and view.additional is None

    def size(self, constraint: Constraint, carrier: Carrier) -> bool:
        """One key and its value, or at most one property."""
        if constraint.value != 1 or carrier.label in _MANY:
            return False
        view = self.view(carrier)
        properties = view.properties.values() if view is not None and constraint.keyword == "maxProperties" else ()
        return carrier.encoding.is_entry or any(item.oneof for item in properties)

    def discriminator(self, _: Constraint, carrier: Carrier) -> bool:
        """A oneof of the variants."""
        view = self.view(carrier)
        roles = {JsonRole.VARIANT, JsonRole.SPREAD}
        return view is not None and any(item.oneof and item.role in roles for item in view.message.fields)
