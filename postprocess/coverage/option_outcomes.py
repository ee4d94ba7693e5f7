"""What the options of protovalidate say of one constraint at one field."""

from __future__ import annotations

from pipeline.model.contract import Label
from pipeline.model.keywords import Outcome
from pipeline.model.schema_facts import Constraint, SchemaFacts
from preprocess.constraints.plan import VARIES, WRAPPED, OptionPlan
from preprocess.constraints.targets import MANY
from preprocess.trace.carriers import Carrier
from preprocess.trace.normalized_constraints import Kind, normalize_constraints

DemandKey = tuple[Kind, str]
EMPTY = "an empty list or map is as good as none in protobuf"
NULL = "what may be null may be unset"
IN_ONEOF = "another field of the oneof may be set"
NOT_ALWAYS = "not every form or message requires it, or a part may stand for the whole"
_OF_OBJECTS = {Kind.MIN_PROPERTIES, Kind.MAX_PROPERTIES}


def demand_keys(node: SchemaFacts) -> dict[str, DemandKey]:
    """The keys of the demands that a schema itself makes, by the keywords behind them."""
    return {
        constraint.keyword: demand.key for demand in normalize_constraints(node) for constraint in demand.constraints
    }


def told_of(plan: OptionPlan, constraint: Constraint, carrier: Carrier, key: DemandKey | None) -> Outcome | str:
    """Whether an option says a constraint for the values of one carrier, the type meets it, or why neither does.

    Args:
        plan: the options.
        constraint: the constraint.
        carrier: of the values.
        key: of the demand that the constraint makes; None for one that makes none.
    """
    if constraint.keyword == "required":
        return _required(plan, constraint, carrier)
    if constraint.keyword == "enum" and key is None:
        return _closed(plan, carrier)
    return _demanded(plan, carrier, key) if key is not None else ""


def _demanded(plan: OptionPlan, carrier: Carrier, key: DemandKey) -> Outcome | str:
    """What became of a demand on values; of an object it is told for its message."""
    whole = carrier.label not in MANY and not carrier.encoding.is_entry and key[0] in _OF_OBJECTS
    said = plan.said.get(carrier.type if whole else (carrier.full_name, carrier.path))
    if said is None:
        return WRAPPED
    if key in said.by:
        return Outcome.OPTION
    if key in said.expressed:
        return Outcome.EXPRESSED
    return said.reasons.get(key, VARIES)


def _required(plan: OptionPlan, constraint: Constraint, carrier: Carrier) -> Outcome | str:
    """A parameter or body is the field itself; of an object the field is one of its message."""
    if constraint.value is True:
        message, _, name = carrier.full_name.rpartition(".")
        item = plan.item(message, name)
    else:
        message = carrier.type if carrier.label not in MANY else ""
        item = plan.of_property(message, constraint.value)
    if item is None:
        return WRAPPED
    if plan.fields.get((message, item.name), {}).get("required") is True:
        return Outcome.OPTION
    if item.label in MANY:
        return EMPTY
    if item.oneof is not None:
        return IN_ONEOF
    return NULL if item.encoding.is_nullable else NOT_ALWAYS if item.label is Label.OPTIONAL else ""


def _closed(plan: OptionPlan, carrier: Carrier) -> Outcome | str:
    """The values of an enum are those of the proto and no others."""
    message, _, name = carrier.full_name.rpartition(".")
    prefix = {(): "", ("items",): "repeated.items.", ("values",): "map.values."}.get(carrier.path)
    found = plan.fields.get((message, name), {})
    return Outcome.OPTION if prefix is not None and found.get(f"{prefix}enum.defined_only") is True else ""
