"""Scope: which operations are converted, and to which group each belongs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import count
from typing import Any

from pipeline.model.contract import Exclusion
from pipeline.model.diagnostics import Diagnostic, Failure, Place
from pipeline.model.document.located import LocatedMap, get_place, locate_child
from pipeline.model.identifiers import derive_message_name
from pipeline.model.profile.profile import Profile
from pipeline.model.rule import Rule
from pipeline.model.source import FieldSource
from preprocess.document.openapi import METHODS, report_malformed
from preprocess.document.operation_names import assign_groups, choose_group
from preprocess.document.references import References
from preprocess.document.structure import PATH_ITEM, check_structure

RULE_IGNORABLE = Rule("operation-superseded")
RULE_WEBHOOKS = Rule("webhooks")


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the spec: one method of one path.

    Attributes:
        group: see `operation_names`; all operations of a group are one rpc.
        parameters: of the path item, then of the operation, references resolved.
        body: the request body, reference resolved; None where there is none.
        responses: by status, references resolved.
        deprecated: why it is deprecated, empty where it is not.
        excluded: parameters that a rule left out, each with the rule and the reason.
    """

    group: str
    method: str
    path: str
    node: LocatedMap
    parameters: tuple[LocatedMap, ...] = ()
    body: LocatedMap | None = None
    responses: dict[str, LocatedMap] = field(default_factory=dict)
    deprecated: str = ""
    excluded: tuple[tuple[FieldSource, Rule, str], ...] = ()

    @property
    def is_superseded(self) -> bool:
        """Whether another operation is the newer way to call the same (`x-ignorable`)."""
        return self.node.get("x-ignorable") is True

    @property
    def successful_responses(self) -> dict[str, LocatedMap]:
        """The responses that say that all went well."""
        good = select_success_statuses(self.responses)
        return {status: node for status, node in self.responses.items() if status in good}


def select_success_statuses(statuses: Iterable[str]) -> frozenset[str]:
    """The statuses that say that all went well: `2xx`, or `default` alone (OpenAPI 3.1.0, section 4.8.16)."""
    listed = frozenset(statuses)
    found = frozenset(status for status in listed if status.startswith("2"))
    if found or any(status[:1] in {"1", "3"} for status in listed):
        return found
    return listed & {"default"}


def iterate_operations(document: LocatedMap) -> Iterator[tuple[Operation, list[Any]]]:
    """Every operation of a spec in order of path and method, each with the parameters of its path item.

    Extensions may stand among the paths (OpenAPI 3.1.0, section 4.8.8).

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
    document: LocatedMap, profile: Profile, known: frozenset[str]
) -> tuple[list[tuple[Operation, list[Any]]], list[Exclusion]]:
    """The operations in scope.

    Args:
        document: the spec.
        profile: for its groups to convert, none for all, and the groups that its services serve.
        known: groups that were published earlier; one of these may be gone from the spec.

    Returns:
        The operations, and an exclusion for each one in scope that is left out as superseded: those whose group has
        another operation.

    Raises:
        Failure: `spec/no-operations`; `scope/unknown-operation-group`, with the nearest names.
    """
    found = _apart(_own_groups(list(iterate_operations(document))), known)
    if not found:
        hint = "name the specification of the API itself; webhooks, which the API calls, get no rpc"
        place = locate_child(document.place, "paths")
        raise Failure(Diagnostic("spec/no-operations", "the specification has no operations", place, hint))
    names = {operation.group for operation, _ in found}
    groups = profile.scope.operation_groups
    asked = {group: profile.locate_item("scope", "operation_groups", item=group) for group in groups} or _served(
        profile
    )
    unknown = sorted(asked.keys() - names - known)
    if unknown:
        raise Failure(_unknown(group, names, asked[group]) for group in unknown)
    current = {operation.group for operation, _ in found if not operation.is_superseded}
    selected: list[tuple[Operation, list[Any]]] = []
    exclusions = list(_of_webhooks(document)) if not groups else []
    for operation, shared in found:
        if groups and operation.group not in groups:
            continue
        if operation.is_superseded and operation.group in current and profile.scope.honour_superseded:
            exclusions.append(Exclusion(operation.node.place, RULE_IGNORABLE, "superseded (`x-ignorable`)"))
        else:
            selected.append((operation, shared))
            exclusions += _of_callbacks(operation.node)
    return selected, exclusions


def _of_webhooks(document: LocatedMap) -> Iterator[Exclusion]:
    """What the API would call on the side of its clients (OpenAPI 3.1.0, section 4.8.1)."""
    webhooks = document.get("webhooks")
    if isinstance(webhooks, LocatedMap):
        for name in sorted(webhooks):
            place = get_place(webhooks[name], webhooks.place)
            yield Exclusion(place, RULE_WEBHOOKS, f"webhook `{name}` is called by the API")


def _of_callbacks(node: LocatedMap) -> Iterator[Exclusion]:
    """As above, for an operation (OpenAPI 3.1.0, section 4.8.18)."""
    callbacks = node.get("callbacks")
    if isinstance(callbacks, LocatedMap):
        for name in sorted(callbacks):
            place = get_place(callbacks[name], callbacks.place)
            yield Exclusion(place, RULE_WEBHOOKS, f"callback `{name}` is called by the API")


def _own_groups(found: list[tuple[Operation, list[Any]]]) -> list[tuple[Operation, list[Any]]]:
    """The same operations, those apart that only repeat a name."""
    groups = assign_groups((item.group, item.node, item.method, item.path) for item, _ in found)
    return [(replace(item, group=group), shared) for (item, shared), group in zip(found, groups, strict=True)]


def _apart(found: list[tuple[Operation, list[Any]]], known: frozenset[str]) -> list[tuple[Operation, list[Any]]]:
    """The operations under groups no two of which would give one rpc name; published ones keep theirs."""
    groups = {operation.group for operation, _ in found}
    names: dict[str, str] = {}
    owners = {derive_message_name(group).lower(): group for group in sorted(groups & known)}
    for group in sorted(groups, key=lambda name: (name not in known, derive_message_name(name) != name, name)):
        proposals = (group if number == 1 else f"{group}_{number}" for number in count(1))
        names[group] = next(
            name for name in proposals if owners.setdefault(derive_message_name(name).lower(), group) == group
        )
    return [(replace(operation, group=names[operation.group]), shared) for operation, shared in found]


def _served(profile: Profile) -> dict[str, Place]:
    """The groups that the services of a profile name, with their places."""
    return {
        rule.group: profile.locate("services", at, "rpcs", index, "group")
        for at, service in enumerate(profile.services)
        for index, rule in enumerate(service.rpcs)
    }


def _unknown(group: str, names: set[str], place: Place) -> Diagnostic:
    near = get_close_matches(group, sorted(names), n=3)
    hint = f"did you mean {' or '.join(f'`{name}`' for name in near)}?" if near else "compare with `x-operation-group`"
    return Diagnostic("scope/unknown-operation-group", f"no operation of group `{group}` in the spec", place, hint)
