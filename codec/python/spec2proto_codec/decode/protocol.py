"""The decoder as seen by the module of forms, which need not import it."""

from __future__ import annotations

from typing import Any, Protocol

from spec2proto_codec.plans.types import MessagePlan
from spec2proto_codec.values.spelling_notes import Notes


class MessageDecoder(Protocol):
    """Decodes inner messages; each method raises `CodecError` for a message that represents no JSON."""

    def read_fields(self, message: Any, plan: MessagePlan, notes: Notes) -> dict[int, Any]:
        """Return the JSON values of the fields of a message, by field number."""

    def read_object(self, message: Any, plan: MessagePlan, notes: Notes, result: dict[str, Any]) -> None:
        """Add the properties of a message to the object `result`."""
