"""Check coverage: everything in scope has a live place in the compiled protos, or a rule that excludes it.

Each schema is compared with every message that its values travel in, so a gap in one of several messages is found. A
schema with a declared type must not become a field that takes any value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.contract import Contract
from pipeline.model.diagnostics import Diagnostic, Place
from pipeline.model.lock.model import Lock
from pipeline.model.schema_facts import Element, Kind, ScopeFacts
from postprocess.coverage.constraint_outcomes import ConstraintOutcome, list_constraint_outcomes
from postprocess.coverage.spec_contradictions import find_contradictions
from postprocess.tools.descriptors import iterate_enums, iterate_messages, iterate_methods
from preprocess.constraints.plan import OptionPlan
from preprocess.trace.carriers import ALIVE, LOST, REPLACED, Carrier, CarrierState, choose_best_state
from preprocess.trace.message_index import PresentElements, collect_locked_elements
from preprocess.trace.walk import Trace

TYPED, DYNAMIC = "typed", "dynamic"
HINT_LOST = "exclude it by a rule of the profile, or report the missing conversion"
HINT_DYNAMIC = "report the missing conversion, or name a type with `x-protobuf-type` in an overlay"


@dataclass(slots=True)
class Coverage:
    """The coverage of everything in scope.

    Attributes:
        counts: by kind of element, the number by status: `typed`, `dynamic`, or a `CarrierState` but `live`.
        places: the place and status of each element.
        fields: the number of fields that represent something in the specification.
        free_form_reasons: by `Message.field`, why the value of the field is free-form.
        diagnostics: elements without a carrier, and elements with a declared type whose carrier takes any value.
    """

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    places: list[tuple[Place, str]] = field(default_factory=list)
    fields: int = 0
    free_form_reasons: dict[str, str] = field(default_factory=dict)
    constraint_outcomes: list[ConstraintOutcome] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def check_coverage(declared: ScopeFacts, contract: Contract, trace: Trace, plan: OptionPlan | None = None) -> Coverage:
    """Determine what carries each element and each constraint in scope.

    The plan is None if the profile disables protovalidate options.
    """
    gate = _Gate(contract, trace)
    coverage = Coverage(fields=trace.index.count_fields(), free_form_reasons=trace.free_form_reasons)
    for element in declared.elements:
        status = gate.check_element(element)
        coverage.counts.setdefault(element.kind, Counter())[status] += 1
        coverage.places.append((element.place, status))
    coverage.constraint_outcomes = list(list_constraint_outcomes(declared, trace, plan))
    contradictions = find_contradictions(declared, trace.constraints)
    coverage.diagnostics = sorted({*gate.diagnostics, *_report_gaps(declared.elements, trace), *contradictions})
    return coverage


class _Gate:
    def __init__(self, contract: Contract, trace: Trace) -> None:
        self.index = trace.index
        self.trace = trace
        rpcs = (rpc for rpc in contract.rpcs if f"{rpc.service}/{rpc.name}" in self.index.rpcs)
        self.operations = {place for rpc in rpcs for place in rpc.places}
        self.diagnostics: list[Diagnostic] = []

    def check_element(self, element: Element) -> str:
        if element.kind is Kind.OPERATION and element.place in self.operations:
            return TYPED
        carriers = self.trace.carriers.get(element.node, []) if element.node is not None else []
        if element.kind is Kind.ENUM_VALUE:
            carriers = [self.check_enum_value(element, carrier) for carrier in carriers]
        if carriers:
            return _choose_status(carriers)
        if element.place in self.index.exclusion_rules:
            return CarrierState.EXCLUDED
        self.report_lost(element, f"{element.kind} `{element.name}` is part of no message or rpc")
        return CarrierState.LOST

    def check_enum_value(self, element: Element, carrier: Carrier) -> Carrier:
        """Return the carrier with the state of one enum value; a plain `string` carries every value."""
        enum = self.index.enums.get(carrier.type)
        if enum is None or carrier.state not in ALIVE:
            return carrier
        is_null = element.name == "null" and element.node is not None and None in element.node.enum_strings
        state = enum.get(None if is_null else element.name)
        if state is not None:
            return replace(carrier, state=state)
        if carrier.is_narrowed or (is_null and carrier.encoding.is_nullable):
            return REPLACED
        self.report_lost(element, f"{element.kind} `{element.name}` has no live value in `{carrier.type}`")
        return LOST

    def report_lost(self, element: Element, message: str) -> None:
        self.diagnostics.append(Diagnostic("coverage/lost", message, element.place, HINT_LOST))


def _choose_status(carriers: list[Carrier]) -> str:
    state = choose_best_state(carrier.state for carrier in carriers)
    if state is not CarrierState.LIVE:
        return state
    live = [carrier for carrier in carriers if carrier.state is CarrierState.LIVE]
    return DYNAMIC if all(carrier.is_dynamic or carrier.in_free_form for carrier in live) else TYPED


def _report_gaps(elements: Iterable[Element], trace: Trace) -> Iterator[Diagnostic]:
    names = {each.node: f"{each.kind} `{each.name}`" for each in elements if each.kind is not Kind.ENUM_VALUE}
    for gap in trace.missing:
        message = f"{names.get(gap.node, 'a part of a composition')} has no place in `{gap.full_name}`"
        yield Diagnostic("coverage/lost", message, gap.node.place, HINT_LOST)
    for gap in trace.untyped:
        name = names.get(gap.node, "a part of a composition")
        message = f"{name} declares a type, but `{gap.full_name}` takes any value"
        yield Diagnostic("coverage/dynamic", message, gap.node.place, HINT_DYNAMIC)


def collect_compiled_elements(descriptors: FileDescriptorSet, lock: Lock) -> PresentElements:
    """Return the elements of compiled descriptors that the lock of the same contract ties to the specification."""
    files = descriptors.file
    fields = {(name, item.number) for _, name, message in iterate_messages(files) for item in message.field}
    values = {(name, value.number) for _, name, enum in iterate_enums(files) for value in enum.value}
    rpcs = frozenset(name for name, _ in iterate_methods(files))
    locked = collect_locked_elements(lock)
    return PresentElements(locked.fields & fields, locked.values & values, rpcs)
