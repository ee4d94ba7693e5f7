"""Which options of protovalidate the fields, oneofs and messages of a contract get, read off the spec side by side.

An option is given only where all values that the schema of a field allows are still allowed; the audit lists the rest.
Sources: buf/validate/validate.proto; protobuf guide, field presence.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pipeline.model.contract import SCALARS, Contract, Field, JsonForm, JsonRole, Label, Message
from pipeline.model.json_encoding import StringFormat
from pipeline.model.schema_facts import ScopeFacts
from preprocess.constraints.ambiguity import DOUBT, Doubt
from preprocess.constraints.bounds import FLOATS, RANGES, ByKind, bounded, bounded_any, listed, multiples
from preprocess.constraints.containers import entries, items
from preprocess.constraints.messages import of_message
from preprocess.constraints.outcome import Said
from preprocess.constraints.strings import enum, text
from preprocess.constraints.targets import MANY, Slot, SlotKey, Slots, by_kind
from preprocess.trace.analysis import TraceAnalysis
from preprocess.trace.carriers import Carrier
from preprocess.trace.contract_index import ContractIndex
from preprocess.trace.effective_constraints import Constraints
from preprocess.trace.message_index import MessageIndex

RULE_REQUIRED = "validate-required"
RULE_ENUM = "validate-enum"
WRAPPED = "it is inside a message of its own, which other fields use as well"
VARIES = "not all values of the field are restricted so"
NO_RULE = "protovalidate has no rule for it"
_INSIDE = {(): "", ("items",): "repeated.items.", ("values",): "map.values."}
NUMBER = "GeneralNumber"
IGNORE = "IGNORE_IF_ZERO_VALUE"
# The roles of fields without presence that are always there.
_PRESENT = frozenset({JsonRole.KEY, JsonRole.VALUE, JsonRole.EXISTS})


@dataclass(slots=True)
class OptionPlan:
    """The options.

    Attributes:
        fields: by message and field, path within `FieldRules` → value.
        rules: the ids of the conversion rules behind these, by message and field, or by message.
        messages: by message, path within `MessageRules` → value.
        oneofs: message and oneof of those of which a member must be set.
        slots: what is demanded where.
        views: the messages by what their fields stand for.
        said: what became of it, by slot, or by message.
    """

    slots: Slots
    views: dict[str, MessageIndex]
    fields: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    rules: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    messages: dict[str, dict[str, Any]] = field(default_factory=dict)
    oneofs: set[tuple[str, str]] = field(default_factory=set)
    said: dict[SlotKey | str, Said] = field(default_factory=dict)

    def item(self, message: str, name: str) -> Field | None:
        """A live field by its name."""
        view = self.views.get(message)
        return next((item for item in view.live if item.name == name), None) if view is not None else None

    def of_property(self, message: str, name: str) -> Field | None:
        """The field of a property."""
        view = self.views.get(message)
        return view.properties.get(name) if view is not None else None


def plan_options(declared: ScopeFacts, contract: Contract, analysis: TraceAnalysis) -> OptionPlan:
    """The options of a whole contract.

    Args:
        declared: what the spec declares.
        contract: numbered.
        analysis: the trace of the specification through the contract.
    """
    contents = analysis.index
    plan = OptionPlan(Slots(declared, analysis.trace), contents.messages)
    made = _Planner(contract, contents, plan)
    for name, view in contents.messages.items():
        if not view.message.schema.is_shared:
            for item in view.live:
                made.field(name, item)
            made.message(view.message, view.live)
    return plan


class _Planner:
    def __init__(self, contract: Contract, contents: ContractIndex, plan: OptionPlan) -> None:
        self.contract = contract
        self.contents = contents
        self.plan = plan
        self.short = _shorthands(contract)
        self.doubt = Doubt(contents)

    def field(self, message: str, item: Field) -> None:
        """The options of one field: of its value, of the items and values inside, of its being there."""
        found: dict[str, Any] = {}
        rules: set[str] = set()
        for inside, prefix in _INSIDE.items():
            key = (f"{message}.{item.name}", inside)
            slot = self.plan.slots.by_key.get(key)
            if slot is not None:
                said = self.plan.said[key] = self.of_slot(slot, message, item, inside)
                found |= {prefix + path: value for path, value in said.rules.items()}
                rules |= set(said.by.values())
        self.closed(item, found, rules)
        if self.is_required(message, item):
            found["required"] = True
            rules.add(RULE_REQUIRED)
        if found and self.may_be_unset(message, item, found):
            found["ignore"] = IGNORE
        if found:
            self.plan.fields[message, item.name] = found
            self.plan.rules[message, item.name] = rules

    def closed(self, item: Field, found: dict[str, Any], rules: set[str]) -> None:
        """An enum has the values that the spec lists, and no others."""
        enum = self.contract.enums.get(item.type)
        if enum is not None and not enum.schema.is_shared:
            prefix = {Label.REPEATED: "repeated.items.", Label.MAP: "map.values."}.get(item.label, "")
            found[f"{prefix}enum.defined_only"] = True
            rules.add(RULE_ENUM)

    def is_required(self, message: str, item: Field) -> bool:
        """Whether a field must be set; one without presence is always there, and zero is a value of it.

        A line of a body is one kind of line, whatever else a vendor extension says of the variant.
        """
        if not self.must_be(message, item) or item.label in MANY or item.oneof is not None:
            return False
        if self.short.get(message, item.json_name) != item.json_name:
            return False
        return item.label is Label.OPTIONAL or item.type not in SCALARS

    def must_be(self, message: str, item: Field) -> bool:
        """Whether JSON must have what a field stands for; a body whose properties are the request's may be left out."""
        inline = self.contract.messages[message].form is JsonForm.REQUEST and item.role is JsonRole.PROPERTY
        variant = item.role in {JsonRole.VARIANT, JsonRole.SPREAD}
        return item.encoding.is_required and not inline and not variant

    def may_be_unset(self, message: str, item: Field, found: dict[str, Any]) -> bool:
        """Whether an empty list, an empty map or a zero may stand for what is not there, and would be refused."""
        if self.must_be(message, item):
            return False
        if item.label in MANY:
            return bool({"repeated.min_items", "map.min_pairs"} & set(found))
        plain = item.label is Label.SINGULAR and item.oneof is None and item.role not in _PRESENT
        return plain and item.type not in self.contract.messages and set(found) != {"enum.defined_only"}

    def of_slot(self, slot: Slot, message: str, item: Field, inside: tuple[str, ...]) -> Said:
        """What is said of the values of a field, or of one item or value inside; nothing of those in doubt."""
        said = Said()
        if not slot.holds:
            return said
        if not all(_is_direct(carrier, item, inside) for carrier in slot.carriers):
            said.refuse(slot.holds.values(), WRAPPED)
        elif self.doubt.of_variant(message, item) or self.doubt.of_property(message, item):
            said.refuse(slot.holds.values(), DOUBT)
        else:
            self.say(by_kind(slot.holds), slot.carriers[0], said)
        left = [demand for key, demand in slot.holds.items() if not said.knows(key)]
        said.refuse(left, NO_RULE)
        return said

    def say(self, wanted: ByKind, carrier: Carrier, said: Said) -> None:
        """What is demanded, in the rules for the type that carries it."""
        kind = self.contract.enums.get(carrier.type)
        if carrier.label is Label.REPEATED:
            items(wanted, carrier.type, carrier.encoding, kind, said)
        elif carrier.label is Label.MAP:
            entries(wanted, self.of_reference, said)
        elif carrier.type in RANGES or carrier.type in FLOATS:
            bounded(wanted, carrier.type, said)
            multiples(wanted, carrier.type, said)
            listed(wanted, carrier.type, said)
        elif carrier.type == "bool":
            listed(wanted, "bool", said)
        elif carrier.type == NUMBER:
            bounded_any(wanted, said)
        elif carrier.type == "string" and carrier.encoding.string_format is not StringFormat.NUMBER:
            text(wanted, said)
        elif kind is not None:
            enum(wanted, [each for value in kind.values for each in value.json if each is not None], said)

    def of_reference(self, reference: str) -> Constraints:
        """What a component schema demands."""
        holding = self.plan.slots.holding
        found = holding.schemas.get(reference.rpartition("/")[2].replace("~1", "/").replace("~0", "~"))
        return holding.get_constraints(found) if found is not None else {}

    def message(self, message: Message, live: list[Field]) -> None:
        """The options of a message and of its oneofs."""
        said = self.plan.said[message.name] = Said()
        holds = self.plan.slots.of_messages.get(message.name, {})
        if self.doubt.of_message(message.name):
            said.refuse(holds.values(), DOUBT)
            return
        oneof = of_message(by_kind(holds), message, live, said)
        if oneof is not None:
            self.plan.oneofs.add((message.name, oneof))
        if said.rules:
            self.plan.messages[message.name] = said.rules
        if said.by:
            self.plan.rules[message.name, ""] = set(said.by.values())


def _shorthands(contract: Contract) -> dict[str, str]:
    """The property that may be all there is of a message, by its name."""
    return {
        item.type: item.encoding.shorthand
        for message in contract.messages.values()
        for item in message.fields
        if item.encoding.shorthand
    }


def _is_direct(carrier: Carrier, item: Field, inside: tuple[str, ...]) -> bool:
    """Whether the field itself carries the value, with no message between."""
    label = {"items": Label.REPEATED, "values": Label.MAP}.get("".join(inside))
    if label is not None:
        return item.label is label and carrier.type == item.type and carrier.label not in MANY
    return carrier.type == item.type and carrier.label is item.label
