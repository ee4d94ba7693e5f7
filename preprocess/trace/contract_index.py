"""Index the contract by what its messages and fields hold, and hand out carriers.

The index applies JSON forms and encodings as the codec does. Examples are lists and maps in messages of their own,
single items without their list, and keys inside the message of their value.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from pipeline.model.contract import SCALARS, Contract, Enum, Field, JsonForm, JsonRole, Label
from pipeline.model.json_encoding import PLAIN, JsonEncoding, StringFormat
from pipeline.model.source import SchemaKind
from preprocess.trace.carriers import CONTAINERS, NULL_ENUM, Carrier, CarrierState
from preprocess.trace.message_index import MessageIndex, PresentElements, index_message

# The longest path into a value that is tracked: a list that contains itself would have an endless one.
MAX_PATH = 8
# Every set has null, because what becomes of null is a constraint of its own.
ALL_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_ARRAY = frozenset({"array", "null"})
_NUMBER = frozenset({"integer", "null", "number"})
_OBJECT = frozenset({"null", "object"})
_NULL = frozenset({"null"})
_STRING = frozenset({"null", "string"})
_IN_URL = frozenset({"boolean", "integer", "null", "number", "string"})
_SCALAR_TYPES = {"bool": frozenset({"boolean", "null"}), "string": _STRING, "bytes": _STRING}
_FORM_TYPES = {
    **dict.fromkeys((JsonForm.OBJECT, JsonForm.MAP, JsonForm.ENTRY, JsonForm.REQUEST, JsonForm.RESPONSE), _OBJECT),
    **dict.fromkeys((JsonForm.ARRAY, JsonForm.TUPLE), _ARRAY),
    JsonForm.NUMBER: _NUMBER,
}
_WRAPPER_LABELS = {JsonForm.ARRAY: Label.REPEATED, JsonForm.MAP: Label.MAP}


class ContractIndex:
    """The elements of a contract that the protos have; messages by name, rpcs as `Service/Rpc`.

    Attributes:
        enums: by enum name, the JSON strings of its live values.
        places: by message or enum name, the place of its schema.
        exclusion_rules: by place, the id of the rule that excludes it.
    """

    def __init__(self, contract: Contract, present: PresentElements) -> None:
        self.messages = {name: index_message(message, present) for name, message in contract.messages.items()}
        self.enums = {name: _index_strings(enum, present) for name, enum in contract.enums.items()}
        self.places = {name: message.place for name, message in contract.messages.items()}
        self.places |= {name: enum.place for name, enum in contract.enums.items()}
        self.exclusion_rules = {exclusion.place: exclusion.rule for exclusion in contract.exclusions}
        self.rpcs = present.rpcs
        self._carriers: dict[tuple[Any, ...], Carrier] = {}
        self._json_types: dict[Carrier, frozenset[str]] = {}
        self._unwrapped: dict[Carrier, Carrier] = {}

    def count_fields(self) -> int:
        """Return the number of live fields, without those of wrapper and support messages."""
        messages = [index for index in self.messages.values() if not index.definition.schema.is_shared]
        return sum(len(index.live) for index in messages)

    def get_carrier(self, message: str, item: Field, *, is_narrowed: bool = False) -> Carrier:
        """Return the carrier of a field; it is narrowed if a narrower schema of the same value decided its type."""
        key = (message, item.name, is_narrowed)
        carrier = self._carriers.get(key)
        if carrier is None:
            carrier = self._carriers[key] = Carrier(
                CarrierState.DEPRECATED if item.deprecated else CarrierState.LIVE,
                f"{message}.{item.name}",
                item.type,
                item.label,
                encoding=item.encoding,
                in_oneof=item.oneof is not None,
                is_narrowed=is_narrowed,
                source=item.source,
                is_widened=item.is_widened,
            )
        return carrier

    def derive(self, carrier: Carrier, **changes: Any) -> Carrier:
        """Return a carrier with some attributes replaced; equal ones are interned, so identity comparison is safe."""
        key = (carrier, *changes.items())
        derived = self._carriers.get(key)
        if derived is None:
            values = tuple([changes[name] if name in changes else getattr(carrier, name) for name in Carrier.__slots__])
            derived = self._carriers.get(values)
            if derived is None:
                derived = self._carriers[values] = Carrier(*values)
            self._carriers[key] = derived
        return derived

    def derive_element(self, carrier: Carrier, step: str) -> Carrier:
        """Return the carrier of the items of a list (step `items`) or the values of a map (step `values`)."""
        return self.derive(
            carrier,
            label=Label.SINGULAR,
            path=(*carrier.path, step)[:MAX_PATH],
            encoding=_encode_element(carrier.encoding),
            is_beside_null=False,
            has_key_outside=False,
        )

    def unwrap(self, carrier: Carrier) -> Carrier:
        """Return the carrier of the list, map or value inside a wrapper message; other carriers unchanged."""
        unwrapped = self._unwrapped.get(carrier)
        if unwrapped is None:
            unwrapped = self._unwrapped[carrier] = self._unwrap(carrier)
        return unwrapped

    def _unwrap(self, carrier: Carrier) -> Carrier:
        index = self.messages.get(carrier.type)
        if index is None or carrier.label in CONTAINERS:
            return carrier
        if index.definition.schema.kind is SchemaKind.WRAPPER and index.definition.form is JsonForm.UNION:
            return self.unwrap(self._unwrap_nullable(carrier, index))
        if index.content is None:
            return carrier
        content = index.content
        label = _WRAPPER_LABELS.get(index.definition.form, Label.SINGULAR)
        is_entry = index.definition.form is JsonForm.ENTRY
        encoding = content.encoding._replace(
            is_nullable=carrier.encoding.is_nullable or content.encoding.is_nullable,
            is_single=carrier.encoding.is_single or content.encoding.is_single,
            is_entry=is_entry or content.encoding.is_entry,
        )
        changes = {"encoding": encoding, "has_key_outside": is_entry, "is_widened": False}
        return self.derive(carrier, type=content.type, label=label, **changes)

    def _unwrap_nullable(self, carrier: Carrier, index: MessageIndex) -> Carrier:
        """Return the carrier of the value inside a wrapper message that has a field for null beside it."""
        is_beside_null = any(item.type == NULL_ENUM for item in index.live)
        changes = {"is_beside_null": is_beside_null, "has_key_outside": False, "is_widened": False}
        value = next((item for item in index.live if item.type != NULL_ENUM), None)
        if value is None:
            return self.derive(carrier, type=NULL_ENUM, encoding=PLAIN, **changes)
        return self.derive(carrier, type=value.type, encoding=value.encoding, **changes)

    def has_key(self, name: str, depth: int = 0) -> bool:
        """Return whether a message, or each variant of a union, has a field for its own JSON key."""
        index = self.messages.get(name)
        if index is None or depth > MAX_PATH:
            return False
        variants = [item.type for item in index.select_roles({JsonRole.VARIANT})] if not index.has_key else []
        return index.has_key or (bool(variants) and all(self.has_key(each, depth + 1) for each in variants))

    def get_json_types(self, carrier: Carrier) -> frozenset[str]:
        """Return the JSON types whose values a carrier can hold."""
        if carrier not in self._json_types:
            self._json_types[carrier] = self._compute_json_types(carrier)
        return self._json_types[carrier]

    def _compute_json_types(self, carrier: Carrier) -> frozenset[str]:
        if carrier.label is Label.REPEATED:
            if not carrier.encoding.is_single:
                return _ARRAY
            return self.get_json_types(self.derive_element(carrier, "items")) | _ARRAY
        if carrier.is_container:
            return _OBJECT
        if carrier.is_dynamic or carrier.encoding.shorthand:
            return ALL_TYPES
        if carrier.type in self.messages:
            return _FORM_TYPES.get(self.messages[carrier.type].definition.form, ALL_TYPES)
        return self._get_value_types(carrier)

    def _get_value_types(self, carrier: Carrier) -> frozenset[str]:
        """Return the JSON types of a scalar or enum value; a `string` field may hold the digits of a number."""
        if carrier.type in self.enums:
            return _NULL if carrier.type == NULL_ENUM else _STRING
        if carrier.encoding.string_format is StringFormat.NUMBER:
            return _NUMBER
        if carrier.is_widened and carrier.type == "string":
            return _IN_URL
        return _SCALAR_TYPES.get(carrier.type, _NUMBER) if carrier.type in SCALARS else ALL_TYPES


@cache
def _encode_element(encoding: JsonEncoding) -> JsonEncoding:
    return encoding._replace(is_single=False, is_nullable=False, is_entry=False)


def _index_strings(enum: Enum, present: PresentElements) -> dict[str | None, CarrierState]:
    """Return the JSON strings of the enum's live values, each with its state; None for JSON null."""
    return {
        string: CarrierState.DEPRECATED if value.deprecated else CarrierState.LIVE
        for value in enum.values
        if (enum.name, value.number) in present.values
        for string in value.json
    }
