"""Translate the number of properties of an object into protovalidate rules on its message or oneof.

Protobuf does not distinguish null or an empty list from an absent value. A lower bound therefore cannot count
properties that may be either.
Sources: buf/validate/validate.proto (MessageRules, OneofRules); JSON Schema validation 2020-12, section 6.5; CEL,
reserved words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipeline.model.contract import SCALARS, Field, JsonForm, JsonRole, Label, Message, Rule
from preprocess.constraints.bounds import MAX_SIZE
from preprocess.constraints.outcome import NO_VALUE, CelRule, RuleOutcome
from preprocess.trace.carriers import CONTAINERS
from preprocess.trace.effective_constraints import ByKind
from preprocess.trace.normalized_constraints import Kind, NormalizedConstraint

RULE = Rule("validate-properties")
UNSEEN = "protobuf does not distinguish a property that is null or an empty list from an absent one"
RESERVED = "the name of a field is a reserved word of CEL"
OTHER_KEYS = "some properties are not fields of the message itself"
_RESERVED = re.compile(
    "as|break|const|continue|else|false|for|function|if|import|in|let|loop|namespace|null|package|return|true|var|void"
    "|while"
)


def translate_property_count(by_kind: ByKind, message: Message, live: list[Field], outcome: RuleOutcome) -> str | None:
    """Translate the bounds on the number of properties; return the oneof that must have a member set, if any."""
    required_oneof = None
    oneof = _find_common_oneof(live)
    for constraint in by_kind.get(Kind.MIN_PROPERTIES, ()):
        if constraint.value <= sum(item.encoding.is_required for item in live if item.role is JsonRole.PROPERTY):
            outcome.mark_implied([constraint])
        elif constraint.value == 1 and oneof and not any(_can_vanish(item) for item in live):
            outcome.conversion_rules[constraint.key], required_oneof = RULE, oneof
        else:
            _translate_count(constraint, message, live, outcome)
    for constraint in by_kind.get(Kind.MAX_PROPERTIES, ()):
        are_properties = all(item.role is JsonRole.PROPERTY for item in live)
        has_few = constraint.value >= len(live) and are_properties
        # A oneof may hold the properties of the one `allOf` member that has the constraint.
        is_oneof = constraint.value == 1 and any(item.oneof is not None and item.in_property_oneof for item in live)
        if has_few or is_oneof or (constraint.value >= 1 and oneof):
            outcome.mark_implied([constraint])
        else:
            _translate_count(constraint, message, live, outcome)
    return required_oneof


def _find_common_oneof(live: list[Field]) -> str | None:
    """Return the oneof that has all fields as members, if all are properties."""
    oneofs = {item.oneof for item in live}
    are_properties = all(item.role is JsonRole.PROPERTY for item in live)
    return oneofs.pop() if are_properties and len(oneofs) == 1 else None


def _can_vanish(item: Field) -> bool:
    """Return whether a property that JSON has may leave no trace in the message."""
    lacks_presence = item.label is Label.SINGULAR and item.oneof is None and item.type in SCALARS
    return item.label in CONTAINERS or item.encoding.is_nullable or (lacks_presence and not item.encoding.is_required)


def _translate_count(
    constraint: NormalizedConstraint, message: Message, live: list[Field], outcome: RuleOutcome
) -> None:
    is_lower = constraint.kind is Kind.MIN_PROPERTIES
    count = constraint.value
    if count > MAX_SIZE and is_lower:
        outcome.reject([constraint], NO_VALUE)
    elif count > MAX_SIZE:
        outcome.mark_implied([constraint])
    elif message.form is not JsonForm.OBJECT or any(
        item.role not in {JsonRole.PROPERTY, JsonRole.REST} for item in live
    ):
        outcome.reject([constraint], OTHER_KEYS)
    elif is_lower and any(_can_vanish(item) for item in live if item.role is JsonRole.PROPERTY):
        outcome.reject([constraint], UNSEEN)
    elif any(_RESERVED.fullmatch(item.name) for item in live):
        outcome.reject([constraint], RESERVED)
    elif is_lower and count == 1:
        expression = " || ".join(map(_format_presence, live))
        outcome.add_cel([constraint], RULE, CelRule("at_least_1_property", "must have a property", expression))
    else:
        words = f"at {'least' if is_lower else 'most'} {count} propert{'y' if count == 1 else 'ies'}"
        expression = f"{_format_sum(live)} {'>=' if is_lower else '<='} {count}"
        outcome.add_cel([constraint], RULE, CelRule(words.replace(" ", "_"), f"must have {words}", expression))


def _format_presence(item: Field) -> str:
    return f"has(this.{item.name})"


def _format_sum(live: Iterable[Field]) -> str:
    terms = []
    required = 0
    for item in live:
        if item.role is JsonRole.REST and item.label is Label.MAP:
            terms.append(f"this.{item.name}.size()")
        elif item.role is JsonRole.REST:
            terms.append(f"this.{item.name}.fields.size()")
        elif item.encoding.is_required:
            required += 1
        else:
            terms.append(f"({_format_presence(item)} ? 1 : 0)")
    return " + ".join([*([str(required)] if required else []), *terms])
