"""The encoder as seen by the modules for forms, lists and line groups, which need not import it."""

from __future__ import annotations

from typing import Any, Protocol

from spec2proto_codec.encode.variant_choice import VariantChooser
from spec2proto_codec.plans.types import FieldPlan, MessagePlan
from spec2proto_codec.values.spelling_notes import Kind

Keys = frozenset[str]
NO_KEYS: Keys = frozenset()
Spelling = tuple[Kind, bytes]  # Kind and argument of the record that describes how JSON spelled a scalar.


class ValueEncoder(Protocol):
    """Encodes inner values; `Encoder` describes the attributes and methods."""

    sources: dict[int, bytes]
    loose: bool
    chooser: VariantChooser

    def put(self, message: Any, item: FieldPlan, value: Any, key: str | None = None) -> bytes:
        """Put a JSON value into a field; return the note records for the field's message."""

    def put_at(self, step: str | int, message: Any, item: FieldPlan, value: Any) -> bytes:
        """Put a JSON value into a field as `put` does; errors name the key or index `step`."""

    def fill_inner(self, inner: Any, item: FieldPlan, value: Any, key: str | None = None) -> None:
        """Fill the message of a field with a JSON value."""

    def fill_subset(
        self, inner: Any, plan: MessagePlan, subset: dict[str, Any], whole: dict[str, Any], outer_keys: Keys = NO_KEYS
    ) -> bytes:
        """Fill the message of a variant with its subset of an object; return the note records for that message."""

    def convert_scalar(self, item: FieldPlan, value: Any) -> tuple[Any, Spelling | None]:
        """Convert a JSON value to the value of a scalar or enum field; return it with its spelling."""
