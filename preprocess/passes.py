"""Preprocess, from an OpenAPI document to a numbered contract with its constraints: the passes, in their order.

`CONVERSION` ends with the numbered contract, which is enough to explain an element. `PASSES` adds the trace of the
specification through the contract, and the constraints that become protovalidate options.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pipeline.model.contract import Contract
from pipeline.model.diagnostics import Diagnostic, Failure, Severity
from pipeline.model.document.located import LocatedMap
from pipeline.model.lock.model import Lock
from pipeline.model.profile.profile import Profile
from pipeline.model.records import extend_record, run_steps
from pipeline.model.source import split_component_key
from preprocess.constraints.options import add_options
from preprocess.constraints.plan import plan_options
from preprocess.document.openapi import check_limits, check_openapi, get_component_schemas
from preprocess.document.prune import Pruner
from preprocess.document.references import References
from preprocess.document.schema_facts import collect_schema_facts
from preprocess.document.scope import select_operations
from preprocess.document.versions import VersionRule
from preprocess.http.annotations import annotate_rpcs
from preprocess.naming import renames
from preprocess.numbering.number_contract import number_contract
from preprocess.numbering.published_rpcs import list_published_rpcs
from preprocess.operations.bodies import group_operations
from preprocess.operations.contract import convert_operations
from preprocess.operations.services import add_published_services, assign_services
from preprocess.records import ContractResult, PreprocessResult, Selection, Source
from preprocess.trace.message_index import collect_locked_elements
from preprocess.trace.walk import trace_schemas


def preprocess(
    document: LocatedMap, profile: Profile, lock: Lock, overlays: list[LocatedMap], *, partial: bool = False
) -> PreprocessResult:
    """Run all passes on a document; if `partial`, what the document lacks stays as published.

    Raises:
        Failure: `spec/…`, `scope/…`, `overlay/…`, `names/…`, `operations/…`, `lock/…`, `numbers/…`.
    """
    result: PreprocessResult = run_steps(PASSES, _make_source(document, profile, lock, overlays, partial=partial))
    return result


def convert_document(
    document: LocatedMap, profile: Profile, lock: Lock, overlays: list[LocatedMap], *, partial: bool = False
) -> ContractResult:
    """Run the passes up to the numbered contract, without constraints; see `preprocess`."""
    result: ContractResult = run_steps(CONVERSION, _make_source(document, profile, lock, overlays, partial=partial))
    return result


def _make_source(
    document: LocatedMap, profile: Profile, lock: Lock, overlays: list[LocatedMap], *, partial: bool
) -> Source:
    applicable = tuple(overlays)
    return Source(document=document, overlays=applicable, profile=profile, published=lock, lock=lock, partial=partial)


def plan_contract(contract: ContractResult) -> PreprocessResult:
    """Run the passes after the numbered contract: trace it, and plan its constraints."""
    result: PreprocessResult = run_steps(PLANNING, contract)
    return result


def check_document(source: Source) -> Source:
    """Refuse a document that is not OpenAPI 3.0 or 3.1."""
    check_openapi(source.document)
    return source


def apply_overlays(source: Source) -> Source:
    """Apply the overlays to the document, and check the result."""
    if not source.overlays:
        return source
    # jsonpath costs 60 ms of an import that most profiles do not need.
    from preprocess.document.overlay import apply_overlay  # noqa: PLC0415

    document, diagnostics = source.document, list(source.diagnostics)
    for overlay in source.overlays:
        document, warnings = apply_overlay(document, overlay)
        diagnostics += warnings
    check_openapi(document)
    return replace(source, document=document, overlays=(), diagnostics=tuple(diagnostics))


def check_size(source: Source) -> Source:
    """Refuse a document that exceeds the limits of the profile."""
    check_limits(source.document, source.profile.limits)
    return source


def report_unknown_schemas(source: Source) -> Source:
    """Add a note for each excluded schema that the document lacks: it was removed, is still to come, or is misspelt."""
    keys = get_component_schemas(source.document)
    profile = source.profile
    separator = profile.conversion.schema_separator
    known_names = set(keys) | {split_component_key(key, separator)[1] for key in keys}
    hint = "correct the name, or remove it from the profile"
    notes = [
        Diagnostic("scope/unknown-schema", f"no schema `{name}` to exclude", profile.place, hint, Severity.NOTE)
        for name in sorted(set(profile.scope.excluded_schemas) - known_names)
    ]
    return replace(source, diagnostics=(*source.diagnostics, *notes))


def apply_renames(source: Source) -> Source:
    """Apply the renames of the profile, and those that the document implies, to the names in the lock."""
    return replace(source, lock=renames.apply_renames(source.lock, source.document, source.profile.renames))


def select_scope(source: Source) -> Selection:
    """Select the operations in scope, and prune them and the schemas that they reach.

    Raises:
        Failure: `scope/empty` if no operation is in scope.
    """
    profile = source.profile
    groups_in_lock = frozenset(rpc.group for rpc in list_published_rpcs(source.lock, profile) if rpc.group)
    selected, exclusions = select_operations(source.document, profile, groups_in_lock)
    version = VersionRule(profile.opensearch_version)
    pruner = Pruner(References(source.document), profile.scope, version, profile.conversion.schema_separator)
    pruned = [pruner.prune_operation(operation, shared) for operation, shared in selected]
    operations = [operation for operation in pruned if operation is not None]
    if not operations:
        hint = "compare the profile's scope with the operations of the specification"
        message = "no operation of the specification is in scope"
        raise Failure(Diagnostic("scope/empty", message, profile.place, hint))
    return extend_record(
        Selection,
        source,
        operations=tuple(operations),
        groups=group_operations(operations),
        pruner=pruner,
        exclusions=tuple(exclusions),
    )


def apply_response_renames(selection: Selection) -> Selection:
    """Rename response messages in the lock where the schema of a response was renamed."""
    profile, schemas = selection.profile, selection.pruner.schemas
    rpcs = list_published_rpcs(selection.lock, profile)
    separator = profile.conversion.schema_separator
    return replace(
        selection, lock=renames.rename_response_messages(selection.lock, rpcs, selection.groups, schemas, separator)
    )


def choose_services(selection: Selection) -> Selection:
    """Choose the services and rpcs: those of the profile, of the operation groups, and of the lock."""
    profile, lock = selection.profile, selection.lock
    services = add_published_services(assign_services(profile, selection.groups, lock.rpcs), lock)
    return replace(selection, profile=profile.model_copy(update={"services": services}))


def convert_selection(selection: Selection) -> ContractResult:
    """Convert the operations and their schemas to a contract without numbers."""
    profile, lock = selection.profile, selection.lock
    contract = convert_operations(selection.groups, selection.pruner, profile, lock, list_published_rpcs(lock, profile))
    exclusions = dict.fromkeys((*selection.exclusions, *selection.pruner.exclusions, *contract.exclusions))
    complete = Contract(contract.messages, contract.enums, contract.rpcs, tuple(exclusions))
    return extend_record(ContractResult, selection, contract=complete)


def assign_numbers(result: ContractResult) -> ContractResult:
    """Number fields and enum values from the lock, and record the new numbers and the changes."""
    assigned = number_contract(result.contract, result.lock, result.profile, partial=result.partial)
    events = sorted({*assigned.events, *renames.list_rename_events(result.published, result.lock)})
    return replace(result, contract=assigned.contract, lock=assigned.lock, events=tuple(events))


def annotate_http(result: ContractResult) -> ContractResult:
    """Add the `google.api.http` annotations, if the profile wants them."""
    if result.profile.conversion.http != "annotations":
        return result
    contract, notes = annotate_rpcs(result.contract)
    return replace(result, contract=contract, diagnostics=(*result.diagnostics, *notes))


def trace_contract(result: ContractResult) -> PreprocessResult:
    """Trace every declared schema to the fields that carry its values."""
    declared = collect_schema_facts(result.operations, result.pruner, result.exclusions, result.document)
    trace = trace_schemas(declared, result.contract, collect_locked_elements(result.lock))
    return extend_record(PreprocessResult, result, declared=declared, trace=trace)


def plan_constraints(result: PreprocessResult) -> PreprocessResult:
    """Add the constraints of the specification to the contract as protovalidate options, if the profile wants them."""
    if result.profile.constraints != "protovalidate":
        return result
    plan = plan_options(result.declared, result.contract, result.trace)
    return replace(result, plan=plan, contract=add_options(result.contract, plan))


CONVERSION: tuple[Callable[[Any], Any], ...] = (
    check_document,
    apply_overlays,
    check_size,
    report_unknown_schemas,
    apply_renames,
    select_scope,
    apply_response_renames,
    choose_services,
    convert_selection,
    assign_numbers,
    annotate_http,
)
PLANNING: tuple[Callable[[Any], Any], ...] = (trace_contract, plan_constraints)
PASSES = (*CONVERSION, *PLANNING)
