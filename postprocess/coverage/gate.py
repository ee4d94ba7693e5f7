"""The coverage gate: everything in scope has a live place in the compiled protos, or a rule that excludes it.

A schema is held against each message that its values travel in, so what one of several messages lacks is seen. What has
a declared type must not end in a field for anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from pipeline.model.contract import Contract
from pipeline.model.diagnostics import Diagnostic, Place
from pipeline.model.schema_facts import Element, Kind, ScopeFacts
from postprocess.coverage.constraint_outcomes import Account, accounts
from postprocess.coverage.spec_contradictions import contradictions
from preprocess.constraints.plan import OptionPlan
from preprocess.trace.analysis import TraceAnalysis
from preprocess.trace.carriers import ALIVE, LOST, REPLACED, Carrier, State, choose_best_state
from preprocess.trace.walk import Trace

TYPED, DYNAMIC = "typed", "dynamic"
HINT_LOST = "exclude it by a rule of the profile, or report the missing conversion"
HINT_DYNAMIC = "report the missing conversion, or name a type with `x-protobuf-type` in an overlay"


@dataclass(slots=True)
class Coverage:
    """How everything in scope is carried.

    Attributes:
        counts: by kind, then `typed`, `dynamic`, `deprecated`, `replaced`, `excluded` or `lost`.
        places: where each element stands, and how it is carried.
        fields: how many fields stand for something in the spec.
        dynamic: why the value of a field is free-form, by `Message.field`.
        accounts: what became of each constraint.
        diagnostics: what is carried by nothing, and what has a declared type and ended in a field for anything.
    """

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    places: list[tuple[Place, str]] = field(default_factory=list)
    fields: int = 0
    dynamic: dict[str, str] = field(default_factory=dict)
    accounts: list[Account] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def check_coverage(
    declared: ScopeFacts, contract: Contract, analysis: TraceAnalysis, plan: OptionPlan | None = None
) -> Coverage:
    """Account for everything in scope.

    Args:
        declared: everything in scope, listed from the spec.
        contract: which field comes from where.
        analysis: the trace of the specification through the contract.
        plan: the protovalidate options of the contract; None if the profile disables them.
    """
    gate = _Gate(contract, analysis)
    result = Coverage(fields=analysis.index.count_fields(), dynamic=analysis.trace.free_form_reasons)
    for element in declared.elements:
        how = gate.how(element)
        result.counts.setdefault(element.kind, Counter())[how] += 1
        result.places.append((element.place, how))
    result.accounts = list(accounts(declared, analysis.trace, analysis.index, plan))
    result.diagnostics = sorted(
        {
            *gate.diagnostics,
            *gaps(declared.elements, analysis.trace),
            *contradictions(declared, analysis.trace.constraints),
        }
    )
    return result


class _Gate:
    """Tells how each element is carried."""

    def __init__(self, contract: Contract, analysis: TraceAnalysis) -> None:
        self.contents = analysis.index
        self.walked = analysis.trace
        rpcs = (rpc for rpc in contract.rpcs if f"{rpc.service}/{rpc.name}" in analysis.present.rpcs)
        self.operations = {place for rpc in rpcs for place in rpc.places}
        self.diagnostics: list[Diagnostic] = []

    def how(self, element: Element) -> str:
        """How one element is carried; one that nothing carries is a diagnostic."""
        if element.kind is Kind.OPERATION and element.place in self.operations:
            return TYPED
        carriers = self.walked.carriers.get(element.node, []) if element.node is not None else []
        if element.kind is Kind.ENUM_VALUE:
            carriers = [self.of_text(element, carrier) for carrier in carriers]
        if carriers:
            return _best(carriers)
        if element.place in self.contents.exclusion_rules:
            return State.EXCLUDED
        self.lost(element, f"{element.kind} `{element.name}` is part of no message or rpc")
        return State.LOST

    def of_text(self, element: Element, carrier: Carrier) -> Carrier:
        """The same carrier, if the enum has a value for a text; a plain `string` has them all."""
        enum = self.contents.enums.get(carrier.type)
        if enum is None or carrier.state not in ALIVE:
            return carrier
        null = element.name == "null" and element.node is not None and None in element.node.enum_strings
        state = enum.get(None if null else element.name)
        if state is not None:
            return replace(carrier, state=state)
        if carrier.is_narrowed or (null and carrier.encoding.is_nullable):
            return REPLACED
        self.lost(element, f"{element.kind} `{element.name}` has no live value in `{carrier.type}`")
        return LOST

    def lost(self, element: Element, what: str) -> None:
        self.diagnostics.append(Diagnostic("coverage/lost", what, element.place, HINT_LOST))


def _best(carriers: list[Carrier]) -> str:
    """How something is carried, the best of several."""
    state = choose_best_state(carrier.state for carrier in carriers)
    if state is not State.LIVE:
        return state
    live = [carrier for carrier in carriers if carrier.state is State.LIVE]
    return DYNAMIC if all(carrier.is_dynamic or carrier.in_free_form for carrier in live) else TYPED


def gaps(elements: Iterable[Element], walked: Trace) -> Iterator[Diagnostic]:
    """What has no place in a message, or a field for anything in spite of its type."""
    known = {
        element.node: f"{element.kind} `{element.name}`" for element in elements if element.kind is not Kind.ENUM_VALUE
    }
    for gap in walked.missing:
        what = f"{known.get(gap.node, 'a part of a composition')} has no place in `{gap.full_name}`"
        yield Diagnostic("coverage/lost", what, gap.node.place, HINT_LOST)
    for gap in walked.untyped:
        name = known.get(gap.node, "a part of a composition")
        what = f"{name} declares what it is, and `{gap.full_name}` takes anything"
        yield Diagnostic("coverage/dynamic", what, gap.node.place, HINT_DYNAMIC)
