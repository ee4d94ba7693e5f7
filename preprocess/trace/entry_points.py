"""Entry points: where the values of an rpc begin, in the fields of its request and its response.

Sources: OpenAPI 3.1.0, sections 4.8.10 to 4.8.17; RFC 9110, section 9.3.2 (HEAD).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.model.contract import Field, JsonRole, Label, Rpc
from pipeline.model.schema_facts import OperationFacts, SchemaFacts
from preprocess.trace.carriers import Carrier, ContractIndex, State
from preprocess.trace.resolved_schemas import SeenThrough


@dataclass(frozen=True, slots=True)
class Entry:
    """A parameter, body or answer, or what it is made of, and what carries it; nothing where it has no field."""

    node: SchemaFacts
    message: str
    carrier: Carrier | None = None


def entries(operation: OperationFacts, rpc: Rpc, contents: ContractIndex, seen: SeenThrough) -> Iterator[Entry]:
    """The entry points of one HTTP form of an rpc.

    Args:
        operation: the form.
        rpc: what it became.
        contents: the contract as it was compiled.
        seen: to look through references and compositions.
    """
    request = contents.views.get(rpc.request)
    shared = [item.type for item in request.by_role({JsonRole.GLOBAL})] if request is not None else []
    for parameter in operation.parameters:
        yield from _of_parameter(parameter, [rpc.request, *shared], contents)
    inline = bool(request and request.by_name)
    for body in operation.bodies:
        yield from _of_content(body, operation.bodies, rpc.request, contents, seen, inline=inline)
    if all(binding.method == "HEAD" for binding in rpc.bindings):
        yield from _existence(operation, rpc.response, contents)
    for answer in operation.responses:
        yield from _of_content(answer, operation.responses, rpc.response, contents, seen, inline=False)


def _existence(operation: OperationFacts, message: str, contents: ContractIndex) -> Iterator[Entry]:
    """Whether there is what HEAD asks for is the whole answer."""
    view = contents.views.get(message)
    fields = view.by_role({JsonRole.EXISTS}) if view is not None else []
    found = [contents.carrier(message, item) for item in fields]
    yield Entry(SchemaFacts(operation.place, types=frozenset({"boolean"})), message, found[0] if found else None)


def _of_parameter(parameter: SchemaFacts, messages: list[str], contents: ContractIndex) -> Iterator[Entry]:
    placed = [
        Entry(parameter, message, contents.carrier(message, item))
        for message in messages
        for item in _fields(parameter, message, contents)
    ]
    yield from placed or [Entry(parameter, messages[0])]


def _fields(node: SchemaFacts, message: str, contents: ContractIndex) -> list[Field]:
    view = contents.views.get(message)
    return view.by_place.get(node.place, []) if view is not None else []


def _of_content(
    holder: SchemaFacts,
    among: list[SchemaFacts],
    message: str,
    contents: ContractIndex,
    seen: SeenThrough,
    *,
    inline: bool,
) -> Iterator[Entry]:
    """A body or answer: the field of its schema, of the same one in another form, or the message itself."""
    schema = holder.members[0]
    same = [other.members[0] for other in among if schema.ref and other.members[0].ref == schema.ref]
    listed = next((found for each in (schema, *same) if (found := _fields(each, message, contents))), [])
    for item in listed:
        yield Entry(holder, message, _in_field(holder, contents.carrier(message, item), item, contents, seen))
    view = contents.views.get(message)
    if not listed and (inline or (view is not None and view.message.place in seen.places(holder))):
        yield Entry(holder, message, Carrier(State.LIVE, message, message))
    elif not listed:
        yield Entry(holder, message)


def _in_field(
    holder: SchemaFacts, carrier: Carrier, item: Field, contents: ContractIndex, seen: SeenThrough
) -> Carrier:
    """A body in its field: one of lines has a field for all of them, an answer in pieces one for each."""
    if carrier.label is Label.REPEATED:
        return carrier if seen.is_list_or_item(holder) else contents.one(carrier, "items")
    pieces = item.role is JsonRole.CONTENT and "array" in seen.types(holder)
    taken = contents.accepts(contents.unwrapped(carrier))
    return contents.derived(carrier, label=Label.REPEATED) if pieces and "array" not in taken else carrier
