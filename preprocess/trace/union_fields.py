"""Variants: which field of a message holds the values of one variant of a union.

A variant has a field of its own, or is seen through: as what the message is made of, as a union inside a union, as a
part that may stand for the whole, as one text among others, or as what another union narrows.
"""

from __future__ import annotations

from typing import NamedTuple

from pipeline.model.contract import Field, JsonForm, JsonRole, Label
from pipeline.model.schema_facts import SchemaFacts
from preprocess.trace.carriers import ANY, Carrier, ContractIndex
from preprocess.trace.free_form import OPEN
from preprocess.trace.message_index import View
from preprocess.trace.resolved_schemas import SeenThrough

_ROLES = frozenset({JsonRole.VARIANT, JsonRole.SPREAD})
_UNIONS = frozenset({JsonForm.UNION, JsonForm.LINES})


class Held(NamedTuple):
    """What holds a variant: some carriers, or none; and whether the binding does not tell that it does."""

    carriers: tuple[Carrier, ...] = ()
    untold: bool = False


class Variants:
    """Finds what holds variants."""

    def __init__(self, contents: ContractIndex, seen: SeenThrough) -> None:
        """Hold the contract as it was compiled, and the schemas."""
        self.contents = contents
        self.seen = seen

    def held(self, variant: SchemaFacts, carrier: Carrier, view: View) -> Held:
        """What holds the values of a variant.

        Args:
            variant: the variant.
            carrier: of the whole union.
            view: its message.
        """
        made = [self.contents.carrier(carrier.type, item) for item in self.own(variant, view)]
        nested = bool(variant.variants) and not self.seen.types(variant)
        if made and not (nested and len(made) > 1):
            fitting = [each for each in made if self.fits(variant, each)]
            return Held(tuple(fitting or made))
        if variant.place in self.contents.excluded:
            return Held()
        whole = view.message.form not in _UNIONS or view.message.place in self.seen.places(variant)
        if nested or whole:
            return self.short(variant, carrier, view) or Held((carrier,))
        return self.among(variant, carrier, view)

    def own(self, variant: SchemaFacts, view: View) -> list[Field]:
        """The fields that stand for a variant itself."""
        return [item for item in view.by_place.get(variant.place, []) if item.role in _ROLES]

    def fits(self, node: SchemaFacts, carrier: Carrier) -> bool:
        """Whether a carrier can hold values of the type that a schema demands."""
        carrier = self.contents.unwrapped(carrier)
        named = self.seen.named(node)
        if named:
            return carrier.dynamic if named in OPEN else carrier.type == named
        accepted = self.contents.accepts(carrier)
        return accepted is ANY or self.seen.types(node) <= accepted

    def short(self, variant: SchemaFacts, carrier: Carrier, view: View) -> Held | None:
        """The property that a variant stands for which may be written alone."""
        item = view.by_name.get(carrier.shorthand or variant.title)
        if item is None or "object" in self.seen.types(variant):
            return None
        return Held((self.contents.carrier(carrier.type, item),), untold=not carrier.shorthand)

    def among(self, variant: SchemaFacts, carrier: Carrier, view: View) -> Held:
        """A variant without a field: the same in another union, a text among others, or what another one narrows."""
        narrowed = carrier.narrowed
        listed = [self.contents.carrier(carrier.type, item, narrowed=narrowed) for item in view.by_role(_ROLES)]
        same = [each for each in listed if self.is_made_of(variant, each)]
        if same:
            listed = same
        elif any(part.enum_strings for part in self.seen.together(variant)):
            enums = [each for each in listed if each.type in self.contents.enums]
            listed = enums or (listed if narrowed else [])
        elif not narrowed:
            return Held()
        made = [each for each in listed if self.fits(variant, each)]
        return Held((max(made, key=lambda each: self.likeness(variant, each)),) if made else ())

    def is_made_of(self, variant: SchemaFacts, carrier: Carrier) -> bool:
        """Whether the message of a carrier is that of a schema."""
        view = self.contents.views.get(carrier.type)
        return view is not None and view.message.place in self.seen.places(variant)

    def likeness(self, variant: SchemaFacts, carrier: Carrier) -> tuple[bool, bool, bool]:
        """How much a field of a union looks like that of a variant: by its message, its title, as a map or not."""
        keyed = self.contents.unwrapped(carrier).label is Label.MAP
        titled = bool(variant.title) and carrier.source == f"variant:{variant.title}"
        return self.is_made_of(variant, carrier), titled, keyed is (variant.values is not None)
