"""Carriers: what in the contract holds a value of the spec, and what values it can hold.

The binding's forms and options are seen through here, as the codec does: lists and maps in messages of their own,
single items, keys that stand in the message of their value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pipeline.model.contract import SCALARS, Contract, Enum, Field, JsonForm, JsonRole, Label
from preprocess.trace.message_index import View, view_of
from preprocess.trace.present_fields import PresentElements

DYNAMIC = frozenset({"ObjectMap", "ObjectMap.Value"})
# What null becomes is a constraint of its own, so it fits everywhere.
ANY = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_NUMBER = frozenset({"integer", "null", "number"})
_OBJECT = frozenset({"null", "object"})
_NULL = frozenset({"null"})
_STRING = frozenset({"null", "string"})
_IN_URL = frozenset({"boolean", "integer", "null", "number", "string"})
_SCALARS = {"bool": frozenset({"boolean", "null"}), "string": _STRING, "bytes": _STRING}
_FORMS = {
    JsonForm.OBJECT: _OBJECT,
    JsonForm.MAP: _OBJECT,
    JsonForm.ENTRY: _OBJECT,
    JsonForm.REQUEST: _OBJECT,
    JsonForm.RESPONSE: _OBJECT,
    JsonForm.ARRAY: frozenset({"array", "null"}),
    JsonForm.TUPLE: frozenset({"array", "null"}),
    JsonForm.NUMBER: _NUMBER,
}
RULE_WIDEST = "widest-parameter"
NULL = "NullValue"
# Of a value that is null in a message around it.
NULLED = "nulled"
# Of an entry whose key stands in the message around it, not in that of its value.
KEYED = "keyed"
# Of a parameter whose forms differ: whatever it is, it is a text in the URL.
WIDENED = "widened"
# How many steps into a value are told apart: a list that contains itself has no end of them.
DEEPEST = 8
_WRAPPED = {JsonForm.ARRAY: Label.REPEATED, JsonForm.MAP: Label.MAP}


class State(StrEnum):
    """How something in the spec ended: in a field, or why in none; the first of several counts."""

    LIVE = "live"
    DEPRECATED = "deprecated"
    REPLACED = "replaced"
    EXCLUDED = "excluded"
    LOST = "lost"


_ORDER = {state: number for number, state in enumerate(State)}


@dataclass(frozen=True, eq=False, slots=True)
class Carrier:
    """What carries the values of one schema at one place of the contract; `Contents` makes each of them once.

    Attributes:
        state: whether there is a field at all.
        site: `Message.field`, or `Message` for what is a message as a whole.
        type: the type of one value.
        label: how often it may stand.
        inside: `items` and `values`, for what is inside the value of the field.
        options: the field's `json_options`, as far as they are about this value.
        oneof: whether the field is one of a oneof.
        narrowed: whether a narrower schema of the same value decided the type.
        free: whether it is inside something free-form.
        rule: by which it is excluded.
        source: what the field stands for, see `Field.source`.
    """

    state: State
    site: str = ""
    type: str = ""
    label: Label = Label.SINGULAR
    inside: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    oneof: bool = False
    narrowed: bool = False
    free: bool = False
    rule: str = ""
    source: str = ""

    @property
    def dynamic(self) -> bool:
        """Whether the value is one of any kind, or kept as the bytes of its JSON."""
        anything = self.type in DYNAMIC or "document" in self.options
        return anything and self.label not in {Label.REPEATED, Label.MAP}

    @property
    def shorthand(self) -> str:
        """The property that may stand alone for the object, or empty."""
        found = (option.partition(":")[2] for option in self.options if option.startswith("shorthand:"))
        return next(found, "")


ALIVE = frozenset({State.LIVE, State.DEPRECATED})
LOST = Carrier(State.LOST)
REPLACED = Carrier(State.REPLACED)


class ContractIndex:
    """The contract as it was compiled.

    Attributes:
        views: by message name.
        enums: the live values of each enum, by its name.
        places: where the schema of each message and enum stands, by its name.
        excluded: the rule by which a place is left out.
    """

    def __init__(self, contract: Contract, compiled: PresentElements) -> None:
        """Index what coverage asks for."""
        self.views = {name: view_of(message, compiled) for name, message in contract.messages.items()}
        self.enums = {name: _texts(enum, compiled) for name, enum in contract.enums.items()}
        self.places = {name: message.place for name, message in contract.messages.items()}
        self.places |= {name: enum.place for name, enum in contract.enums.items()}
        self.excluded = {exclusion.place: exclusion.rule for exclusion in contract.exclusions}
        self._made: dict[tuple[Any, ...], Carrier] = {}
        self._accepted: dict[Carrier, frozenset[str]] = {}
        self._unwrapped: dict[Carrier, Carrier] = {}

    def count(self) -> int:
        """How many live fields stand for something in the spec, those of wrapping and supporting messages left out."""
        shared = ("support:", "wrapper:")
        views = [view for view in self.views.values() if not view.message.schema.startswith(shared)]
        return sum(len(view.live) for view in views)

    def carrier(self, message: str, item: Field, *, narrowed: bool = False) -> Carrier:
        """The carrier that a field is."""
        key = (message, item.name, narrowed)
        found = self._made.get(key)
        if found is None:
            state = State.DEPRECATED if item.deprecated else State.LIVE
            oneof, site = item.oneof is not None, f"{message}.{item.name}"
            widened = (WIDENED,) if RULE_WIDEST in item.rules else ()
            found = Carrier(
                state,
                site,
                item.type,
                item.label,
                options=(*item.json_options, *widened),
                oneof=oneof,
                narrowed=narrowed,
                source=item.source,
            )
            self._made[key] = found
        return found

    def derived(self, carrier: Carrier, **changes: Any) -> Carrier:
        """A carrier that differs from another in a few attributes; one of these attributes is one carrier."""
        key = (carrier, *changes.items())
        found = self._made.get(key)
        if found is None:
            same = tuple([changes[name] if name in changes else getattr(carrier, name) for name in Carrier.__slots__])
            found = self._made.get(same)
            if found is None:
                found = self._made[same] = Carrier(*same)
            self._made[key] = found
        return found

    def one(self, carrier: Carrier, step: str) -> Carrier:
        """What carries one item or one value of a list or map."""
        kept = tuple(
            option for option in carrier.options if option not in {"single", "nullable", "entry", KEYED, NULLED}
        )
        return self.derived(carrier, label=Label.SINGULAR, inside=(*carrier.inside, step)[:DEEPEST], options=kept)

    def unwrapped(self, carrier: Carrier) -> Carrier:
        """The list or map itself, for one that stands in a message of its own."""
        found = self._unwrapped.get(carrier)
        if found is None:
            found = self._unwrapped[carrier] = self._seen_through(carrier)
        return found

    def _seen_through(self, carrier: Carrier) -> Carrier:
        view = self.views.get(carrier.type)
        if view is None or carrier.label in _WRAPPED.values():
            return carrier
        if view.message.schema.startswith("wrapper:") and view.message.form is JsonForm.UNION:
            return self.unwrapped(self._not_null(carrier, view))
        if view.inner is None:
            return carrier
        inner = view.inner
        label = _WRAPPED.get(view.message.form, Label.SINGULAR)
        kept = tuple(option for option in carrier.options if option in {"nullable", "single", NULLED})
        options = (*kept, *inner.json_options, *(("entry", KEYED) if view.message.form is JsonForm.ENTRY else ()))
        return self.derived(carrier, type=inner.type, label=label, options=options)

    def _not_null(self, carrier: Carrier, view: View) -> Carrier:
        """The value itself, for one that stands beside null in a message of its own."""
        told = (NULLED,) if any(item.type == NULL for item in view.live) else ()
        value = next((item for item in view.live if item.type != NULL), None)
        if value is None:
            return self.derived(carrier, type=NULL, options=told)
        return self.derived(carrier, type=value.type, options=(*value.json_options, *told))

    def has_key(self, name: str, depth: int = 0) -> bool:
        """Whether a message, or each variant of a union, has a field for the key that it stands under."""
        view = self.views.get(name)
        if view is None or depth > DEEPEST:
            return False
        variants = [item.type for item in view.by_role({JsonRole.VARIANT})] if not view.keyed else []
        return view.keyed or (bool(variants) and all(self.has_key(each, depth + 1) for each in variants))

    def accepts(self, carrier: Carrier) -> frozenset[str]:
        """The JSON types whose values a carrier can hold."""
        if carrier not in self._accepted:
            self._accepted[carrier] = self._types(carrier)
        return self._accepted[carrier]

    def _types(self, carrier: Carrier) -> frozenset[str]:
        if carrier.label is Label.REPEATED:
            alone = self.accepts(self.one(carrier, "items")) if "single" in carrier.options else frozenset()
            return alone | {"array", "null"}
        if carrier.label is Label.MAP or "entry" in carrier.options:
            return _OBJECT
        if carrier.dynamic or carrier.shorthand:
            return ANY
        if carrier.type in self.views:
            return _FORMS.get(self.views[carrier.type].message.form, ANY)
        return self._of_one(carrier)

    def _of_one(self, carrier: Carrier) -> frozenset[str]:
        """The JSON types of a scalar or enum value; a text may hold the digits of a number."""
        if carrier.type in self.enums:
            return _NULL if carrier.type == NULL else _STRING
        if "number" in carrier.options:
            return _NUMBER
        if WIDENED in carrier.options and carrier.type == "string":
            return _IN_URL
        return _SCALARS.get(carrier.type, _NUMBER) if carrier.type in SCALARS else ANY


def _texts(enum: Enum, compiled: PresentElements) -> dict[str | None, State]:
    """The texts that the live values of an enum stand for."""
    return {
        text: State.DEPRECATED if value.deprecated else State.LIVE
        for value in enum.values
        if (enum.name, value.number) in compiled.values
        for text in value.json
    }


def best(states: Iterable[State]) -> State:
    """The state that counts among several."""
    return min(states, key=_ORDER.__getitem__)
