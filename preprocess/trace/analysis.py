"""Trace the schemas of a specification through the contract, once for every check that needs both."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.model.contract import Contract
from pipeline.model.schema_facts import ScopeFacts
from preprocess.trace.contract_index import ContractIndex
from preprocess.trace.present_elements import PresentElements
from preprocess.trace.walk import Trace, walk_schemas


@dataclass(frozen=True, slots=True)
class TraceAnalysis:
    """The trace of a specification through a contract, with the indexes that it was made from.

    Attributes:
        present: the fields, enum values and rpcs that the protos have.
        index: the contract, restricted to `present`.
        trace: the carriers of each schema.
    """

    present: PresentElements
    index: ContractIndex
    trace: Trace


def trace_schemas(declared: ScopeFacts, contract: Contract, present: PresentElements) -> TraceAnalysis:
    """Trace every schema in scope to the fields that carry its values.

    Args:
        declared: what the specification declares.
        contract: the numbered contract.
        present: the elements of the contract that the protos have.
    """
    index = ContractIndex(contract, present)
    return TraceAnalysis(present, index, walk_schemas(declared, contract, index))
