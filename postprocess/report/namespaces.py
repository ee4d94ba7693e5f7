"""Coverage by namespace: what stands in the types and the service of one namespace, taken together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pipeline.model.contract import Contract
from pipeline.model.diagnostics import Place
from postprocess.report.search_index import namespace_of

ELSEWHERE = "without a message"


def by_namespace(places: Iterable[tuple[Place, str]], contract: Contract) -> dict[str, dict[str, int]]:
    """How everything in scope is carried, by namespace, the largest first.

    Args:
        places: where each element stands, and how it is carried.
        contract: whose files say which namespace a place belongs to.
    """
    homes = _homes(contract)
    found: dict[str, Counter[str]] = {}
    for place, how in places:
        found.setdefault(_home(place.pointer, homes), Counter())[str(how)] += 1
    largest = sorted(found.items(), key=lambda item: (-item[1].total(), item[0]))
    return {name: dict(sorted(counts.items())) for name, counts in largest}


def _homes(contract: Contract) -> dict[str, str]:
    """The namespace of each place that something was made from."""
    files = {name: message.file for name, message in contract.messages.items()}
    found = {place.pointer: namespace_of(files[rpc.request]) for rpc in contract.rpcs for place in rpc.places}
    for message in contract.messages.values():
        for field in message.fields:
            found |= {place.pointer: namespace_of(message.file) for place in field.places}
    found |= {enum.place.pointer: namespace_of(enum.file) for enum in contract.enums.values()}
    return found | {message.place.pointer: namespace_of(message.file) for message in contract.messages.values()}


def _home(pointer: str, homes: dict[str, str]) -> str:
    """The namespace of the nearest place around a pointer."""
    while pointer:
        if pointer in homes:
            return homes[pointer]
        pointer = pointer.rpartition("/")[0]
    return ELSEWHERE
