"""Determine the outcome of each constraint of the specification: what expresses it, or why nothing does.

`pipeline.model.keywords` says which keywords can be expressed at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from pipeline.model.contract import JsonForm, Label
from pipeline.model.keywords import Outcome, get_keyword
from pipeline.model.schema_facts import Constraint, ScopeFacts
from postprocess.coverage.option_outcomes import get_option_outcome, index_constraint_keys
from preprocess.constraints.bounds import RANGES
from preprocess.constraints.plan import OptionPlan
from preprocess.trace.carriers import ALIVE, CONTAINERS, NULL_ENUM, Carrier
from preprocess.trace.contract_index import ContractIndex
from preprocess.trace.message_index import MessageIndex
from preprocess.trace.normalized_constraints import ConstraintKey
from preprocess.trace.union_fields import VARIANT_ROLES
from preprocess.trace.walk import Trace

FREE_FORM = "the field takes any value"
EXCLUDED = "the schema that has the constraint is excluded"
UNMARKED = "the binding does not mark a shorthand variant inside a list or map"
_FORMAT_TYPES = dict.fromkeys(("byte", "base64", "base64url", "binary"), "bytes")


class ConstraintOutcome(NamedTuple):
    """What expresses one constraint; the reason if nothing does, or not for all the fields that it is about."""

    constraint: Constraint
    outcome: Outcome
    reason: str = ""
    carriers: tuple[Carrier, ...] = ()


def list_constraint_outcomes(
    declared: ScopeFacts, trace: Trace, plan: OptionPlan | None
) -> Iterator[ConstraintOutcome]:
    """Yield the outcome of every constraint in scope; without a plan the profile disables protovalidate options."""
    resolver = _OutcomeResolver(trace.index, plan)
    for node in declared.nodes:
        carriers = trace.carriers.get(node, [])
        if node.enum_strings and carriers:
            yield resolver.resolve(Constraint("enum", node.enum_strings, node.place), carriers, None)
        keys = index_constraint_keys(node) if plan is not None else {}
        for constraint in node.constraints:
            yield resolver.resolve(constraint, carriers, keys.get(constraint.keyword))
    for constraint in declared.constraints:
        yield ConstraintOutcome(constraint, Outcome.NOT_EXPRESSIBLE, get_keyword(constraint.keyword).reason)
    for gap in trace.unmarked_shorthands:
        constraint = Constraint("oneOf", gap.node.title, gap.node.place)
        yield ConstraintOutcome(constraint, Outcome.NOT_EXPRESSIBLE, UNMARKED)


class _OutcomeResolver:
    def __init__(self, index: ContractIndex, plan: OptionPlan | None) -> None:
        self.index = index
        self.plan = plan
        self.checks: dict[str, Callable[[Constraint, Carrier], bool]] = {
            "required": self.is_required,
            "enum": self.is_enum,
            "nullable": self.has_null,
            "format": self.is_format,
            "contentEncoding": self.is_bytes,
            "minimum": self.is_range_end,
            "maximum": self.is_range_end,
            "additionalProperties": self.is_closed,
            "unevaluatedProperties": self.is_closed,
            "minProperties": self.is_single_property,
            "maxProperties": self.is_single_property,
            "discriminator": self.is_oneof,
        }

    def resolve(self, constraint: Constraint, carriers: list[Carrier], key: ConstraintKey | None) -> ConstraintOutcome:
        """Return the outcome of a constraint of a schema; `key` is that of the normalized constraint, if any."""
        alive = tuple(carrier for carrier in carriers if carrier.state in ALIVE)
        reason = get_keyword(constraint.keyword).reason
        if not alive and carriers:
            return ConstraintOutcome(constraint, Outcome.EXCLUDED, EXCLUDED)
        if not alive:
            return ConstraintOutcome(constraint, Outcome.NOT_EXPRESSIBLE, reason)
        options = [get_option_outcome(self.plan, constraint, each, key) if self.plan else "" for each in alive]
        outcome = self.merge_options(constraint, alive, options)
        if outcome is not Outcome.NOT_EXPRESSIBLE:
            return ConstraintOutcome(constraint, outcome, carriers=alive)
        if all(carrier.is_dynamic or carrier.in_free_form for carrier in alive):
            reason = FREE_FORM
        else:
            reason = min((each for each in options if each and not isinstance(each, Outcome)), default=reason)
        return ConstraintOutcome(constraint, Outcome.PARTLY if Outcome.OPTION in options else outcome, reason, alive)

    def merge_options(
        self, constraint: Constraint, alive: tuple[Carrier, ...], options: list[Outcome | str]
    ) -> Outcome:
        """Return what expresses a constraint for all carriers: options, else types, else both, else the binding."""
        if all(option is Outcome.OPTION for option in options):
            return Outcome.OPTION
        check = self.checks.get(constraint.keyword)
        expressed = [check is not None and check(constraint, carrier) for carrier in alive]
        if all(by_type or isinstance(option, Outcome) for by_type, option in zip(expressed, options, strict=True)):
            return Outcome.OPTION if Outcome.OPTION in options else Outcome.EXPRESSED
        if constraint.keyword == "nullable" and all(self.can_be_null(constraint, carrier) for carrier in alive):
            return Outcome.CARRIED
        return Outcome.NOT_EXPRESSIBLE

    def get_message(self, carrier: Carrier) -> MessageIndex | None:
        """Return the message of a single value; None for lists, maps, scalars and enums."""
        return self.index.messages.get(carrier.type) if carrier.label not in CONTAINERS else None

    def is_required(self, constraint: Constraint, carrier: Carrier) -> bool:
        """Return whether a field always has a value: it has no presence and is no member of a oneof."""
        if constraint.value is True:
            return carrier.label is Label.SINGULAR and not carrier.in_oneof
        message = self.get_message(carrier)
        item = message.properties.get(constraint.value) if message is not None else None
        return item is not None and item.label is Label.SINGULAR and item.oneof is None

    def is_enum(self, _: Constraint, carrier: Carrier) -> bool:
        return carrier.type in self.index.enums

    def can_be_null(self, constraint: Constraint, carrier: Carrier) -> bool:
        """Return whether the proto or the binding allows null."""
        return (carrier.encoding.is_nullable and not carrier.path) or self.has_null(constraint, carrier)

    def has_null(self, _: Constraint, carrier: Carrier) -> bool:
        if carrier.is_beside_null:
            return True
        message = self.get_message(carrier)
        if message is not None and message.definition.form in {JsonForm.UNION, JsonForm.ANY}:
            return any(item.type == NULL_ENUM for item in message.definition.fields)
        return carrier.label not in CONTAINERS and None in self.index.enums.get(carrier.type, {})

    def is_format(self, constraint: Constraint, carrier: Carrier) -> bool:
        """Return whether the type is the scalar that the format names."""
        return bool(carrier.type == _FORMAT_TYPES.get(constraint.value, constraint.value))

    def is_bytes(self, _: Constraint, carrier: Carrier) -> bool:
        """Return whether the type is `bytes`, which stands for an encoded string."""
        return carrier.type == "bytes"

    def is_range_end(self, constraint: Constraint, carrier: Carrier) -> bool:
        """Return whether the bound is the end of the type's range."""
        ends = RANGES.get(carrier.type)
        return ends is not None and constraint.value == ends[constraint.keyword == "maximum"]

    def is_closed(self, constraint: Constraint, carrier: Carrier) -> bool:
        """Return whether undeclared keys are forbidden and the message has no field for them."""
        message = self.get_message(carrier)
        is_closed = message is not None and message.additional is None
        return constraint.value is False and not carrier.is_dynamic and is_closed

    def is_single_property(self, constraint: Constraint, carrier: Carrier) -> bool:
        """Return whether the bound is one, and the type is a map entry or has its properties in a oneof."""
        if constraint.value != 1 or carrier.label in CONTAINERS:
            return False
        message = self.get_message(carrier)
        properties = message.properties.values() if message and constraint.keyword == "maxProperties" else ()
        return carrier.encoding.is_entry or any(item.oneof for item in properties)

    def is_oneof(self, _: Constraint, carrier: Carrier) -> bool:
        message = self.get_message(carrier)
        fields = message.definition.fields if message is not None else ()
        return any(item.oneof and item.role in VARIANT_ROLES for item in fields)
