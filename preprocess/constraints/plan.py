"""Plan the protovalidate options of the fields, oneofs and messages of a contract.

A constraint becomes an option only if the option accepts every value that the schema accepts; the audit lists the other
constraints with a reason.
Sources: buf/validate/validate.proto; protobuf guide, field presence.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pipeline.model.contract import SCALARS, Contract, Field, JsonForm, JsonRole, Label, Message, Rule
from pipeline.model.json_encoding import StringFormat
from pipeline.model.schema_facts import ScopeFacts
from preprocess.constraints import bounds
from preprocess.constraints.ambiguity import AMBIGUOUS, VariantAmbiguity
from preprocess.constraints.containers import translate_list, translate_map
from preprocess.constraints.messages import translate_property_count
from preprocess.constraints.outcome import RuleOutcome
from preprocess.constraints.strings import translate_enum, translate_string
from preprocess.constraints.targets import Target, TargetKey, Targets
from preprocess.trace.carriers import CONTAINERS, Carrier
from preprocess.trace.effective_constraints import ByKind, Constraints, group_by_kind
from preprocess.trace.message_index import MessageIndex
from preprocess.trace.union_fields import VARIANT_ROLES
from preprocess.trace.walk import Trace

RULE_REQUIRED = Rule("validate-required")
RULE_ENUM = Rule("validate-enum")
WRAPPED = "the value stands in a message of its own, which other fields share"
VARIES = "the constraint does not apply to every value of the field"
NO_RULE = "protovalidate has no rule for it"
# The prefix of a rule, by the path from the field to the value.
PREFIXES = {(): "", ("items",): "repeated.items.", ("values",): "map.values."}
GENERAL_NUMBER = "GeneralNumber"
IGNORE = "IGNORE_IF_ZERO_VALUE"
# The roles of fields without presence that always have a value.
_ALWAYS_PRESENT = frozenset({JsonRole.KEY, JsonRole.VALUE, JsonRole.EXISTS})


@dataclass(slots=True)
class OptionPlan:
    """The protovalidate options of a contract.

    Attributes:
        targets: the fields, items and values with their constraints.
        index: the indexed messages, by name.
        fields: by message and field name, the rules by path within `FieldRules`.
        conversion_rules: by message and field name, the ids of the conversion rules; for a message the field is empty.
        messages: by message name, the rules by path within `MessageRules`.
        oneofs: the message and name of each oneof that must have a member set.
        outcomes: the outcome of the constraints, by target or message name.
    """

    targets: Targets
    index: dict[str, MessageIndex]
    fields: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    conversion_rules: dict[tuple[str, str], set[Rule]] = field(default_factory=dict)
    messages: dict[str, dict[str, Any]] = field(default_factory=dict)
    oneofs: set[tuple[str, str]] = field(default_factory=set)
    outcomes: dict[TargetKey | str, RuleOutcome] = field(default_factory=dict)


def plan_options(declared: ScopeFacts, contract: Contract, trace: Trace) -> OptionPlan:
    """Plan the options of a whole contract."""
    plan = OptionPlan(Targets(declared, trace), trace.index.messages)
    planner = _Planner(contract, plan, VariantAmbiguity(trace.index))
    for name, index in plan.index.items():
        if not index.definition.schema.is_shared:
            for item in index.live:
                planner.plan_field(name, item)
            planner.plan_message(index.definition, index.live)
    return plan


class _Planner:
    def __init__(self, contract: Contract, plan: OptionPlan, ambiguity: VariantAmbiguity) -> None:
        self.contract = contract
        self.plan = plan
        self.ambiguity = ambiguity
        self.shorthands = _index_shorthands(contract)

    def plan_field(self, message: str, item: Field) -> None:
        """Plan the options of one field: for its value, for the items or values inside, and for its presence."""
        options: dict[str, Any] = {}
        conversion_rules: set[Rule] = set()
        for path, prefix in PREFIXES.items():
            key = (f"{message}.{item.name}", path)
            target = self.plan.targets.by_key.get(key)
            if target is not None:
                outcome = self.plan.outcomes[key] = self.translate_target(target, message, item, path)
                options |= {prefix + rule: value for rule, value in outcome.rules.items()}
                conversion_rules |= set(outcome.conversion_rules.values())
        enum = self.contract.enums.get(item.type)
        if enum is not None and not enum.schema.is_shared:
            prefix = {Label.REPEATED: "repeated.items.", Label.MAP: "map.values."}.get(item.label, "")
            options[f"{prefix}enum.defined_only"] = True
            conversion_rules.add(RULE_ENUM)
        if self.is_required(message, item):
            options["required"] = True
            conversion_rules.add(RULE_REQUIRED)
        if options and self.can_be_unset(message, item, options):
            options["ignore"] = IGNORE
        if options:
            self.plan.fields[message, item.name] = options
            self.plan.conversion_rules[message, item.name] = conversion_rules

    def is_required(self, message: str, item: Field) -> bool:
        """Return whether a field must be set; a field without presence is always set, and zero is a value of it."""
        if not self.is_required_in_json(message, item) or item.label in CONTAINERS or item.oneof is not None:
            return False
        if self.shorthands.get(message, item.json_name) != item.json_name:
            return False
        return item.label is Label.OPTIONAL or item.type not in SCALARS

    def is_required_in_json(self, message: str, item: Field) -> bool:
        """Return whether the JSON object must have the key of a field.

        A request body spread over the request may be absent, so its properties are not required. Nor is a variant, even
        if a vendor extension says so: a line of a body is one kind of line.
        """
        is_inline = self.contract.messages[message].form is JsonForm.REQUEST and item.role is JsonRole.PROPERTY
        return item.encoding.is_required and not is_inline and item.role not in VARIANT_ROLES

    def can_be_unset(self, message: str, item: Field, options: dict[str, Any]) -> bool:
        """Return whether the rules would refuse an empty list, empty map or zero that stands for an absent value."""
        if self.is_required_in_json(message, item):
            return False
        if item.label in CONTAINERS:
            return bool({"repeated.min_items", "map.min_pairs"} & set(options))
        lacks_presence = item.label is Label.SINGULAR and item.oneof is None and item.role not in _ALWAYS_PRESENT
        return lacks_presence and item.type not in self.contract.messages and set(options) != {"enum.defined_only"}

    def translate_target(self, target: Target, message: str, item: Field, path: tuple[str, ...]) -> RuleOutcome:
        """Translate the constraints of a field, or of the items or values inside it."""
        outcome = RuleOutcome()
        constraints = target.constraints
        if not constraints:
            return outcome
        if not all(_is_direct(carrier, item, path) for carrier in target.carriers):
            outcome.reject(constraints.values(), WRAPPED)
        elif self.ambiguity.is_ambiguous_variant(message, item) or self.ambiguity.is_ambiguous_property(message, item):
            outcome.reject(constraints.values(), AMBIGUOUS)
        else:
            self.translate_value(group_by_kind(constraints), target.carriers[0], outcome)
        outcome.reject([each for key, each in constraints.items() if not outcome.has(key)], NO_RULE)
        return outcome

    def translate_value(self, by_kind: ByKind, carrier: Carrier, outcome: RuleOutcome) -> None:
        """Translate constraints with the rules for the type of their carrier."""
        enum = self.contract.enums.get(carrier.type)
        if carrier.label is Label.REPEATED:
            translate_list(by_kind, carrier, enum, outcome)
        elif carrier.label is Label.MAP:
            translate_map(by_kind, self.get_reference_constraints, outcome)
        elif carrier.type in bounds.RANGES or carrier.type in bounds.FLOATS:
            bounds.translate_number(by_kind, carrier.type, outcome)
        elif carrier.type == "bool":
            bounds.translate_listed_values(by_kind, "bool", outcome)
        elif carrier.type == GENERAL_NUMBER:
            bounds.translate_general_number_bounds(by_kind, outcome)
        elif carrier.type == "string" and carrier.encoding.string_format is not StringFormat.NUMBER:
            translate_string(by_kind, outcome)
        elif enum is not None:
            strings = [string for value in enum.values for string in value.json if string is not None]
            translate_enum(by_kind, strings, outcome)

    def get_reference_constraints(self, reference: str) -> Constraints:
        effective = self.plan.targets.effective
        schema = effective.schemas.get(reference.rpartition("/")[2].replace("~1", "/").replace("~0", "~"))
        return effective.get_constraints(schema) if schema is not None else {}

    def plan_message(self, message: Message, live: list[Field]) -> None:
        outcome = self.plan.outcomes[message.name] = RuleOutcome()
        constraints = self.plan.targets.message_constraints.get(message.name)
        if not constraints:
            return
        if self.ambiguity.is_ambiguous_message(message.name):
            outcome.reject(constraints.values(), AMBIGUOUS)
            return
        oneof = translate_property_count(group_by_kind(constraints), message, live, outcome)
        if oneof is not None:
            self.plan.oneofs.add((message.name, oneof))
        if outcome.rules:
            self.plan.messages[message.name] = outcome.rules
        if outcome.conversion_rules:
            self.plan.conversion_rules[message.name, ""] = set(outcome.conversion_rules.values())


def _index_shorthands(contract: Contract) -> dict[str, str]:
    """Return by message name the property whose value alone may stand for the object."""
    return {
        item.type: item.encoding.shorthand
        for message in contract.messages.values()
        for item in message.fields
        if item.encoding.shorthand
    }


def _is_direct(carrier: Carrier, item: Field, path: tuple[str, ...]) -> bool:
    """Return whether the field itself holds the value, without a message in between."""
    label = {"items": Label.REPEATED, "values": Label.MAP}.get("".join(path))
    if label is not None:
        return item.label is label and carrier.type == item.type and carrier.label not in CONTAINERS
    return carrier.type == item.type and carrier.label is item.label
