"""Detect fields that may hold values of another union variant.

The codec chooses a variant by the shape of the JSON value, not by constraints. `{}` matches a map and also an object
with a required property; a string matches every variant that is a string. A constraint of one variant is then no rule
for its field.
"""

from __future__ import annotations

from collections import defaultdict

from pipeline.model.contract import Field, JsonForm, JsonRole, Label
from preprocess.trace.carriers import CONTAINERS
from preprocess.trace.contract_index import ContractIndex
from preprocess.trace.message_index import MessageIndex
from preprocess.trace.union_fields import VARIANT_ROLES

AMBIGUOUS = "a value of another variant may be decoded as this one, because the codec looks at its shape only"
_FORMS = {JsonForm.UNION, JsonForm.LINES}


class VariantAmbiguity:
    """Answers which variants, and which of their properties, the codec may confuse."""

    def __init__(self, index: ContractIndex) -> None:
        self.index = index
        self._distinct: dict[tuple[str, str], bool] = {}
        self._tags: dict[str, dict[str, set[str | None]]] = {}
        self._siblings: dict[str, list[tuple[str, Field]]] = defaultdict(list)
        for name, union in index.messages.items():
            variants = union.select_roles(VARIANT_ROLES)
            for variant in variants:
                if variant.label not in CONTAINERS:
                    siblings = [(name, other) for other in variants if other is not variant]
                    self._siblings[variant.type] += siblings

    def is_ambiguous_variant(self, message: str, item: Field) -> bool:
        """Return whether a field is a variant that shares a JSON type with another variant."""
        union = self.index.messages[message]
        if item.role not in VARIANT_ROLES or union.definition.form not in _FORMS:
            return False
        types = self._get_json_types(message, item) - {"null"}
        variants = union.select_roles(VARIANT_ROLES)
        return any(types & self._get_json_types(message, other) for other in variants if other is not item)

    def is_ambiguous_message(self, message: str) -> bool:
        """Return whether the codec could decode an object of another union variant as this message."""
        siblings = self._siblings.get(message, ())
        return any("object" in self._get_json_types(union, sibling) for union, sibling in siblings)

    def is_ambiguous_property(self, message: str, item: Field) -> bool:
        """Return whether the codec could decode the same property of another variant as this one."""
        return item.role is JsonRole.PROPERTY and any(
            self._can_have_property(union, sibling, item.json_name)
            and not self._is_distinguishable(message, sibling.type)
            for union, sibling in self._siblings.get(message, ())
        )

    def _is_distinguishable(self, message: str, other: str) -> bool:
        """Return whether two objects share a required enum property that has no value in common."""
        distinct = self._distinct.get((message, other))
        if distinct is None:
            tags, other_tags = self._get_tags(message), self._get_tags(other)
            distinct = any(not tags[name] & other_tags[name] for name in tags.keys() & other_tags.keys())
            self._distinct[message, other] = distinct
        return distinct

    def _get_tags(self, name: str) -> dict[str, set[str | None]]:
        if name not in self._tags:
            message = self.index.messages.get(name)
            properties = message.properties.items() if message is not None else ()
            self._tags[name] = {key: set(self.index.enums[item.type]) for key, item in properties if self._is_tag(item)}
        return self._tags[name]

    def _is_tag(self, item: Field) -> bool:
        return item.type in self.index.enums and item.label is Label.SINGULAR and item.encoding.is_required

    def _can_have_property(self, union: str, variant: Field, name: str) -> bool:
        carrier = self.index.unwrap(self.index.get_carrier(union, variant))
        if "object" not in self.index.get_json_types(carrier):
            return False
        message = self.index.messages.get(carrier.type)
        return message is None or carrier.label is Label.MAP or _can_have_key(message, name)

    def _get_json_types(self, message: str, item: Field) -> frozenset[str]:
        return self.index.get_json_types(self.index.unwrap(self.index.get_carrier(message, item)))


def _can_have_key(message: MessageIndex, name: str) -> bool:
    """Return whether an object of the message may have a key: it is declared, or the message is open."""
    is_open = message.additional is not None or bool(message.select_roles({JsonRole.SPREAD}))
    return message.definition.form is not JsonForm.OBJECT or is_open or name in message.properties
