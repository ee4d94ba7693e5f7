"""Doubt: fields in which values of another variant may stand, as the codec chooses by shape and not by constraints.

`{}` fits a map and an object that wants a property; a text fits every variant that is a text. What is demanded of one
variant alone is then no rule for its field.
"""

from __future__ import annotations

from collections import defaultdict

from pipeline.model.contract import Field, JsonForm, JsonRole, Label
from preprocess.trace.contract_index import ContractIndex
from preprocess.trace.message_index import MessageIndex

DOUBT = "a value of another variant may be taken for this one, as only its shape is looked at"
_FORMS = {JsonForm.UNION, JsonForm.LINES}
_ROLES = {JsonRole.VARIANT, JsonRole.SPREAD}


class Doubt:
    """Knows which variants stand beside which."""

    def __init__(self, contents: ContractIndex) -> None:
        """Find the unions.

        Args:
            contents: the contract as it was compiled.
        """
        self.contents = contents
        self.apart: dict[tuple[str, str], bool] = {}
        self.told: dict[str, dict[str, set[str | None]]] = {}
        self.beside: dict[str, list[tuple[str, Field]]] = defaultdict(list)
        for name, view in contents.messages.items():
            for item in view.live:
                if item.role in _ROLES and item.label not in {Label.REPEATED, Label.MAP}:
                    others = [other for other in view.live if other is not item and other.role in _ROLES]
                    self.beside[item.type] += [(name, other) for other in others]

    def of_variant(self, message: str, item: Field) -> bool:
        """Whether a field is a variant, and another variant takes values of its JSON types."""
        view = self.contents.messages[message]
        if item.role not in _ROLES or view.message.form not in _FORMS:
            return False
        taken = self._types(message, item) - {"null"}
        return any(
            taken & self._types(message, other) for other in view.live if other is not item and other.role in _ROLES
        )

    def of_message(self, message: str) -> bool:
        """Whether an object may be taken for one of these that is one of another variant."""
        return any("object" in self._types(holder, other) for holder, other in self.beside.get(message, ()))

    def of_property(self, message: str, item: Field) -> bool:
        """Whether the same property of another variant may be taken for this one."""
        return item.role is JsonRole.PROPERTY and any(
            self._has(holder, other, item.json_name) and not self._apart(message, other.type)
            for holder, other in self.beside.get(message, ())
        )

    def _apart(self, one: str, other: str) -> bool:
        """Whether two objects must have a property whose texts tell them apart."""
        known = self.apart.get((one, other))
        if known is None:
            mine, theirs = self._texts(one), self._texts(other)
            known = any(not mine[name] & theirs[name] for name in mine.keys() & theirs.keys())
            self.apart[one, other] = known
        return known

    def _texts(self, name: str) -> dict[str, set[str | None]]:
        """The properties of an object whose texts tell it apart, with these texts."""
        if name not in self.told:
            view = self.contents.messages.get(name)
            items = view.properties.items() if view is not None else ()
            self.told[name] = {key: set(self.contents.enums[item.type]) for key, item in items if self._tells(item)}
        return self.told[name]

    def _tells(self, item: Field) -> bool:
        return item.type in self.contents.enums and item.label is Label.SINGULAR and item.encoding.is_required

    def _has(self, holder: str, other: Field, name: str) -> bool:
        """Whether a variant may have a property of a name."""
        carrier = self.contents.unwrap(self.contents.get_carrier(holder, other))
        if "object" not in self.contents.get_json_types(carrier):
            return False
        view = self.contents.messages.get(carrier.type)
        return view is None or carrier.label is Label.MAP or self._knows(view, name)

    def _knows(self, view: MessageIndex, name: str) -> bool:
        if (
            view.message.form is not JsonForm.OBJECT
            or view.additional is not None
            or view.select_roles({JsonRole.SPREAD})
        ):
            return True
        return name in view.properties

    def _types(self, message: str, item: Field) -> frozenset[str]:
        return self.contents.get_json_types(self.contents.unwrap(self.contents.get_carrier(message, item)))
