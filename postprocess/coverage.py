"""The coverage gate: everything in scope has a live field in the compiled protos, or a rule that excludes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from pipeline.model.contract import Contract, Field, Message
from pipeline.model.findings import Finding, Place

DYNAMIC = frozenset({"ObjectMap", "ObjectMap.Value"})


class InScope(Protocol):
    """Something in scope: see `preprocess.coverage.Element`."""

    @property
    def kind(self) -> str:
        """`operation`, `parameter` or `property`."""

    @property
    def name(self) -> str:
        """As the API spells it."""

    @property
    def place(self) -> Place:
        """Where it stands."""

    @property
    def required(self) -> bool:
        """Whether it must be given."""

    @property
    def group(self) -> str:
        """The operation group of a parameter, else empty."""


@dataclass(slots=True)
class Coverage:
    """How everything in scope is carried.

    Attributes:
        counts: by kind, then `typed`, `dynamic`, `deprecated` or `excluded`.
        findings: what is carried by nothing.
    """

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def check_coverage(
    elements: Iterable[InScope], contract: Contract, compiled: set[tuple[str, int]], rpcs: set[str]
) -> Coverage:
    """Account for everything in scope.

    Args:
        elements: everything in scope, listed from the spec.
        contract: which field comes from where.
        compiled: message name and number of each field in the compiled protos that is not deprecated by the lock.
        rpcs: `Service/Rpc` of each compiled rpc.
    """
    carried = _carried(contract.messages.values(), compiled)
    requests = _requests(contract, compiled)
    operations = {place.pointer for rpc in contract.rpcs if f"{rpc.service}/{rpc.name}" in rpcs for place in rpc.places}
    excluded = {exclusion.place.pointer for exclusion in contract.exclusions}
    replaced = {
        place.pointer for message in contract.messages.values() for item in message.fields for place in item.places[1:]
    }
    result = Coverage()
    for element in elements:
        pointer = element.place.pointer
        places = requests.get(element.group, {}) if element.group else carried
        how = "typed" if element.kind == "operation" and pointer in operations else places.get(pointer, "")
        if not how and pointer in excluded:
            how = "excluded"
        if not how and any(above in replaced for above in _above(pointer)):
            how = "typed"
        if not how:
            owner = f" of `{element.group}`" if element.group else ""
            what = (
                f"{element.kind} `{element.name}`{owner}{' (required)' if element.required else ''} has no live field"
            )
            hint = "exclude it by a rule of the profile, or report the missing conversion"
            result.findings.append(Finding("coverage/lost", what, element.place, hint))
            how = "lost"
        result.counts.setdefault(element.kind, Counter())[how] += 1
    return result


def _above(pointer: str) -> Iterable[str]:
    """The pointers of everything around a place; a property that another replaced takes with it what is inside."""
    while pointer:
        pointer = pointer.rpartition("/")[0]
        yield pointer


def _requests(contract: Contract, compiled: set[tuple[str, int]]) -> dict[str, dict[str, str]]:
    """How each place is carried by the request of an operation group alone, and by the parameters that all share."""
    shared = [message for message in contract.messages.values() if message.schema == "global:"]
    found = {}
    for rpc in contract.rpcs:
        if rpc.request in contract.messages:
            found[rpc.group] = _carried([contract.messages[rpc.request], *shared], compiled)
    return found


def _carried(messages: Iterable[Message], compiled: set[tuple[str, int]]) -> dict[str, str]:
    """How each place of the spec is carried, by its pointer; the best of several."""
    best = {"typed": 3, "dynamic": 2, "deprecated": 1}
    found: dict[str, str] = {}
    for message in messages:
        for item in message.fields:
            if (message.name, item.number) not in compiled:
                continue
            how = _how(item)
            for place in item.places:
                if best[how] > best.get(found.get(place.pointer, ""), 0):
                    found[place.pointer] = how
    return found


def _how(item: Field) -> str:
    if item.deprecated:
        return "deprecated"
    return "dynamic" if item.type in DYNAMIC else "typed"
