"""List the entry points of an rpc: its parameters, request bodies and responses, each with the field that holds it.

Sources: OpenAPI 3.1.0, sections 4.8.10 to 4.8.17; RFC 9110, section 9.3.2 (HEAD).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.model.contract import Field, JsonRole, Label, Rpc
from pipeline.model.schema_facts import OperationFacts, SchemaFacts
from preprocess.trace.carriers import Carrier, CarrierState
from preprocess.trace.contract_index import ContractIndex
from preprocess.trace.resolved_schemas import ResolvedSchemas


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A parameter, request body or response with the carrier of its values; None if its message has no field."""

    node: SchemaFacts
    message: str
    carrier: Carrier | None = None


@dataclass(frozen=True, slots=True)
class EntryPoints:
    """Lists entry points, from the indexed contract and the resolved component schemas."""

    index: ContractIndex
    resolved: ResolvedSchemas

    def list_all(self, operation: OperationFacts, rpc: Rpc) -> Iterator[EntryPoint]:
        """Yield the entry points of one operation, which is an HTTP form of the rpc."""
        request = self.index.messages.get(rpc.request)
        shared = [item.type for item in request.select_roles({JsonRole.GLOBAL})] if request is not None else []
        for parameter in operation.parameters:
            yield from self._list_parameter(parameter, [rpc.request, *shared])
        is_inline = bool(request and request.properties)
        for body in operation.bodies:
            yield from self._list_content(body, operation.bodies, rpc.request, is_inline=is_inline)
        if all(binding.method == "HEAD" for binding in rpc.bindings):
            yield self._locate_existence(operation, rpc.response)
        for response in operation.responses:
            yield from self._list_content(response, operation.responses, rpc.response, is_inline=False)

    def _locate_existence(self, operation: OperationFacts, message: str) -> EntryPoint:
        """Return the entry point of a HEAD response, which only says whether the resource exists."""
        response = self.index.messages.get(message)
        fields = response.select_roles({JsonRole.EXISTS}) if response is not None else []
        carrier = self.index.get_carrier(message, fields[0]) if fields else None
        return EntryPoint(SchemaFacts(operation.place, types=frozenset({"boolean"})), message, carrier)

    def _list_parameter(self, parameter: SchemaFacts, messages: list[str]) -> Iterator[EntryPoint]:
        entry_points = [
            EntryPoint(parameter, message, self.index.get_carrier(message, item))
            for message in messages
            for item in self._select_fields(parameter, message)
        ]
        yield from entry_points or [EntryPoint(parameter, messages[0])]

    def _select_fields(self, node: SchemaFacts, message: str) -> list[Field]:
        index = self.index.messages.get(message)
        return index.by_place.get(node.place, []) if index is not None else []

    def _list_content(
        self, content: SchemaFacts, alternatives: list[SchemaFacts], message: str, *, is_inline: bool
    ) -> Iterator[EntryPoint]:
        """Yield the field of a body, the field of an alternative with the same schema, or the message itself."""
        schema = content.members[0]
        same = [other.members[0] for other in alternatives if schema.ref and other.members[0].ref == schema.ref]
        fields = next((fields for each in (schema, *same) if (fields := self._select_fields(each, message))), [])
        for item in fields:
            yield EntryPoint(content, message, self._adapt_label(content, message, item))
        index = self.index.messages.get(message)
        is_message = index is not None and index.definition.place in self.resolved.get_places(content)
        if not fields and (is_inline or is_message):
            yield EntryPoint(content, message, Carrier(CarrierState.LIVE, message, message))
        elif not fields:
            yield EntryPoint(content, message)

    def _adapt_label(self, content: SchemaFacts, message: str, item: Field) -> Carrier:
        """Return the carrier of a body in its field; the field of a streamed array holds one item a message."""
        carrier = self.index.get_carrier(message, item)
        if carrier.label is Label.REPEATED:
            return carrier if self.resolved.can_be_list(content) else self.index.derive_element(carrier, "items")
        is_array = item.role is JsonRole.CONTENT and "array" in self.resolved.get_types(content)
        if is_array and "array" not in self.index.get_json_types(self.index.unwrap(carrier)):
            return self.index.derive(carrier, label=Label.REPEATED)
        return carrier
