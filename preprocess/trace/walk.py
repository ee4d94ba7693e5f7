"""Walk the schemas of a specification and the messages of its contract together, from the entry points of each rpc.

The walk uses only the result of the conversion, not its code. Whatever a schema declares must have a place in each
message that its values travel in. The trace lists what has none, and the coverage check refuses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pipeline.model.contract import Contract, Field, JsonForm, JsonRole, Label
from pipeline.model.schema_facts import OperationFacts, SchemaFacts, ScopeFacts
from pipeline.model.source import BASE_VARIANT, SchemaKind
from preprocess.document.schema_facts import RULE_VENDOR_TYPE
from preprocess.trace.carriers import ALIVE, LOST, REPLACED, Carrier, CarrierState
from preprocess.trace.contract_index import ContractIndex
from preprocess.trace.effective_constraints import EffectiveConstraints
from preprocess.trace.entry_points import EntryPoints
from preprocess.trace.free_form import ITEMS, explain_free_form
from preprocess.trace.message_index import MessageIndex, PresentElements
from preprocess.trace.union_fields import UnionFields


@dataclass(frozen=True, slots=True)
class Gap:
    """A schema that the message or the field `full_name` cannot hold."""

    node: SchemaFacts
    full_name: str


@dataclass(slots=True)
class Trace:
    """The trace of a specification through its contract, restricted to the elements that the protos have.

    Attributes:
        carriers: by schema, the carriers of its values.
        missing: schemas without a carrier.
        untyped: schemas with a declared type whose carrier takes any value.
        unmarked_shorthands: shorthand variants inside lists and maps, which the binding does not mark.
        free_form_reasons: by `Message.field`, why the value of the field is free-form.
    """

    index: ContractIndex
    constraints: EffectiveConstraints
    carriers: dict[SchemaFacts, list[Carrier]] = field(default_factory=dict)
    missing: list[Gap] = field(default_factory=list)
    untyped: list[Gap] = field(default_factory=list)
    unmarked_shorthands: list[Gap] = field(default_factory=list)
    free_form_reasons: dict[str, str] = field(default_factory=dict)


def trace_schemas(declared: ScopeFacts, contract: Contract, present: PresentElements) -> Trace:
    """Trace every schema in scope to the fields of the contract, present in the protos, that carry its values."""
    walker = _Walker(declared, ContractIndex(contract, present))
    operations: dict[str, list[OperationFacts]] = {}
    for operation in declared.operations:
        operations.setdefault(operation.group, []).append(operation)
    for rpc in contract.rpcs:
        for operation in operations.get(rpc.group, []):
            for entry_point in walker.entry_points.list_all(operation, rpc):
                walker.push(entry_point.node, entry_point.carrier, entry_point.message)
    while walker.stack:
        walker.visit(*walker.stack.pop())
    return walker.trace


class _Walker:
    """Pairs each schema with its carriers, with a stack instead of recursion because schemas nest deeply."""

    def __init__(self, declared: ScopeFacts, index: ContractIndex) -> None:
        self.schemas = declared.schemas
        self.index = index
        self.trace = Trace(index, EffectiveConstraints(declared.schemas))
        self.resolved = self.trace.constraints.resolved
        self.unions = UnionFields(index, self.resolved)
        self.entry_points = EntryPoints(index, self.resolved)
        self.visited: set[tuple[SchemaFacts, Carrier]] = set()
        self.filled: set[tuple[SchemaFacts, str]] = set()
        self.stack: list[tuple[SchemaFacts, Carrier]] = []

    def push(self, node: SchemaFacts, carrier: Carrier | None, full_name: str = "") -> None:
        """Push a schema with its carrier; without a carrier, record that `full_name` does not hold it."""
        if carrier is None:
            self.push_missing(node, full_name)
        else:
            self.stack.append((node, carrier))

    def push_all(self, nodes: Iterable[SchemaFacts], carrier: Carrier) -> None:
        self.stack += [(node, carrier) for node in nodes]

    def push_missing(self, node: SchemaFacts, full_name: str, *, is_narrowed: bool = False) -> None:
        """Push a schema without a field: a rule excludes it, a narrower schema replaces it, or it is lost."""
        rule = self.index.exclusion_rules.get(node.place)
        if rule is not None:
            self.push(node, self.index.derive(LOST, state=CarrierState.EXCLUDED, rule=rule))
        elif is_narrowed:
            self.push(node, REPLACED)
        else:
            self.trace.missing.append(Gap(node, full_name))
            self.push(node, LOST)

    def visit(self, node: SchemaFacts, carrier: Carrier) -> None:
        """Record one carrier of a schema, and push the schemas inside it."""
        carrier = self.index.unwrap(carrier)
        if (node, carrier) in self.visited:
            return
        self.visited.add((node, carrier))
        if carrier.state in ALIVE and not self.unions.is_compatible(node, carrier):
            self.push_missing(node, carrier.full_name, is_narrowed=carrier.is_narrowed)
        elif self.is_single_item(node, carrier):
            self.push(node, self.index.derive_element(carrier, "items"))
        else:
            self.trace.carriers.setdefault(node, []).append(carrier)
            self.visit_children(node, carrier)

    def visit_children(self, node: SchemaFacts, carrier: Carrier) -> None:
        """Push the schemas that a schema refers to, is composed of, and contains."""
        if carrier.state in ALIVE and carrier.is_dynamic:
            self.record_free_form(node, carrier)
            carrier = self.index.derive(carrier, in_free_form=True)
        if node.protobuf_type:
            carrier = self.index.derive(carrier, state=CarrierState.EXCLUDED, rule=RULE_VENDOR_TYPE)
        message = self.index.messages.get(carrier.type)
        is_union = message is not None and message.definition.form is JsonForm.UNION
        if node.subtypes and message is not None and is_union and self.is_converted_from(message, node):
            self.push_subtypes(node, carrier, message)
            return
        if node.members:
            self.push_members(node, carrier)
        if node.ref in self.schemas:
            self.push(self.schemas[node.ref], carrier)
        if carrier.state not in ALIVE or carrier.in_free_form:
            self.push_all(node.iterate_children(), carrier)
        elif carrier.is_container:
            self.push_elements(node, carrier)
        elif message is not None:
            self.push_variants(node, carrier, message)
            self.push_contents(node, carrier, message)
        else:
            self.push_all(node.variants, carrier)
        if carrier.state in ALIVE and not carrier.in_free_form:
            self.push_all(node.conditions, self.index.derive(carrier, is_narrowed=True))

    def push_members(self, node: SchemaFacts, carrier: Carrier) -> None:
        """Push the members of an `allOf`; if the type was converted from one member, it narrows the others."""
        message = self.index.messages.get(carrier.type)
        places = [self.index.places.get(carrier.type) in self.resolved.get_places(each) for each in node.members]
        allowed = self.resolved.get_enum_strings(node)
        for member, has_place in zip(node.members, places, strict=True):
            fields = self.select_variant_fields(member, message) if message is not None else []
            for item in fields:
                self.push(member, self.index.get_carrier(carrier.type, item))
            is_narrowed = (any(places) and not has_place) or self.resolved.get_enum_strings(member) > allowed
            if not fields:
                self.push(member, self.index.derive(carrier, is_narrowed=True) if is_narrowed else carrier)

    def select_variant_fields(self, member: SchemaFacts, message: MessageIndex) -> list[Field]:
        """Return the variant fields of an `allOf` member; none if the member is itself the union."""
        is_union = any(variant.place == member.place for variant in member.variants)
        if is_union or message.definition.form is not JsonForm.UNION:
            return []
        return self.unions.select_fields(member, message)

    def is_converted_from(self, message: MessageIndex, node: SchemaFacts) -> bool:
        return message.definition.place in self.resolved.get_places(node)

    def is_single_item(self, node: SchemaFacts, carrier: Carrier) -> bool:
        """Return whether a schema describes an item that may stand without its list."""
        if not carrier.encoding.is_single or carrier.label is not Label.REPEATED:
            return False
        return self.is_item(node, self.index.derive_element(carrier, "items"))

    def is_item(self, node: SchemaFacts, items: Carrier) -> bool:
        """Return whether a schema describes an item of a list, and not the list."""
        message = self.index.messages.get(items.type)
        is_same = message is not None and self.is_converted_from(message, node)
        return is_same or not self.resolved.can_be_list(node)

    def record_free_form(self, node: SchemaFacts, carrier: Carrier) -> None:
        """Record why a field takes any value; if its schema declares a type, record a gap."""
        if carrier.in_free_form:
            return
        reason = explain_free_form(node, self.resolved)
        if reason:
            self.trace.free_form_reasons[carrier.full_name] = reason
        else:
            self.trace.untyped.append(Gap(node, carrier.full_name))

    def push_elements(self, node: SchemaFacts, carrier: Carrier) -> None:
        """Push the items of a list or the values of a map; a variant may be a single item of the list."""
        is_list = carrier.label is Label.REPEATED
        element = self.index.derive_element(carrier, "items" if is_list else "values")
        inner = [*node.positions, node.items] if is_list else [node.values]
        schemas = [schema for schema in inner if schema is not None]
        lacks_key = carrier.encoding.is_entry and not carrier.has_key_outside
        for schema in schemas:
            if lacks_key and not self.index.has_key(carrier.type):
                self.push_missing(schema, carrier.type)
            else:
                self.push(schema, element)
        if is_list and not schemas and "array" in node.types and element.is_dynamic:
            self.trace.free_form_reasons[carrier.full_name] = ITEMS
        for variant in node.variants:
            is_item = is_list and self.is_item(variant, element)
            if is_item and not carrier.encoding.is_single:
                self.trace.unmarked_shorthands.append(Gap(variant, carrier.full_name))
            self.push(variant, element if is_item else carrier)

    def push_contents(self, node: SchemaFacts, carrier: Carrier, message: MessageIndex) -> None:
        """Push properties, undeclared keys and tuple items, each with the field that holds it."""
        if (node, carrier.type) in self.filled or message.definition.schema.kind is SchemaKind.SUPPORT:
            return
        self.filled.add((node, carrier.type))
        for name, schema in node.properties.items():
            item = message.properties.get(name)
            if item is None:
                self.push_missing(schema, carrier.type)
            else:
                is_narrowed = schema.place != item.places[0]
                self.push(schema, self.index.get_carrier(carrier.type, item, is_narrowed=is_narrowed))
        if node.values is not None:
            self.push(node.values, self.get_value_carrier(carrier, message), carrier.type)
        for position, schema in enumerate(node.positions):
            self.push_tuple_item(schema, carrier, message.positions.get(position))
        if node.items is not None:
            self.push_tuple_item(node.items, carrier, message.further_items)

    def get_value_carrier(self, carrier: Carrier, message: MessageIndex) -> Carrier | None:
        """Return the carrier of the values under undeclared keys; None if the message has no field for them."""
        if message.additional is None:
            return None
        values = self.index.get_carrier(carrier.type, message.additional)
        return self.index.derive_element(values, "values") if values.label is Label.MAP else values

    def push_tuple_item(self, schema: SchemaFacts, carrier: Carrier, item: Field | None) -> None:
        """Push the item at one position of a tuple, or the items after the last position."""
        if item is None:
            self.push_missing(schema, carrier.type)
            return
        items = self.index.get_carrier(carrier.type, item)
        self.push(schema, self.index.derive_element(items, "items") if item.role is JsonRole.ITEMS else items)

    def push_variants(self, node: SchemaFacts, carrier: Carrier, message: MessageIndex) -> None:
        """Push the variants of a union, each with the carriers that hold it."""
        for variant in node.variants:
            carriers, is_unmarked = self.unions.find_carriers(variant, carrier, message)
            if is_unmarked:
                self.trace.unmarked_shorthands.append(Gap(variant, carrier.full_name))
            for each in carriers:
                self.push(variant, each)
            if not carriers:
                self.push_missing(variant, carrier.type, is_narrowed=carrier.is_narrowed)

    def push_subtypes(self, node: SchemaFacts, carrier: Carrier, message: MessageIndex) -> None:
        """Push a schema and its subtypes: the union has a field for the schema itself, and one for each subtype."""
        carriers = {item.type: self.index.get_carrier(carrier.type, item) for item in message.live}
        base = next((each for each in carriers.values() if each.source == BASE_VARIANT), None)
        self.push(node, base, carrier.type)
        for subtype in node.subtypes:
            candidates = []
            for name, each in carriers.items():
                index = self.index.messages.get(name)
                if index is not None and each.source != BASE_VARIANT and self.is_converted_from(index, subtype):
                    candidates.append((index.definition.place != self.schemas[subtype.ref].place, each))
            # Prefer the subtype's own message to that of a schema which the subtype extends.
            best = min(candidates, key=lambda candidate: candidate[0])[1] if candidates else None
            self.push(subtype, best, carrier.type)
