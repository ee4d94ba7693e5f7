"""Build the plans of all messages of a contract from descriptors and binding."""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.descriptor_pool import DescriptorPool

from spec2proto_codec.errors import CodecError
from spec2proto_codec.plans.types import PLAIN_TYPES, EnumPlan, FieldPlan, Label, MessagePlan, Rank, parse_options

_KINDS = ("", "int32", "int64", "uint32", "uint64", "double", "float", "bool", "enum", "string", "message")
"""Kind by `cpp_type`, which does not distinguish `sint32` and `sfixed32` from `int32`; bytes are strings there."""
_SINGLE_FIELDS = dict.fromkeys(("items", "entries", "value"), "content_field")
_SINGLE_FIELDS |= {"rest": "rest_field", "key": "key_field"}
"""Attribute of `MessagePlan` by role, for roles that one field of a message has."""
_RANKS = {"bool": 2, "int32": 3, "uint32": 3, "int64": 4, "uint64": 5, "float": 6, "double": 7, "bytes": 3, "string": 9}
_RANKS |= {"object": 2, "request": 2, "response": 2, "tuple": 3, "array": 4, "entry": 5}
_RANKS |= {"map": 6, "number": 8, "any": 20}
"""First number of the rank of a scalar type or of a form; see `FieldPlan.rank`."""
_OTHER_RANK = 10
_DOCUMENT_RANK = 19
_DEPTH = 16


class Plans:
    """The plans of all messages of a contract.

    Attributes:
        messages: plan of each message, by full name.
    """

    def __init__(self, pool: DescriptorPool, binding: dict[str, Any]) -> None:
        """Build the plans from a parsed `binding.json`, and from a pool with the descriptors of all its messages."""
        self._enum_texts: dict[str, dict[str, list[str | None]]] = binding["enums"]
        self._enums: dict[str, EnumPlan] = {}
        self.messages = {name: MessagePlan(name, entry["form"]) for name, entry in binding["messages"].items()}
        for name, entry in binding["messages"].items():
            self._add_fields(self.messages[name], pool.FindMessageTypeByName(name), entry)
        for plan in self.messages.values():
            _sort_fields_by_role(plan)
            _find_required(plan)
        for _ in range(_DEPTH):
            if not [plan for plan in self.messages.values() if _update_from_types(plan)]:
                break
        for plan in self.messages.values():
            for item in plan.fields.values():
                item.rank = _rank_field(item)

    def get_plan(self, name: str) -> MessagePlan:
        """Return the plan of the message with this full name. Raise `CodecError` if the binding has no such message."""
        plan = self.messages.get(name)
        if plan is None:
            raise CodecError(f"the binding has no message `{name}`")
        return plan

    def _add_fields(self, plan: MessagePlan, descriptor: Descriptor, entry: dict[str, Any]) -> None:
        plan.excluded = entry.get("excluded", {})
        for item in descriptor.fields:
            field_entry = entry["fields"].get(item.name)
            if field_entry is not None:
                plan.fields[item.number] = self._build_field(item, field_entry)

    def _build_field(self, item: FieldDescriptor, entry: dict[str, Any]) -> FieldPlan:
        """Return the plan of a field from its descriptor and its entry in the binding."""
        options = parse_options(tuple(entry.get("options", ())))
        inner = item.message_type
        is_map = inner is not None and inner.GetOptions().map_entry
        label = Label.MAP if is_map else Label.LIST if item.is_repeated else Label.ONE
        value = inner.fields_by_name["value"] if inner is not None and is_map else item
        kind = "bytes" if value.type == FieldDescriptor.TYPE_BYTES else _KINDS[value.cpp_type]
        return FieldPlan(
            name=item.name,
            number=item.number,
            role=entry["role"],
            key=entry.get("json", item.name) if options.position is None else str(options.position),
            kind=kind,
            label=label,
            options=options,
            oneof=_get_oneof(item),
            has_presence=label is Label.ONE and item.has_presence,
            optional=options.optional and not item.has_presence,
            wrapped=options.entry or bool(options.shorthand),
            message=None if value.message_type is None else self.messages.get(value.message_type.full_name),
            enum=None if value.enum_type is None else self._get_enum(value.enum_type),
            plain=None if options.coding or label is not Label.ONE else PLAIN_TYPES.get(kind),
        )

    def _get_enum(self, descriptor: EnumDescriptor) -> EnumPlan:
        """Return the plan of an enum; the first value of a number and the first number of a string win."""
        name = descriptor.full_name
        if name not in self._enums:
            texts_by_value = self._enum_texts.get(name, {})
            numbers: dict[str | None, int] = {}
            texts: dict[int, tuple[str | None, ...]] = {}
            for value in descriptor.values:
                value_texts = tuple(texts_by_value.get(value.name, ()))
                if value_texts and value.number not in texts:
                    texts[value.number] = value_texts
                    numbers |= {text: value.number for text in value_texts if text not in numbers}
            self._enums[name] = EnumPlan(name, numbers, texts)
        return self._enums[name]


