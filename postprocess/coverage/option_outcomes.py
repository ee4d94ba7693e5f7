"""Look up what the protovalidate options of one field express of one constraint."""

from __future__ import annotations

from pipeline.model.contract import Label
from pipeline.model.keywords import Outcome
from pipeline.model.schema_facts import Constraint, SchemaFacts
from preprocess.constraints.plan import PREFIXES, VARIES, WRAPPED, OptionPlan
from preprocess.trace.carriers import CONTAINERS, Carrier
from preprocess.trace.normalized_constraints import ConstraintKey, Kind, normalize_constraints

EMPTY = "protobuf does not distinguish an empty list or map from an absent one"
NULL = "a value that may be null may be unset"
IN_ONEOF = "another field of the oneof may be set"
NOT_ALWAYS = "not every operation or message requires it, or a shorthand may stand for the whole object"
_OBJECT_KINDS = {Kind.MIN_PROPERTIES, Kind.MAX_PROPERTIES}


def index_constraint_keys(node: SchemaFacts) -> dict[str, ConstraintKey]:
    """Return by keyword the keys of the normalized constraints of a schema."""
    return {
        each.keyword: normalized.key for normalized in normalize_constraints(node) for each in normalized.constraints
    }


def get_option_outcome(
    plan: OptionPlan, constraint: Constraint, carrier: Carrier, key: ConstraintKey | None
) -> Outcome | str:
    """Return `OPTION` or `EXPRESSED` if an option or the type expresses a constraint, otherwise the reason.

    The key is that of the normalized constraint; None if the keyword does not constrain the value itself.
    """
    if constraint.keyword == "required":
        return _get_presence_outcome(plan, constraint, carrier)
    if constraint.keyword == "enum" and key is None:
        return _get_enum_outcome(plan, carrier)
    return _get_value_outcome(plan, carrier, key) if key is not None else ""


def _get_value_outcome(plan: OptionPlan, carrier: Carrier, key: ConstraintKey) -> Outcome | str:
    """Return the outcome of a constraint on values; a constraint on an object is an option of its message."""
    is_object = not carrier.is_container and key[0] in _OBJECT_KINDS
    outcome = plan.outcomes.get(carrier.type if is_object else (carrier.full_name, carrier.path))
    if outcome is None:
        return WRAPPED
    if key in outcome.conversion_rules:
        return Outcome.OPTION
    if key in outcome.implied:
        return Outcome.EXPRESSED
    return outcome.reasons.get(key, VARIES)


def _get_presence_outcome(plan: OptionPlan, constraint: Constraint, carrier: Carrier) -> Outcome | str:
    """Return the outcome of `required` for a parameter or body (value True), or for a property of an object."""
    if constraint.value is True:
        message, _, name = carrier.full_name.rpartition(".")
        live = plan.index[message].live if message in plan.index else []
        item = next((item for item in live if item.name == name), None)
    else:
        message = carrier.type if carrier.label not in CONTAINERS else ""
        item = plan.index[message].properties.get(constraint.value) if message in plan.index else None
    if item is None:
        return WRAPPED
    if plan.fields.get((message, item.name), {}).get("required") is True:
        return Outcome.OPTION
    if item.label in CONTAINERS:
        return EMPTY
    if item.oneof is not None:
        return IN_ONEOF
    return NULL if item.encoding.is_nullable else NOT_ALWAYS if item.label is Label.OPTIONAL else ""


def _get_enum_outcome(plan: OptionPlan, carrier: Carrier) -> Outcome | str:
    """Return the outcome of `enum`: the rule `defined_only` refuses other values."""
    message, _, name = carrier.full_name.rpartition(".")
    prefix = PREFIXES.get(carrier.path)
    options = plan.fields.get((message, name), {})
    return Outcome.OPTION if prefix is not None and options.get(f"{prefix}enum.defined_only") is True else ""
