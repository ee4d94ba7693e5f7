"""Select the operations to convert, and the operation group of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from pipeline.model.contract import Exclusion, Rule
from pipeline.model.diagnostics import Diagnostic, Failure, Place, suggest_names
from pipeline.model.document.located import LocatedMap, get_place, locate_child
from pipeline.model.identifiers import derive_message_name
from pipeline.model.profile.profile import Profile
from pipeline.model.source import FieldSource
from preprocess.document.openapi import METHODS, report_malformed
from preprocess.document.operation_names import assign_groups, choose_group
from preprocess.document.references import References
from preprocess.document.structure import PATH_ITEM, check_structure

RULE_IGNORABLE = Rule("operation-superseded")
RULE_WEBHOOKS = Rule("webhooks")


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: one method of one path. References of parameters, body and responses are resolved.

    Attributes:
        group: the operation group, see `operation_names`; all operations of a group become one rpc.
        method: in lower case.
        parameters: those of the path item, then those of the operation.
        responses: by status.
        deprecated: why it is deprecated; empty if it is not.
        excluded: the parameters that a rule excluded.
    """

    group: str
    method: str
    path: str
    node: LocatedMap
    parameters: tuple[LocatedMap, ...] = ()
    body: LocatedMap | None = None
    responses: dict[str, LocatedMap] = field(default_factory=dict)
    deprecated: str = ""
    excluded: tuple[tuple[FieldSource, Exclusion], ...] = ()

    @property
    def is_superseded(self) -> bool:
        """Whether a newer operation replaces it (`x-ignorable`)."""
        return self.node.get("x-ignorable") is True

    @property
    def successful_responses(self) -> dict[str, LocatedMap]:
        """The responses with a success status."""
        statuses = select_success_statuses(self.responses)
        return {status: node for status, node in self.responses.items() if status in statuses}


Operations = list[tuple[Operation, list[Any]]]
"""Operations, each with the parameters of its path item."""


def select_success_statuses(statuses: Iterable[str]) -> frozenset[str]:
    """Return the success statuses: `2xx`, or `default` if there are no others (OpenAPI 3.1.0, section 4.8.16)."""
    present = frozenset(statuses)
    successful = frozenset(status for status in present if status.startswith("2"))
    if successful or any(status[:1] in {"1", "3"} for status in present):
        return successful
    return present & {"default"}


def iterate_operations(document: LocatedMap) -> Iterator[tuple[Operation, list[Any]]]:
    """Yield every operation, sorted by path and method, each with the parameters of its path item.

    Extensions among the paths are skipped (OpenAPI 3.1.0, section 4.8.8).

    Raises:
        Failure: `spec/malformed`.
    """
    references = References(document)
    for path in sorted(key for key in document["paths"] if not key.startswith("x-")):
        item = document["paths"][path]
        if not isinstance(item, LocatedMap):
            raise report_malformed("an object", item, locate_child(document["paths"].place, path))
        item = references.resolve_path_item(item)
        check_structure(item, PATH_ITEM)
        shared = item.get("parameters", [])
        for method in METHODS:
            if method not in item:
                continue
            node = item[method]
            if not isinstance(node, LocatedMap):
                raise report_malformed("an object", node, locate_child(item.place, method))
            yield Operation(choose_group(node, method, path), method, path, node), list(shared)


def select_operations(
    document: LocatedMap, profile: Profile, published: frozenset[str]
) -> tuple[Operations, list[Exclusion]]:
    """Return the operations in scope, and the exclusions: webhooks, callbacks and superseded operations.

    Published groups may be missing from the specification.

    Raises:
        Failure: `spec/no-operations`; `scope/unknown-operation-group`, with the nearest names.
    """
    operations = _number_equal_names(_assign_groups(list(iterate_operations(document))), published)
    if not operations:
        hint = "name the specification of the API itself; webhooks, which the API calls, get no rpc"
        place = locate_child(document.place, "paths")
        raise Failure(Diagnostic("spec/no-operations", "the specification has no operations", place, hint))
    names = {operation.group for operation, _ in operations}
    groups = profile.scope.operation_groups
    requested = {group: profile.locate_item("scope", "operation_groups", item=group) for group in groups}
    requested = requested or _locate_served_groups(profile)
    unknown = sorted(requested.keys() - names - published)
    if unknown:
        raise Failure(_report_unknown_group(group, names, requested[group]) for group in unknown)
    current = {operation.group for operation, _ in operations if not operation.is_superseded}
    selected: Operations = []
    exclusions = list(_exclude_webhooks(document.get("webhooks"), "webhook")) if not groups else []
    for operation, shared in operations:
        if groups and operation.group not in groups:
            continue
        if operation.is_superseded and operation.group in current and profile.scope.honour_superseded:
            exclusions.append(Exclusion(operation.node.place, RULE_IGNORABLE, "superseded (`x-ignorable`)"))
        else:
            selected.append((operation, shared))
            exclusions += _exclude_webhooks(operation.node.get("callbacks"), "callback")
    return selected, exclusions


def _exclude_webhooks(webhooks: Any, kind: str) -> Iterator[Exclusion]:
    """Yield an exclusion for each webhook or callback (OpenAPI 3.1.0, sections 4.8.1 and 4.8.18)."""
    if isinstance(webhooks, LocatedMap):
        for name in sorted(webhooks):
            place = get_place(webhooks[name], webhooks.place)
            yield Exclusion(place, RULE_WEBHOOKS, f"{kind} `{name}` is called by the API")


def _assign_groups(operations: Operations) -> Operations:
    """Give operations that only share a name groups of their own."""
    groups = assign_groups((item.group, item.node, item.method, item.path) for item, _ in operations)
    return [(replace(item, group=group), shared) for (item, shared), group in zip(operations, groups, strict=True)]


def _number_equal_names(operations: Operations, published: frozenset[str]) -> Operations:
    """Number groups whose rpc names would be equal; published groups keep their names."""
    groups = {operation.group for operation, _ in operations}
    names: dict[str, str] = {}
    owners = {derive_message_name(group).lower(): group for group in sorted(groups & published)}
    for group in sorted(groups, key=lambda name: (name not in published, derive_message_name(name) != name, name)):
        candidates = (group if number == 1 else f"{group}_{number}" for number in count(1))
        names[group] = next(
            name for name in candidates if owners.setdefault(derive_message_name(name).lower(), group) == group
        )
    return [(replace(operation, group=names[operation.group]), shared) for operation, shared in operations]


def _locate_served_groups(profile: Profile) -> dict[str, Place]:
    return {
        rule.group: profile.locate("services", number, "rpcs", index, "group")
        for number, service in enumerate(profile.services)
        for index, rule in enumerate(service.rpcs)
    }


def _report_unknown_group(group: str, names: set[str], place: Place) -> Diagnostic:
    hint = suggest_names(group, names, "compare with `x-operation-group`")
    message = f"no operation of group `{group}` in the specification"
    return Diagnostic("scope/unknown-operation-group", message, place, hint)
