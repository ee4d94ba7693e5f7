"""Preprocess, from an OpenAPI document to a numbered contract: the passes in order, and what they hand on."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, field
from functools import cached_property

from pipeline.model.changes import Event
from pipeline.model.contract import SCALARS, Contract, Exclusion, Message, Rpc
from pipeline.model.diagnostics import Diagnostic, Failure, Severity
from pipeline.model.document.located import LocatedMap
from pipeline.model.lock.model import Lock
from pipeline.model.profile.profile import Profile, RpcRule, ServiceRule
from pipeline.model.schema_facts import ScopeFacts
from pipeline.model.source import split_component_key
from preprocess.document.limits import check_limits
from preprocess.document.openapi import check_openapi
from preprocess.document.prune import Pruner
from preprocess.document.references import References
from preprocess.document.schema_facts import collect_schema_facts
from preprocess.document.scope import Operation, select_operations
from preprocess.document.versions import VersionRule
from preprocess.http.annotations import annotate
from preprocess.naming.message_names import Namer
from preprocess.naming.renames import apply_renames, list_rename_events, rename_response_messages
from preprocess.numbering.number_contract import assign
from preprocess.numbering.published_rpcs import published_rpcs
from preprocess.operations.bodies import RULE_STREAMING, build_binding, group_operations, is_streaming
from preprocess.operations.requests import Requests, collect_body_hints, collect_message_names
from preprocess.operations.responses import declare_response
from preprocess.operations.services import add_published_services, assign_services
from preprocess.schema import well_known
from preprocess.schema.converter import Converter


@dataclass
class Preprocessed:
    """What preprocess hands on.

    Attributes:
        contract: numbered.
        lock: what is remembered once the build is promoted.
        services: with their files.
        events: what changed.
        declare: lists everything in scope, which must have a field, or a rule that excludes it.
        document: the spec, overlays applied.
        diagnostics: warnings.
    """

    contract: Contract
    lock: Lock
    services: tuple[ServiceRule, ...]
    events: list[Event]
    declare: Callable[[], ScopeFacts]
    document: LocatedMap = field(default_factory=LocatedMap)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @cached_property
    def declared(self) -> ScopeFacts:
        """Everything in scope, listed when it is first asked for: nothing but coverage does."""
        return self.declare()


def preprocess(
    document: LocatedMap, profile: Profile, lock: Lock, overlays: list[LocatedMap], *, partial: bool = False
) -> Preprocessed:
    """Run all passes: overlay, sanitize, filter, version and vendor extensions, conversion, numbers.

    Args:
        document: the spec; overlays change it in place.
        profile: what to convert into what.
        lock: what was published.
        overlays: the profile's overlays, read.
        partial: whether the scope is only a part of the profile's; what was published for the rest then stays as it is.

    Raises:
        Failure: `spec/…`, `scope/…`, `overlay/…`, `names/…`, `operations/…`, `lock/…`, `numbers/…`.
    """
    diagnostics: list[Diagnostic] = []
    check_openapi(document)
    for overlay in overlays:
        from preprocess.document.overlay import apply_overlay  # noqa: PLC0415 - heavy, and most profiles have none

        document, found = apply_overlay(document, overlay)
        diagnostics += found
    check_openapi(document)
    check_limits(document, profile.limits)
    diagnostics += _unknown_schemas(document, profile)
    published, lock = lock, apply_renames(lock, document, profile.renames)
    operations, pruner, exclusions = _prune(document, profile, lock)
    groups = group_operations(operations)
    separator = profile.conversion.schema_separator
    lock = rename_response_messages(lock, published_rpcs(lock, profile), groups, pruner.schemas, separator)
    services = add_published_services(assign_services(profile, groups, lock.rpcs), lock)
    profile = profile.model_copy(update={"services": services})
    contract = _convert(operations, pruner, profile, lock, services)
    unique = tuple(dict.fromkeys((*exclusions, *pruner.exclusions, *contract.exclusions)))
    complete = Contract(contract.messages, contract.enums, contract.rpcs, unique)
    assigned = assign(complete, lock, profile, partial=partial)
    numbered = assigned.contract
    if profile.conversion.http == "annotations":
        numbered, found = annotate(numbered)
        diagnostics += found
    events = sorted({*assigned.events, *list_rename_events(published, lock)})

    def declare() -> ScopeFacts:
        return collect_schema_facts(operations, pruner, exclusions, document)

    return Preprocessed(numbered, assigned.lock, services, events, declare, document, diagnostics)


def _unknown_schemas(document: LocatedMap, profile: Profile) -> list[Diagnostic]:
    """A note for each excluded schema that the spec does not have: gone, not there yet, or misspelt."""
    components = document.get("components")
    schemas = components.get("schemas") if isinstance(components, LocatedMap) else None
    keys = list(schemas) if isinstance(schemas, LocatedMap) else []
    separator = profile.conversion.schema_separator
    known = set(keys) | {split_component_key(key, separator)[1] for key in keys}
    hint = "mend the name, or remove it from the profile"
    return [
        Diagnostic("scope/unknown-schema", f"no schema `{name}` to exclude", profile.place, hint, Severity.NOTE)
        for name in sorted(set(profile.scope.excluded_schemas) - known)
    ]


def _prune(document: LocatedMap, profile: Profile, lock: Lock) -> tuple[list[Operation], Pruner, list[Exclusion]]:
    """The operations in scope without what rules leave out, and the schemas they reach."""
    known = frozenset(rpc.group for rpc in published_rpcs(lock, profile) if rpc.group)
    selected, exclusions = select_operations(document, profile, known)
    version = VersionRule(profile.opensearch_version)
    pruner = Pruner(References(document), profile.scope, version, profile.conversion.schema_separator)
    kept = [operation for found, shared in selected if (operation := pruner.prune_operation(found, shared)) is not None]
    if not kept:
        hint = "compare the profile's scope with the spec's operations"
        raise Failure(Diagnostic("scope/empty", "no operation of the spec is in scope", profile.place, hint))
    return kept, pruner, exclusions


def _convert(
    operations: list[Operation], pruner: Pruner, profile: Profile, lock: Lock, services: tuple[ServiceRule, ...]
) -> Contract:
    """The contract of the operations, without numbers."""
    groups = group_operations(operations)
    namer = Namer(lock, profile.names.schemas, profile.conversion.schema_separator)
    namer.keep_rpc_messages(published_rpcs(lock, profile))
    own = well_known.NAMES | collect_message_names(groups, profile.conversion)
    namer.name_components(
        (key for key in pruner.schemas if not key.startswith("#/")), own, [service.name for service in services]
    )
    converter = Converter(pruner.schemas, namer, profile.conversion, pruner.version, pruner.subtypes)
    requests = Requests(converter)
    converter.body_hints = collect_body_hints(converter, groups)
    requests.reserve_names(groups)
    signatures = {
        group: (requests.declare_request(group, forms), declare_response(converter, group, forms))
        for group, forms in groups.items()
    }
    requests.add_global_parameters()
    converter.fill_declared_messages()
    rpcs = [
        _rpc(service, rule, groups[rule.group], signatures[rule.group])
        for service in services
        for rule in service.rpcs
        if rule.group in groups
    ]
    messages = {**{message.name: message for message in well_known.MESSAGES}, **converter.messages}
    enums = {**{enum.name: enum for enum in well_known.ENUMS}, **converter.enums}
    _check_types(messages, SCALARS | messages.keys() | enums.keys() | lock.messages.keys() | lock.enums.keys())
    return Contract(messages, enums, tuple(rpcs), tuple(converter.exclusions))


def _check_types(messages: dict[str, Message], known: Set[str]) -> None:
    """Refuse fields of a type that nothing declares, as a vendor extension may name any."""
    diagnostics = [
        Diagnostic("names/unknown-type", f"`{name}.{item.name}`: no message or enum `{item.type}`", place, hint)
        for name, message in messages.items()
        for item in message.fields
        if item.type not in known
        for place in (item.places or (message.place,))[:1]
        for hint in ["name a scalar type, or a message that the protos have"]
    ]
    if diagnostics:
        raise Failure(diagnostics)


def _rpc(service: ServiceRule, rule: RpcRule, forms: list[Operation], signature: tuple[str, str]) -> Rpc:
    first = forms[0].node
    streaming = is_streaming(forms) if rule.server_streaming is None else rule.server_streaming
    reasons = {form.deprecated for form in forms}
    return Rpc(
        service.name,
        rule.name,
        rule.group,
        *signature,
        streaming,
        bindings=tuple(build_binding(form) for form in forms),
        places=tuple(form.node.place for form in forms),
        rules=(RULE_STREAMING,) if streaming else (),
        deprecated=reasons.pop() if len(reasons) == 1 else "",
        description=str(first.get("description", "")),
    )
