"""Plans from descriptors and binding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.descriptor_pool import DescriptorPool

from spec2proto_codec.errors import CodecError
from spec2proto_codec.plans.types import EnumPlan, FieldPlan, Label, MessagePlan

_CODINGS = frozenset({"document", "base64", "base64url", "raw", "number"})
_SCALARS = {
    FieldDescriptor.TYPE_DOUBLE: "double",
    FieldDescriptor.TYPE_FLOAT: "float",
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_SINT32: "int32",
    FieldDescriptor.TYPE_SFIXED32: "int32",
    FieldDescriptor.TYPE_INT64: "int64",
    FieldDescriptor.TYPE_SINT64: "int64",
    FieldDescriptor.TYPE_SFIXED64: "int64",
    FieldDescriptor.TYPE_UINT32: "uint32",
    FieldDescriptor.TYPE_FIXED32: "uint32",
    FieldDescriptor.TYPE_UINT64: "uint64",
    FieldDescriptor.TYPE_FIXED64: "uint64",
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_BYTES: "bytes",
    FieldDescriptor.TYPE_ENUM: "enum",
    FieldDescriptor.TYPE_MESSAGE: "message",
}
_ORDER = {"bool": 2, "int32": 3, "uint32": 3, "int64": 4, "uint64": 5, "float": 6, "double": 7, "bytes": 3, "string": 9}
_FORMS = {
    "number": 8,
    "object": 2,
    "request": 2,
    "response": 2,
    "tuple": 3,
    "array": 4,
    "entry": 5,
    "map": 6,
    "any": 20,
}
_PLAIN = {"string": str, "bool": bool, "int32": int, "int64": int, "uint32": int, "uint64": int}
_DEPTH = 16


class Plans:
    """The plans of all messages of a binding.

    Attributes:
        messages: by full name.
    """

    def __init__(self, pool: DescriptorPool, binding: dict[str, Any]) -> None:
        """Work out the plans.

        Args:
            pool: with the descriptors of all messages that the binding names.
            binding: as `postprocess.binding.writer` writes it.
        """
        self._pool = pool
        self._enums: dict[str, dict[str, list[str | None]]] = binding["enums"]
        self._made: dict[str, EnumPlan] = {}
        self.messages = {name: MessagePlan(name, told["form"]) for name, told in binding["messages"].items()}
        for name, told in binding["messages"].items():
            self._fields(self.messages[name], pool.FindMessageTypeByName(name), told)
        for plan in self.messages.values():
            _arrange(plan)
        for _ in range(_DEPTH):
            changed = [plan for plan in self.messages.values() if _settle(plan)]
            if not changed:
                break
        for plan in self.messages.values():
            for item in plan.fields.values():
                item.rank = _rank(item)

    def get_plan(self, name: str) -> MessagePlan:
        """The plan of a message.

        Raises:
            CodecError: when the binding has none.
        """
        plan = self.messages.get(name)
        if plan is None:
            raise CodecError(f"the binding has no message `{name}`")
        return plan

    def _fields(self, plan: MessagePlan, descriptor: Descriptor, told: dict[str, Any]) -> None:
        plan.excluded = told.get("excluded", {})
        for item in descriptor.fields:
            entry = told["fields"].get(item.name)
            if entry is not None:
                plan.fields[item.number] = self._field(item, entry)

    def _field(self, item: FieldDescriptor, told: dict[str, Any]) -> FieldPlan:
        options = tuple(told.get("options", ()))
        inner = item.message_type
        mapped = inner is not None and inner.GetOptions().map_entry
        label = Label.MAP if mapped else Label.LIST if item.is_repeated else Label.ONE
        value = inner.fields_by_name["value"] if inner is not None and mapped else item
        key = _argument(options, "at") or told.get("json", item.name)
        made = FieldPlan(item.name, item.number, told["role"], key, _SCALARS[value.type], label)
        made.oneof = _oneof(item)
        made.presence = label is Label.ONE and item.has_presence
        made.required = "required" in options
        made.optional = "optional" in options and not item.has_presence
        made.writes_null = "null" in options
        made.single = "single" in options
        made.entry = "entry" in options
        made.options = options
        made.coding = next((option for option in options if option in _CODINGS), "")
        made.quoted = "quoted" in options
        made.shorthand = _argument(options, "shorthand")
        made.plain = None if made.coding or label is not Label.ONE else _PLAIN.get(made.kind)
        tags: dict[str, set[str]] = {}
        for option in options:
            if option.startswith("tag:"):
                name, _, text = option.removeprefix("tag:").partition("=")
                tags.setdefault(name, set()).add(text)
        made.tags = {name: frozenset(texts) for name, texts in tags.items()}
        if value.message_type is not None:
            made.message = self.messages.get(value.message_type.full_name)
        if value.enum_type is not None:
            made.enum = self._enum(value.enum_type)
        return made

    def _enum(self, descriptor: EnumDescriptor) -> EnumPlan:
        name = descriptor.full_name
        if name not in self._made:
            told = self._enums.get(name, {})
            numbers: dict[str | None, int] = {}
            texts: dict[int, tuple[str | None, ...]] = {}
            for value in descriptor.values:
                listed = tuple(told.get(value.name, ()))
                if listed and value.number not in texts:
                    texts[value.number] = listed
                    numbers |= {text: value.number for text in listed if text not in numbers}
            self._made[name] = EnumPlan(name, numbers, texts)
        return self._made[name]


def _oneof(item: FieldDescriptor) -> str:
    """The oneof that a field stands in; the one that `optional` makes for itself is none."""
    oneof = item.containing_oneof
    return oneof.name if oneof is not None and not oneof.name.startswith("_") else ""


def _argument(options: Iterable[str], name: str) -> str:
    return next((option.partition(":")[2] for option in options if option.startswith(f"{name}:")), "")


_HOLDERS = {"rest": "rest", "key": "key", "items": "held", "entries": "held", "value": "held"}
"""Roles of which a message has one field, and the attribute of its plan."""


def _arrange(plan: MessagePlan) -> None:
    """Sort the fields of a message into the attributes of its plan, by role."""
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
        elif item.role in _HOLDERS:
            setattr(plan, _HOLDERS[item.role], item)
    if plan.form == "lines":
        plan.variants.sort(key=lambda item: (item.takes_any_line, item.number))
    plan.items.sort(key=lambda item: int(item.key))
    plan.spreads = list(groups.values())
    plan.direct = len(plan.properties) == len(plan.fields)
    _find_required(plan)


def _find_required(plan: MessagePlan) -> None:
    """Set which keys of an object must stand, and which fields are written though they hold nothing."""
    own = [*plan.properties.values(), *plan.items] if plan.form in {"object", "request", "tuple"} else []
    plan.needed = [item for item in own if _needed(item)]
    bare = [item for item in own if item.label is Label.ONE and not item.presence and not item.optional]
    plan.required = frozenset(item.key for item in [*bare, *own] if item in bare or item.required or item.writes_null)
    plan.constants = [item for item in plan.properties.values() if item.kind == "enum" and item.label is Label.ONE]


def _needed(item: FieldPlan) -> bool:
    if item.label is not Label.ONE:
        return item.required or item.writes_null
    return item.writes_null or (not item.presence and not item.oneof and item.kind != "enum")


def _settle(plan: MessagePlan) -> bool:
    """Take over what the types of its fields say of a message; whether that changed anything."""
    before = plan.known, plan.open, [item.takes_null for item in plan.fields.values()]
    for item in plan.fields.values():
        item.takes_null = _takes_null(item)
    inside = [item.message for group in plan.spreads for item in group if item.message is not None]
    if plan.form == "union":
        inside += [item.message for item in plan.variants if item.message is not None]
        plan.open = any(item.label is Label.MAP or item.coding == "document" for item in plan.variants)
    plan.known = frozenset(plan.properties).union(*(other.known for other in inside))
    plan.open = plan.open or plan.rest is not None or any(other.open for other in inside)
    plan.open = plan.open or plan.form in {"map", "any", "entry"}
    return before != (plan.known, plan.open, [item.takes_null for item in plan.fields.values()])


def _takes_null(item: FieldPlan) -> bool:
    """Whether null is a value of the field's type, so that it needs no note."""
    if item.label is not Label.ONE and item.role != "variant":
        return False
    if item.enum is not None:
        return None in item.enum.numbers
    plan = item.message
    return plan is not None and plan_takes_null(plan)


def plan_takes_null(plan: MessagePlan) -> bool:
    """Whether null is a value of a message."""
    return plan.form in {"any", "union"} and any(item.takes_null for item in plan.variants)


def _rank(item: FieldPlan, depth: int = 0) -> tuple[int, int, int]:
    """How special a field is among those that take values of one JSON type; the lowest is the most special."""
    if item.label is not Label.ONE:
        return (4 if item.label is Label.LIST else 6, 0, 0)
    if item.kind == "enum":
        return (1, len(item.texts.numbers), 0)
    if item.coding == "document":
        return (19, 0, 0)
    if item.kind != "message":
        return (8 if item.coding == "number" else _ORDER[item.kind], 0, 0)
    plan = item.plan
    if plan.form == "union" and depth < _DEPTH:
        return min((_rank(variant, depth + 1) for variant in plan.variants), default=(10, 0, 0))
    return (_FORMS.get(plan.form, 10), -len(plan.required), len(plan.known))