def _get_oneof(item: FieldDescriptor) -> str:
    """Return the name of a field's oneof; the synthetic oneof of an `optional` field does not count."""
    oneof = item.containing_oneof
    return oneof.name if oneof is not None and not oneof.name.startswith("_") else ""


def _sort_fields_by_role(plan: MessagePlan) -> None:
    groups: dict[str, list[FieldPlan]] = {}
    for item in sorted(plan.fields.values(), key=lambda item: item.number):
        if item.role == "property":
            plan.properties[item.key] = item
        elif item.role == "parameter":
            plan.parameters.setdefault(item.key, []).append(item)
        elif item.role == "variant":
            plan.variants.append(item)
        elif item.role == "spread":
            groups.setdefault(item.oneof or item.name, []).append(item)
        elif item.role == "item":
            plan.items.append(item)
        elif item.role in _SINGLE_FIELDS:
            setattr(plan, _SINGLE_FIELDS[item.role], item)
    if plan.form == "lines":
        plan.variants.sort(key=lambda item: (item.takes_any_line, item.number))
    plan.items.sort(key=lambda item: item.options.position or 0)
    plan.spreads = list(groups.values())
    plan.has_only_properties = len(plan.properties) == len(plan.fields)
    plan.constants = [item for item in plan.properties.values() if item.kind == "enum" and item.label is Label.ONE]


def _find_required(plan: MessagePlan) -> None:
    items = [*plan.properties.values(), *plan.items] if plan.form in {"object", "request", "tuple"} else []
    plan.always_written = [item for item in items if _is_needed(item)]
    plan.required_keys = frozenset(
        item.key
        for item in items
        if item.options.required
        or item.options.writes_null
        or (item.label is Label.ONE and not item.has_presence and not item.optional)
    )


def _is_needed(item: FieldPlan) -> bool:
    if item.label is not Label.ONE:
        return item.options.required or item.options.writes_null
    return item.options.writes_null or (not item.has_presence and not item.oneof and item.kind != "enum")


def _update_from_types(plan: MessagePlan) -> bool:
    """Update keys, openness and nulls of a plan from the types of its fields; return whether that changed anything."""
    before = plan.known_keys, plan.is_open, [item.takes_null for item in plan.fields.values()]
    for item in plan.fields.values():
        item.takes_null = _can_hold_null(item)
    inner_plans = [item.message for group in plan.spreads for item in group if item.message is not None]
    if plan.form == "union":
        inner_plans += [item.message for item in plan.variants if item.message is not None]
        plan.is_open = any(item.label is Label.MAP or item.options.coding == "document" for item in plan.variants)
    plan.known_keys = frozenset(plan.properties).union(*(other.known_keys for other in inner_plans))
    plan.is_open = plan.is_open or plan.rest_field is not None or any(other.is_open for other in inner_plans)
    plan.is_open = plan.is_open or plan.form in {"map", "any", "entry"}
    return before != (plan.known_keys, plan.is_open, [item.takes_null for item in plan.fields.values()])


def _can_hold_null(item: FieldPlan) -> bool:
    """Return whether null is a value of the field's type, so that it needs no spelling note."""
    if item.label is not Label.ONE and item.role != "variant":
        return False
    if item.enum is not None:
        return None in item.enum.numbers
    plan = item.message
    return plan is not None and plan.form in {"any", "union"} and any(variant.takes_null for variant in plan.variants)


def _rank_field(item: FieldPlan, depth: int = 0) -> Rank:
    """Return how special a field is among variants that take one JSON type; the lowest rank is the most special."""
    if item.label is not Label.ONE:
        return (_RANKS["array" if item.label is Label.LIST else "map"], 0, 0)
    if item.kind == "enum":
        return (1, len(item.texts.numbers), 0)
    if item.options.coding == "document":
        return (_DOCUMENT_RANK, 0, 0)
    if item.kind != "message":
        return (_RANKS["number" if item.options.coding == "number" else item.kind], 0, 0)
    plan = item.plan
    if plan.form == "union" and depth < _DEPTH:
        return min((_rank_field(variant, depth + 1) for variant in plan.variants), default=(_OTHER_RANK, 0, 0))
    return (_RANKS.get(plan.form, _OTHER_RANK), -len(plan.required_keys), len(plan.known_keys))
