"""Encode JSON values as protobuf messages.

The encoder never drops a value silently: it raises a `CodecError` that names the place in the JSON. Spellings that
protobuf cannot represent become spelling notes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from spec2proto_codec.encode import forms, line_groups
from spec2proto_codec.encode.protocol import NO_KEYS, Keys, Spelling
from spec2proto_codec.encode.variant_choice import VariantChooser
from spec2proto_codec.errors import CodecError, describe
from spec2proto_codec.formats import documents, numbers
from spec2proto_codec.formats.documents import Encoding
from spec2proto_codec.formats.json import check_string, write, write_bytes
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan
from spec2proto_codec.values import dynamic, scalars, spelling_notes
from spec2proto_codec.values.spelling_notes import Kind, encode_record

Unknown = Literal["error", "keep", "ignore"]  # What to do with keys and enum strings that the contract does not have.


class Encoder:
    """Encodes the values of one JSON document.

    Attributes:
        unknown: what to do with keys and enum strings that the contract does not have.
        documents: encoding of JSON documents in `bytes` fields.
        sources: JSON text of each NDJSON line, by the `id` of its value; empty unless documents are JSON.
        loose: whether a number or a boolean may stand in place of a string.
        chooser: chooses union variants and remembers costs.
    """

    def __init__(self, unknown: Unknown = "error", documents: Encoding = "json") -> None:
        self.unknown = unknown
        self.documents: Encoding = documents
        self.sources: dict[int, bytes] = {}
        self.loose = False
        self.chooser = VariantChooser()

    def fill(self, message: Any, plan: MessagePlan, value: Any, key: str | None = None) -> None:
        """Put a JSON value into an empty message; `key` is the key above the value, if the message holds it."""
        if plan.form in dynamic.FORMS:
            dynamic.fill(message, plan, value)
            return
        if key is not None and plan.key_field is not None:
            setattr(message, plan.key_field.name, check_string(key))
        records = _FORMS[plan.form](self, message, plan, value, key)
        if records:
            spelling_notes.attach(message, records)

    def fill_object(
        self,
        message: Any,
        plan: MessagePlan,
        value: Any,
        whole: dict[str, Any] | None = None,
        outer_keys: Keys = NO_KEYS,
    ) -> bytes:
        """Put an object into an empty message; return the note records for the message.

        Args:
            message: the message.
            plan: plan of the message.
            value: the object, or the subset of it that a spread field holds.
            whole: the object that contains the subset; None if `value` is a whole object.
            outer_keys: keys of the whole object that the outer message holds.
        """
        if type(value) is not dict:
            raise CodecError(f"expected an object, found {describe(value)}")
        records = b""
        others: dict[str, Any] = {}
        oneof_keys: dict[str, str] = {}
        for name, entry in value.items():
            item = plan.properties.get(name)
            if item is None:
                others[name] = entry
                continue
            if item.plain is type(entry) and _assign(message, item, entry):
                continue
            if item.oneof and entry is not None and oneof_keys.setdefault(item.oneof, name) != name:
                raise _create_oneof_error(oneof_keys[item.oneof], name)
            records += self.put_at(name, message, item, entry)
        for item in plan.always_written:
            if item.key not in value and item.key not in outer_keys:
                records += encode_record(Kind.ABSENT, item.number)
        if not others:
            return records
        if plan.spreads:
            outer_keys |= value.keys() & plan.properties.keys()
        return records + self._put_others(message, plan, others, whole or value, oneof_keys, outer_keys)

    def _put_others(
        self,
        message: Any,
        plan: MessagePlan,
        others: dict[str, Any],
        whole: dict[str, Any],
        oneof_keys: dict[str, str],
        outer_keys: Keys,
    ) -> bytes:
        """Put the keys that are no properties into spread fields and the field for the rest; return note records."""
        for item, subset in self.chooser.split_spreads(plan, others, whole):
            if item.oneof in oneof_keys:
                raise _create_oneof_error(oneof_keys[item.oneof], next(iter(subset)))
            inner = getattr(message, item.name)
            inner.SetInParent()
            records = self.fill_subset(inner, item.plan, subset, whole, outer_keys)
            if records:
                spelling_notes.attach(inner, records)
            others = {name: entry for name, entry in others.items() if name not in subset}
        if others and plan.rest_field is not None:
            return self.put(message, plan.rest_field, others)
        return self._handle_unknown_keys(plan, others)

    def fill_subset(
        self, inner: Any, plan: MessagePlan, subset: dict[str, Any], whole: dict[str, Any], outer_keys: Keys = NO_KEYS
    ) -> bytes:
        """Put a subset of an object into the message of a variant; return the note records for that message."""
        if plan.form == "object":
            return self.fill_object(inner, plan, subset, whole, outer_keys)
        self.fill(inner, plan, subset)
        return b""

    def _handle_unknown_keys(self, plan: MessagePlan, others: dict[str, Any]) -> bytes:
        """Return the note record that keeps unknown keys, or nothing if they are ignored."""
        if not others or self.unknown == "ignore":
            return b""
        if self.unknown == "keep":
            return encode_record(Kind.KEPT, 0, write_bytes(others))
        name = next(iter(others))
        rule = plan.excluded.get(name)
        raise CodecError(f"excluded by rule {rule}" if rule else f"no such property in {plan.short}", name)

    def put_at(self, step: str | int, message: Any, item: FieldPlan, value: Any) -> bytes:
        """Put a JSON value into a field as `put` does; errors name the key or index `step`."""
        try:
            return self.put(message, item, value)
        except CodecError as error:
            raise error.add_step(step) from None

    def put(self, message: Any, item: FieldPlan, value: Any, key: str | None = None) -> bytes:
        """Put a JSON value into a field; return the note records for the message that has the field.

        `key` is the key under which the value stands, if the field's message is to hold that key.
        """
        if value is None and not item.takes_null:
            return b"" if item.options.writes_null else encode_record(Kind.NULL, item.number)
        if item.label is not Label.ONE:
            put_all = forms.put_list if item.label is Label.LIST else forms.put_map
            return put_all(self, message, item, value)
        if item.kind == "message":
            inner = getattr(message, item.name)
            inner.SetInParent()
            self.fill_inner(inner, item, value, key)
            return b""
        converted, spelling = self.convert_scalar(item, value)
        setattr(message, item.name, converted)
        if item.optional and not converted and spelling is None:
            return encode_record(Kind.EMPTY, item.number)
        return encode_record(spelling[0], item.number, spelling[1]) if spelling else b""

    def fill_inner(self, inner: Any, item: FieldPlan, value: Any, key: str | None = None) -> None:
        """Fill the message of a field with a JSON value, which may stand under a key or as a shorthand."""
        if not item.wrapped:
            self.fill(inner, item.plan, value, key)
        elif item.options.entry:
            if type(value) is not dict or len(value) != 1:
                raise CodecError(f"expected an object of one key, found {describe(value)}")
            key, value = next(iter(value.items()))
            try:
                self._fill_shorthand(inner, item, value, key)
            except CodecError as error:
                raise error.add_step(key) from None
        else:
            self._fill_shorthand(inner, item, value, key)

    def _fill_shorthand(self, inner: Any, item: FieldPlan, value: Any, key: str | None) -> None:
        """Fill the message of a field with an object, or with its one property that stands alone."""
        if item.options.shorthand and type(value) is not dict:
            self.fill(inner, item.plan, {item.options.shorthand: value}, key)
            spelling_notes.attach(inner, encode_record(Kind.ALONE))
        else:
            self.fill(inner, item.plan, value, key)

    def convert_scalar(self, item: FieldPlan, value: Any) -> tuple[Any, Spelling | None]:
        """Convert a JSON value to the value of a field that is no message.

        Return it with the spelling to note, which is None if the canonical spelling gives the JSON value back.
        """
        options = item.options
        if item.kind == "enum":
            return self._convert_enum(item, value)
        if options.coding == "document":
            return documents.write_document(value, self.documents), None
        if self.loose and item.plain is str and (type(value) is bool or numbers.is_number(value)):
            return write(value), (Kind.DIGITS, write_bytes(value))
        if options.quoted and type(value) is str:
            converted, spelling = self.convert_scalar(item, scalars.parse_quoted(item, value))
            is_canonical = spelling is None and write(scalars.decode_scalar(item, converted)) == value
            return converted, (Kind.QUOTED, b"" if is_canonical else check_string(value).encode())
        if item.kind in {"float", "double"}:
            return _convert_float(item, value)
        return scalars.encode_scalar(item, value), None

    def _convert_enum(self, item: FieldPlan, value: Any) -> tuple[int, Spelling | None]:
        plan = item.texts
        number = plan.numbers.get(value) if value is None or type(value) is str else None
        if number is not None:
            return number, None if plan.texts[number][0] == value else (Kind.TEXT, value.encode())
        if type(value) is not str:
            raise CodecError(f"expected a string, found {describe(value)}")
        if self.unknown == "keep":
            return 0, (Kind.TEXT, check_string(value).encode())
        raise CodecError(f"{describe(value)} is no value of {plan.name.rpartition('.')[2]}")


def _assign(message: Any, item: FieldPlan, value: Any) -> bool:
    """Assign a value without conversion; return False if the field refuses it or needs a check or a note."""
    if item.oneof or (item.optional and not value):
        return False
    try:
        setattr(message, item.name, value)
    except ValueError:
        return False
    return True


def _create_oneof_error(first: str, second: str) -> CodecError:
    return CodecError(f"only one of `{first}` and `{second}` can be carried", second)


def _convert_float(item: FieldPlan, value: Any) -> tuple[float, Spelling | None]:
    """Return the float nearest to a number, and the digits to note if the float decodes to another number."""
    if item.kind == "float":
        near = numbers.convert_to_float32(value)
        decoded = numbers.find_shortest(near)
    else:
        near = decoded = numbers.convert_to_double(value)
    return near, None if numbers.is_exact(decoded, value) else (Kind.DIGITS, write_bytes(value))


_Form = Callable[[Encoder, Any, MessagePlan, Any, str | None], bytes]
_FORMS: dict[str, _Form] = {
    "object": lambda encoder, message, plan, value, _: encoder.fill_object(message, plan, value),
    "union": forms.put_union,
    "array": forms.put_array,
    "map": lambda encoder, message, plan, value, _: encoder.put(message, plan.content, value),
    "entry": forms.put_entry,
    "tuple": forms.put_tuple,
    "lines": lambda encoder, message, plan, value, _: line_groups.fill_group(encoder, message, plan, value),
}
