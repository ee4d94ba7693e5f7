"""Side by side: the spec's schemas and the contract's messages, walked together from what each rpc takes and answers.

Nothing is taken from the conversion but its result: whatever a schema declares must have a place in each message that
its values travel in. What has none is noted, and coverage refuses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pipeline.model.contract import Contract, Field, JsonForm, JsonRole, Label, Rpc
from pipeline.model.schema_facts import OperationFacts, SchemaFacts, ScopeFacts
from preprocess.trace.carriers import ALIVE, KEYED, LOST, REPLACED, Carrier, ContractIndex, State
from preprocess.trace.effective_constraints import Holding
from preprocess.trace.entry_points import entries
from preprocess.trace.free_form import ITEMS, free_form
from preprocess.trace.message_index import View
from preprocess.trace.union_fields import Variants

VENDOR_TYPE = "vendor-type"
BASE = "variant:base"


@dataclass(frozen=True, slots=True)
class Gap:
    """Something declared that one message or field has no place for."""

    node: SchemaFacts
    site: str


@dataclass(slots=True)
class Trace:
    """What the walk found.

    Attributes:
        holding: the schemas, seen through.
        carriers: what carries the values of each schema.
        lost: what is declared and has no place.
        dynamic: what is declared and ended in a field for anything.
        untold: variants that are short for another, of which the binding does not tell inside lists and maps.
        reasons: why the value of a field is free-form, by `Message.field`.
    """

    holding: Holding
    carriers: dict[SchemaFacts, list[Carrier]] = field(default_factory=dict)
    lost: list[Gap] = field(default_factory=list)
    dynamic: list[Gap] = field(default_factory=list)
    untold: list[Gap] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)


def walk(declared: ScopeFacts, contract: Contract, contents: ContractIndex) -> Trace:
    """Walk everything in scope.

    Args:
        declared: what the spec declares.
        contract: which message each rpc takes and answers with.
        contents: the contract as it was compiled.
    """
    return _Walk(declared, contents).run(contract)


class _Walk:
    def __init__(self, declared: ScopeFacts, contents: ContractIndex) -> None:
        self.declared = declared
        self.contents = contents
        self.found = Trace(Holding(declared.schemas))
        self.seen = self.found.holding.seen
        self.unions = Variants(contents, self.seen)
        self.met: set[tuple[SchemaFacts, Carrier]] = set()
        self.filled: set[tuple[SchemaFacts, str]] = set()
        self.waiting: list[tuple[SchemaFacts, Carrier]] = []

    def run(self, contract: Contract) -> Trace:
        forms: dict[str, list[OperationFacts]] = {}
        for operation in self.declared.operations:
            forms.setdefault(operation.group, []).append(operation)
        for rpc in contract.rpcs:
            for operation in forms.get(rpc.group, []):
                self.enter(operation, rpc)
        while self.waiting:
            self.visit(*self.waiting.pop())
        return self.found

    def enter(self, operation: OperationFacts, rpc: Rpc) -> None:
        """The parameters, bodies and answers of one HTTP form."""
        for entry in entries(operation, rpc, self.contents, self.seen):
            if entry.carrier is None:
                self.absent(entry.node, entry.message)
            else:
                self.push(entry.node, entry.carrier)

    def push(self, node: SchemaFacts, carrier: Carrier) -> None:
        self.waiting.append((node, carrier))

    def all(self, nodes: Iterable[SchemaFacts], carrier: Carrier) -> None:
        for node in nodes:
            self.push(node, carrier)

    def absent(self, node: SchemaFacts, site: str, *, narrowed: bool = False) -> None:
        """Something without a field: a rule leaves it out, a narrower schema allows none of it, or it is lost."""
        rule = self.contents.excluded.get(node.place)
        if rule is not None:
            self.push(node, self.contents.derived(LOST, state=State.EXCLUDED, rule=rule))
        elif narrowed:
            self.push(node, REPLACED)
        else:
            self.found.lost.append(Gap(node, site))
            self.push(node, LOST)

    def visit(self, node: SchemaFacts, carrier: Carrier) -> None:
        """One schema with one carrier of its values."""
        carrier = self.contents.unwrapped(carrier)
        if (node, carrier) in self.met:
            return
        self.met.add((node, carrier))
        if carrier.state in ALIVE and not self.unions.fits(node, carrier):
            self.absent(node, carrier.site, narrowed=carrier.narrowed)
        elif self.is_one(node, carrier):
            self.push(node, self.contents.one(carrier, "items"))
        else:
            self.found.carriers.setdefault(node, []).append(carrier)
            self.inside(node, carrier)

    def inside(self, node: SchemaFacts, carrier: Carrier) -> None:
        """What a schema refers to, is composed of, and holds."""
        if carrier.state in ALIVE and carrier.dynamic:
            self.free(node, carrier)
            carrier = self.contents.derived(carrier, free=True)
        if node.protobuf_type:
            carrier = self.contents.derived(carrier, state=State.EXCLUDED, rule=VENDOR_TYPE)
        view = self.contents.views.get(carrier.type)
        if node.subtypes and view is not None and view.message.form is JsonForm.UNION and self.is_of(node, view):
            self.family(node, carrier, view)
            return
        if node.members:
            self.members(node, carrier)
        if node.ref in self.declared.schemas:
            self.push(self.declared.schemas[node.ref], carrier)
        if carrier.state not in ALIVE or carrier.free:
            self.all(node.iterate_children(), carrier)
        elif carrier.label in {Label.REPEATED, Label.MAP} or "entry" in carrier.options:
            self.several(node, carrier)
        elif view is not None:
            self.message(node, carrier, view)
        else:
            self.all(node.variants, carrier)
        if carrier.state in ALIVE and not carrier.free:
            self.all(node.conditions, self.contents.derived(carrier, narrowed=True))

    def members(self, node: SchemaFacts, carrier: Carrier) -> None:
        """The members of an allOf; where message or enum are those of one of them, this one narrows the others."""
        view = self.contents.views.get(carrier.type)
        decides = [self.contents.places.get(carrier.type) in self.seen.places(member) for member in node.members]
        allowed = self.seen.texts(node)
        for member, deciding in zip(node.members, decides, strict=True):
            own = self.own(member, view) if view is not None else []
            for item in own:
                self.push(member, self.contents.carrier(carrier.type, item))
            narrowed = (any(decides) and not deciding) or self.seen.texts(member) > allowed
            if not own:
                self.push(member, self.contents.derived(carrier, narrowed=True) if narrowed else carrier)

    def own(self, member: SchemaFacts, view: View) -> list[Field]:
        """The variants of a union that a member stands for; none where it is itself the union, in the same place."""
        union = any(variant.place == member.place for variant in member.variants)
        return [] if union or view.message.form is not JsonForm.UNION else self.unions.own(member, view)

    def is_of(self, node: SchemaFacts, view: View) -> bool:
        """Whether a message is made of a schema, or of what this refers to or is composed of."""
        return view.message.place in self.seen.places(node)

    def is_one(self, node: SchemaFacts, carrier: Carrier) -> bool:
        """Whether a schema is of the item that may stand without its list."""
        if "single" not in carrier.options or carrier.label is not Label.REPEATED:
            return False
        return self.stands_alone(node, self.contents.one(carrier, "items"))

    def stands_alone(self, node: SchemaFacts, one: Carrier) -> bool:
        """Whether a schema is that of an item, not of a list or of either."""
        view = self.contents.views.get(one.type)
        return (view is not None and self.is_of(node, view)) or not self.seen.is_list_or_item(node)

    def free(self, node: SchemaFacts, carrier: Carrier) -> None:
        """A field for anything: right only where the spec declares nothing."""
        if carrier.free:
            return
        reason = free_form(node, self.seen)
        if reason:
            self.found.reasons[carrier.site] = reason
        else:
            self.found.dynamic.append(Gap(node, carrier.site))

    def several(self, node: SchemaFacts, carrier: Carrier) -> None:
        """A list or map: what its items or values are; a variant of it may be a single item."""
        many = carrier.label is Label.REPEATED
        one = self.contents.one(carrier, "items" if many else "values")
        listed = [*node.positions, *([node.items] if node.items else [])] if many else [node.values]
        keyless = "entry" in carrier.options and KEYED not in carrier.options
        for inside in listed:
            if inside is not None and keyless and not self.contents.has_key(carrier.type):
                self.absent(inside, carrier.type)
            elif inside is not None:
                self.push(inside, one)
        if many and not listed and "array" in node.types and one.dynamic:
            self.found.reasons[carrier.site] = ITEMS
        for variant in node.variants:
            alone = many and self.stands_alone(variant, one)
            if alone and "single" not in carrier.options:
                self.found.untold.append(Gap(variant, carrier.site))
            self.push(variant, one if alone else carrier)

    def message(self, node: SchemaFacts, carrier: Carrier, view: View) -> None:
        """A message: a field for each variant, for each property, for further keys, for each position."""
        self.variants(node, carrier, view)
        if (node, carrier.type) in self.filled or view.message.schema.startswith("support:"):
            return
        self.filled.add((node, carrier.type))
        for name, schema in node.properties.items():
            item = view.by_name.get(name)
            if item is None:
                self.absent(schema, carrier.type)
            else:
                narrowed = schema.place != item.places[0]
                self.push(schema, self.contents.carrier(carrier.type, item, narrowed=narrowed))
        if node.values is not None:
            self.rest(node.values, carrier, view)
        for at, schema in enumerate(node.positions):
            self.position(schema, carrier, view.positions.get(str(at)))
        if node.items is not None:
            self.position(node.items, carrier, view.further)

    def rest(self, values: SchemaFacts, carrier: Carrier, view: View) -> None:
        """The further keys of an object."""
        if view.rest is None:
            self.absent(values, carrier.type)
            return
        item = self.contents.carrier(carrier.type, view.rest)
        self.push(values, self.contents.one(item, "values") if item.label is Label.MAP else item)

    def position(self, schema: SchemaFacts, carrier: Carrier, item: Field | None) -> None:
        """One item of a tuple, or the items after the last one that has a position."""
        if item is None:
            self.absent(schema, carrier.type)
            return
        made = self.contents.carrier(carrier.type, item)
        self.push(schema, self.contents.one(made, "items") if item.role is JsonRole.ITEMS else made)

    def variants(self, node: SchemaFacts, carrier: Carrier, view: View) -> None:
        """The variants of a union: each in the carriers that hold it."""
        for variant in node.variants:
            held = self.unions.held(variant, carrier, view)
            if held.untold:
                self.found.untold.append(Gap(variant, carrier.site))
            for each in held.carriers:
                self.push(variant, each)
            if not held.carriers:
                self.absent(variant, carrier.type, narrowed=carrier.narrowed)

    def family(self, node: SchemaFacts, carrier: Carrier, view: View) -> None:
        """A schema that stands for those that extend it: a field for itself, and one for each of them."""
        fields = {item.type: self.contents.carrier(carrier.type, item) for item in view.live}
        base = [made for made in fields.values() if made.source == BASE]
        self.push(node, base[0]) if base else self.absent(node, carrier.type)
        for subtype in node.subtypes:
            of_heir = [made for name, made in fields.items() if self.is_heir(subtype, name) and made.source != BASE]
            itself = [made for made in of_heir if self.is_heir(subtype, made.type, itself=True)]
            self.push(subtype, (itself or of_heir)[0]) if of_heir else self.absent(subtype, carrier.type)

    def is_heir(self, heir: SchemaFacts, message: str, *, itself: bool = False) -> bool:
        """Whether a message is made of a schema, or of one that this extends; `itself` leaves these out."""
        view = self.contents.views.get(message)
        if view is None:
            return False
        return view.message.place == self.declared.schemas[heir.ref].place if itself else self.is_of(heir, view)
