"""Find the fields of a message that hold the values of one variant of a union.

A variant may have a field of its own. Otherwise its values stand in the message itself, in a union inside the union,
or in the property that a shorthand writes. They may also stand in the field of another variant.
"""

from __future__ import annotations

from typing import NamedTuple

from pipeline.model.contract import Field, JsonForm, JsonRole, Label
from pipeline.model.schema_facts import SchemaFacts
from pipeline.model.source import FieldSource
from preprocess.trace.carriers import Carrier
from preprocess.trace.contract_index import ALL_TYPES, ContractIndex
from preprocess.trace.free_form import OPEN
from preprocess.trace.message_index import MessageIndex
from preprocess.trace.resolved_schemas import ResolvedSchemas

VARIANT_ROLES = frozenset({JsonRole.VARIANT, JsonRole.SPREAD})
_UNIONS = frozenset({JsonForm.UNION, JsonForm.LINES})


class VariantCarriers(NamedTuple):
    """The carriers of one variant, and whether it is a shorthand that the binding does not mark."""

    carriers: tuple[Carrier, ...] = ()
    is_unmarked: bool = False


class UnionFields:
    """Finds the carriers of variants."""

    def __init__(self, index: ContractIndex, resolved: ResolvedSchemas) -> None:
        self.index = index
        self.resolved = resolved

    def find_carriers(self, variant: SchemaFacts, carrier: Carrier, union: MessageIndex) -> VariantCarriers:
        """Return the carriers that hold the values of a variant; `carrier` and `union` are those of the whole union."""
        carriers = [self.index.get_carrier(carrier.type, item) for item in self.select_fields(variant, union)]
        is_nested = bool(variant.variants) and not self.resolved.get_types(variant)
        if carriers and not (is_nested and len(carriers) > 1):
            compatible = [each for each in carriers if self.is_compatible(variant, each)]
            return VariantCarriers(tuple(compatible or carriers))
        if variant.place in self.index.exclusion_rules:
            return VariantCarriers()
        is_whole = union.definition.form not in _UNIONS or union.definition.place in self.resolved.get_places(variant)
        if is_nested or is_whole:
            return self._find_shorthand(variant, carrier, union) or VariantCarriers((carrier,))
        return self._find_other_variant(variant, carrier, union)

    def select_fields(self, variant: SchemaFacts, union: MessageIndex) -> list[Field]:
        """Return the variant fields that come from the place of a schema."""
        return [item for item in union.by_place.get(variant.place, []) if item.role in VARIANT_ROLES]

    def is_compatible(self, node: SchemaFacts, carrier: Carrier) -> bool:
        """Return whether a carrier can hold values of the JSON types that a schema allows."""
        carrier = self.index.unwrap(carrier)
        vendor_type = self.resolved.get_vendor_type(node)
        if vendor_type:
            return carrier.is_dynamic if vendor_type in OPEN else carrier.type == vendor_type
        types = self.index.get_json_types(carrier)
        return types is ALL_TYPES or self.resolved.get_types(node) <= types

    def _find_shorthand(self, variant: SchemaFacts, carrier: Carrier, union: MessageIndex) -> VariantCarriers | None:
        """Return the carrier of the property that a variant writes without its object; None for other variants."""
        item = union.properties.get(carrier.encoding.shorthand or variant.title)
        if item is None or "object" in self.resolved.get_types(variant):
            return None
        shorthand = self.index.get_carrier(carrier.type, item)
        return VariantCarriers((shorthand,), is_unmarked=not carrier.encoding.shorthand)

    def _find_other_variant(self, variant: SchemaFacts, carrier: Carrier, union: MessageIndex) -> VariantCarriers:
        """Return the most similar field of another variant that can hold the values of one without a field."""
        is_narrowed = carrier.is_narrowed
        fields = union.select_roles(VARIANT_ROLES)
        candidates = [self.index.get_carrier(carrier.type, item, is_narrowed=is_narrowed) for item in fields]
        same = [each for each in candidates if self._has_message_of(variant, each)]
        if same:
            candidates = same
        elif any(schema.enum_strings for schema in self.resolved.resolve(variant)):
            enums = [each for each in candidates if each.type in self.index.enums]
            candidates = enums or (candidates if is_narrowed else [])
        elif not is_narrowed:
            return VariantCarriers()
        compatible = [each for each in candidates if self.is_compatible(variant, each)]
        best = max(compatible, key=lambda each: self._rank_similarity(variant, each), default=None)
        return VariantCarriers((best,) if best is not None else ())

    def _has_message_of(self, variant: SchemaFacts, carrier: Carrier) -> bool:
        message = self.index.messages.get(carrier.type)
        return message is not None and message.definition.place in self.resolved.get_places(variant)

    def _rank_similarity(self, variant: SchemaFacts, carrier: Carrier) -> tuple[bool, bool, bool]:
        """Return whether field and variant have the same message, the same title, and agree on being a map."""
        is_map = self.index.unwrap(carrier).label is Label.MAP
        is_titled = bool(variant.title) and carrier.source == FieldSource.for_variant(variant.title)
        return self._has_message_of(variant, carrier), is_titled, is_map is (variant.values is not None)
