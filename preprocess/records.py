"""The records that the passes of `preprocess.passes` hand on; each class adds to the one before."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.model.changes import Event
from pipeline.model.contract import Contract, Exclusion
from pipeline.model.diagnostics import Diagnostic
from pipeline.model.document.located import LocatedMap
from pipeline.model.lock.model import Lock
from pipeline.model.profile.profile import Profile, ServiceRule
from pipeline.model.schema_facts import ScopeFacts
from preprocess.constraints.plan import OptionPlan
from preprocess.document.prune import Pruner
from preprocess.document.scope import Operation
from preprocess.trace.walk import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The input of preprocess.

    Attributes:
        overlays: the overlays that are still to be applied to it.
        profile: the profile, with everything that the user set on the command line.
        published: the lock of the published contract.
        lock: the same lock with the renames of the profile; once numbers are assigned, the lock of the new contract.
        partial: whether the build converts only a part of the published contract; the rest then stays as published.
    """

    document: LocatedMap
    overlays: tuple[LocatedMap, ...]
    profile: Profile
    published: Lock
    lock: Lock
    partial: bool
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection(Source):
    """The part of the document that is in scope.

    Attributes:
        pruner: the component schemas that the operations reach, pruned.
        exclusions: the operations and paths out of scope, with the rule that excludes each.
    """

    operations: tuple[Operation, ...]
    groups: dict[str, list[Operation]]
    pruner: Pruner
    exclusions: tuple[Exclusion, ...]

    @property
    def services(self) -> tuple[ServiceRule, ...]:
        """The services, each with its rpcs and its file."""
        return self.profile.services


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractResult(Selection):
    """The contract that the selected operations became.

    Attributes:
        contract: the contract; `assign_contract_numbers` numbers it.
        events: the changes against the published contract, sorted.
    """

    contract: Contract
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreprocessResult(ContractResult):
    """The result of preprocess.

    Attributes:
        declared: everything in scope; each element must have a field, or a rule that excludes it.
        trace: the trace of the declared schemas through the contract.
        plan: the protovalidate options, which the contract then has; None if the profile disables them.
    """

    declared: ScopeFacts
    trace: Trace
    plan: OptionPlan | None = None
