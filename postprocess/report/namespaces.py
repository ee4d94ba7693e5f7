"""Count coverage by namespace: the types and the service of one namespace together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pipeline.model.contract import Contract
from pipeline.model.diagnostics import Place
from postprocess.report.search_index import get_namespace

ELSEWHERE = "without a message"


def count_by_namespace(places: Iterable[tuple[Place, str]], contract: Contract) -> dict[str, dict[str, int]]:
    """Count by namespace how everything in scope is carried, the largest namespace first.

    The files of the contract tell the namespace of a place.
    """
    homes = _map_places(contract)
    counters: dict[str, Counter[str]] = {}
    for place, how in places:
        counters.setdefault(_find_namespace(place.pointer, homes), Counter())[str(how)] += 1
    largest = sorted(counters.items(), key=lambda item: (-item[1].total(), item[0]))
    return {name: dict(sorted(counts.items())) for name, counts in largest}


def _map_places(contract: Contract) -> dict[str, str]:
    """Map the pointer of each place that became part of the contract to its namespace."""
    files = {name: message.file for name, message in contract.messages.items()}
    namespaces = {place.pointer: get_namespace(files[rpc.request]) for rpc in contract.rpcs for place in rpc.places}
    for message in contract.messages.values():
        for field in message.fields:
            namespaces |= {place.pointer: get_namespace(message.file) for place in field.places}
    namespaces |= {enum.place.pointer: get_namespace(enum.file) for enum in contract.enums.values()}
    return namespaces | {message.place.pointer: get_namespace(message.file) for message in contract.messages.values()}


def _find_namespace(pointer: str, homes: dict[str, str]) -> str:
    while pointer:
        if pointer in homes:
            return homes[pointer]
        pointer = pointer.rpartition("/")[0]
    return ELSEWHERE
