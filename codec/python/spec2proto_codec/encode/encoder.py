"""Encoding: a JSON value becomes the content of a message.

What cannot be carried is an error with the place in the JSON; nothing is dropped in silence. What protobuf cannot tell
apart goes into a spelling note (`note`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from spec2proto_codec.encode import forms, line_groups, lists
from spec2proto_codec.encode.protocol import NO_KEYS, Keys
from spec2proto_codec.encode.variant_choice import VariantChooser
from spec2proto_codec.errors import CodecError, shown
from spec2proto_codec.formats import documents, numbers
from spec2proto_codec.formats.documents import Encoding
from spec2proto_codec.formats.json import check_string, write, write_bytes
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan
from spec2proto_codec.values import dynamic, scalars, spelling_notes
from spec2proto_codec.values.spelling_notes import Kind, encode_record

Unknown = Literal["error", "keep", "ignore"]


class Encoder:
    """Encodes the values of one JSON document.

    Attributes:
        unknown: what becomes of keys and enum texts that the contract does not have.
        documents: how documents are encoded.
        sources: the JSON texts of lines, by the `id` of their values, where documents are JSON.
        loose: whether a number or a boolean may stand in place of a text.
        chooser: what is known of the document's values so far.
    """

    def __init__(self, unknown: Unknown = "error", documents: Encoding = "json") -> None:
        """Begin a document."""
        self.unknown = unknown
        self.documents: Encoding = documents
        self.sources: dict[int, bytes] = {}
        self.loose = False
        self.chooser = VariantChooser()

    def fill(self, message: Any, plan: MessagePlan, value: Any, key: str | None = None) -> None:
        """Put a JSON value into a message.

        Args:
            message: empty.
            plan: of its type.
            value: the JSON value.
            key: the one key that the value stands under, where the message holds it.

        Raises:
            CodecError: what cannot be carried, and where it stands.
        """
        if plan.form in dynamic.FORMS:
            dynamic.fill(message, plan, value)
            return
        if key is not None and plan.key is not None:
            setattr(message, plan.key.name, check_string(key))
        records = _FORMS[plan.form](self, message, plan, value, key)
        if records:
            spelling_notes.attach(message, records)

    def fill_object(
        self, message: Any, plan: MessagePlan, value: Any, whole: dict[str, Any] | None = None, own: Keys = NO_KEYS
    ) -> bytes:
        """Put an object, or a part of one, into a message; returns what is to be noted.

        Args:
            message: empty.
            plan: of its type.
            value: the object or the part.
            whole: all keys, of a part.
            own: of a part, the keys that the message around it has as properties, which are read before those of parts.

        Raises:
            CodecError: what cannot be carried, and where it stands.
        """
        if type(value) is not dict:
            raise CodecError(f"expected an object, found {shown(value)}")
        records = b""
        left: dict[str, Any] = {}
        taken: dict[str, str] = {}
        for name, entry in value.items():
            item = plan.properties.get(name)
            if item is None:
                left[name] = entry
                continue
            if item.plain is type(entry) and _set(message, item, entry):
                continue
            if item.oneof and entry is not None and taken.setdefault(item.oneof, name) != name:
                raise CodecError(f"only one of `{taken[item.oneof]}` and `{name}` can be carried", name)
            records += self.put_at(name, message, item, entry)
        for item in plan.needed:
            if item.key not in value and item.key not in own:
                records += encode_record(Kind.ABSENT, item.number)
        if not left:
            return records
        held = own | (value.keys() & plan.properties.keys()) if plan.spreads else own
        return records + self._put_other_keys(message, plan, left, whole or value, taken, held)

    def put_at(self, step: str | int, message: Any, item: FieldPlan, value: Any) -> bytes:
        """The same as `put`, of a value that stands under a key or an index."""
        try:
            return self.put(message, item, value)
        except CodecError as error:
            raise error.at(step) from None

    def _put_other_keys(
        self,
        message: Any,
        plan: MessagePlan,
        left: dict[str, Any],
        whole: dict[str, Any],
        taken: dict[str, str],
        own: Keys,
    ) -> bytes:
        """The keys that are no properties of the object: of its variants, of its rest, or unknown."""
        records = b""
        for item, part in self.chooser.split_spreads(plan, left, whole):
            if item.oneof in taken:
                name = next(iter(part))
                raise CodecError(f"only one of `{taken[item.oneof]}` and `{name}` can be carried", name)
            inner = getattr(message, item.name)
            inner.SetInParent()
            found = self.fill_part(inner, item.plan, part, whole, own)
            if found:
                spelling_notes.attach(inner, found)
            left = {name: entry for name, entry in left.items() if name not in part}
        if left and plan.rest is not None:
            return records + self._put_rest(message, plan.rest, left)
        return records + self.handle_unknown_keys(plan, left)

    def fill_part(
        self, inner: Any, plan: MessagePlan, part: dict[str, Any], whole: dict[str, Any], own: Keys = NO_KEYS
    ) -> bytes:
        """Put a part of an object into the message of a variant; returns what is to be noted there."""
        if plan.form == "object":
            return self.fill_object(inner, plan, part, whole, own)
        self.fill(inner, plan, part)
        return b""

    def _put_rest(self, message: Any, item: FieldPlan, left: dict[str, Any]) -> bytes:
        return self.put(message, item, left)

    def handle_unknown_keys(self, plan: MessagePlan, left: dict[str, Any]) -> bytes:
        """What is to be noted of keys that the contract does not have.

        Raises:
            CodecError: unless they are kept or ignored.
        """
        if not left or self.unknown == "ignore":
            return b""
        if self.unknown == "keep":
            return encode_record(Kind.KEPT, 0, write_bytes(left))
        name = next(iter(left))
        why = plan.excluded.get(name)
        reason = f"excluded by rule {why}" if why else f"no such property in {plan.short}"
        raise CodecError(reason, name)

    def put(self, message: Any, item: FieldPlan, value: Any, key: str | None = None) -> bytes:
        """Put a value into a field; returns what is to be noted of it in its message."""
        if value is None and not item.takes_null:
            return b"" if item.options.writes_null else encode_record(Kind.NULL, item.number)
        if item.label is Label.ONE:
            return self._put_one(message, item, value, key)
        several = lists.put_list if item.label is Label.LIST else lists.put_map
        return several(self, message, item, value)

    def _put_one(self, message: Any, item: FieldPlan, value: Any, key: str | None) -> bytes:
        if item.kind == "message":
            inner = getattr(message, item.name)
            inner.SetInParent()
            self.fill_inner(inner, item, value, key)
            return b""
        made, told = self.convert_scalar(item, value)
        setattr(message, item.name, made)
        if item.optional and not made and told is None:
            told = (Kind.EMPTY, b"")
        return encode_record(told[0], item.number, told[1]) if told else b""

    def fill_inner(self, inner: Any, item: FieldPlan, value: Any, key: str | None = None) -> None:
        """Put a value into the message of a field: under its key, or as the property that stands alone for it."""
        if item.options.entry:
            if type(value) is not dict or len(value) != 1:
                raise CodecError(f"expected an object of one key, found {shown(value)}")
            key, value = next(iter(value.items()))
            try:
                self._fill_unwrapped(inner, item, value, key)
            except CodecError as error:
                raise error.at(key) from None
        else:
            self._fill_unwrapped(inner, item, value, key)

    def _fill_unwrapped(self, inner: Any, item: FieldPlan, value: Any, key: str | None) -> None:
        if item.options.shorthand and type(value) is not dict:
            self.fill(inner, item.plan, {item.options.shorthand: value}, key)
            spelling_notes.attach(inner, encode_record(Kind.ALONE))
        else:
            self.fill(inner, item.plan, value, key)

    def convert_scalar(self, item: FieldPlan, value: Any) -> tuple[Any, tuple[Kind, bytes] | None]:
        """The value that a field other than a message gets, and what is to be noted."""
        if item.kind == "enum":
            return self._convert_enum(item, value)
        if item.options.coding == "document":
            return documents.write_document(value, self.documents), None
        if self.loose and item.plain is str and (type(value) is bool or numbers.is_number(value)):
            return write(value), (Kind.DIGITS, write_bytes(value))
        if item.options.quoted and type(value) is str:
            made, told = self.convert_scalar(item, scalars.parse_quoted(item, value))
            same = told is None and write(scalars.decode_scalar(item, made)) == value
            return made, (Kind.QUOTED, b"" if same else check_string(value).encode())
        if item.kind in {"float", "double"}:
            near = numbers.convert_to_float32(value) if item.kind == "float" else numbers.convert_to_double(value)
            back = numbers.find_shortest(near) if item.kind == "float" else near
            return near, None if numbers.is_exact(back, value) else (Kind.DIGITS, write_bytes(value))
        return scalars.encode_scalar(item, value), None

    def _convert_enum(self, item: FieldPlan, value: Any) -> tuple[int, tuple[Kind, bytes] | None]:
        plan = item.texts
        number = plan.numbers.get(value) if value is None or type(value) is str else None
        if number is not None:
            return number, None if plan.texts[number][0] == value else (Kind.TEXT, value.encode())
        if type(value) is not str:
            raise CodecError(f"expected a string, found {shown(value)}")
        if self.unknown == "keep":
            return 0, (Kind.TEXT, check_string(value).encode())
        raise CodecError(f"{shown(value)} is no value of {plan.name.rpartition('.')[2]}")


def _set(message: Any, item: FieldPlan, value: Any) -> bool:
    """Set a value as it is, where that says all of it and the field takes it."""
    if item.oneof or (item.optional and not value):
        return False
    try:
        setattr(message, item.name, value)
    except ValueError:
        return False
    return True


_Form = Callable[[Encoder, Any, MessagePlan, Any, str | None], bytes]
_FORMS: dict[str, _Form] = {
    "object": lambda encoder, message, plan, value, _: encoder.fill_object(message, plan, value),
    "union": forms.union,
    "array": forms.array,
    "map": lambda encoder, message, plan, value, _: encoder.put(message, plan.content, value),
    "entry": forms.entry,
    "tuple": forms.positions,
    "lines": lambda encoder, message, plan, value, _: line_groups.fill_one(encoder, message, plan, value),
}
