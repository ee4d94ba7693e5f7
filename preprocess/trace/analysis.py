"""The spec and the compiled contract, read beside each other once, for everything that asks about both."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.model.contract import Contract
from pipeline.model.schema_facts import Declarations
from preprocess.constraints.plan import Plan, plan_options
from preprocess.trace.carriers import Contents
from preprocess.trace.present_fields import Compiled
from preprocess.trace.walk import Walked, walk


@dataclass(frozen=True, slots=True)
class Beside:
    """What came of it.

    Attributes:
        compiled: what the compiled protos have.
        contents: the contract by what it holds.
        walked: what carries the values of each schema.
        plan: the options of protovalidate that the spec asks for; None where the profile wants none.
    """

    compiled: Compiled
    contents: Contents
    walked: Walked
    plan: Plan | None


def beside(declared: Declarations, contract: Contract, compiled: Compiled, *, validated: bool = False) -> Beside:
    """Read both.

    Args:
        declared: everything in scope, listed from the spec.
        contract: numbered; which field comes from where.
        compiled: what the compiled protos have of it.
        validated: whether the profile wants options of protovalidate.
    """
    contents = Contents(contract, compiled)
    walked = walk(declared, contract, contents)
    plan = plan_options(declared, contract, contents, walked) if validated else None
    return Beside(compiled, contents, walked, plan)
