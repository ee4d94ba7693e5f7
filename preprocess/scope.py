"""Scope: which operations are converted, and to which group each belongs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from pipeline.model.contract import Exclusion
from pipeline.model.findings import Failure, Finding, Place
from pipeline.model.located import Mapping, below
from pipeline.model.profile import Profile
from preprocess.operation_names import distinct, group_of
from preprocess.sanitize import METHODS, malformed
from preprocess.structure import PATH_ITEM, check_structure

RULE_IGNORABLE = "operation-superseded"


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
    node: Mapping
    parameters: tuple[Mapping, ...] = ()
    body: Mapping | None = None
    responses: dict[str, Mapping] = field(default_factory=dict)
    deprecated: str = ""
    excluded: tuple[tuple[str, str, str], ...] = ()


def is_success(status: str) -> bool:
    """Whether a response status says that all went well (OpenAPI 3.1.0, section 4.8.16)."""
    return status.startswith("2")


def operations(document: Mapping) -> Iterator[tuple[Operation, list[Any]]]:
    """Every operation of a spec in order of path and method, each with the parameters of its path item.

    Extensions may stand among the paths (OpenAPI 3.1.0, section 4.8.8).

    Raises:
        Failure: `spec/malformed`.
    """
    for path in sorted(key for key in document["paths"] if not key.startswith("x-")):
        item = document["paths"][path]
        if not isinstance(item, Mapping):
            raise malformed("an object", item, below(document["paths"].place, path))
        check_structure(item, PATH_ITEM)
        shared = item.get("parameters", [])
        for method in METHODS:
            if method not in item:
                continue
            node = item[method]
            if not isinstance(node, Mapping):
                raise malformed("an object", node, below(item.place, method))
            yield Operation(group_of(node, method, path), method, path, node), list(shared)


def select(
    document: Mapping, profile: Profile, known: frozenset[str]
) -> tuple[list[tuple[Operation, list[Any]]], list[Exclusion]]:
    """The operations in scope.

    Args:
        document: the spec.
        profile: for its groups to convert, none for all, and the groups that its services serve.
        known: groups that were published earlier; one of these may be gone from the spec.

    Returns:
        The operations, and an exclusion for each one in scope that is superseded (`x-ignorable`).

    Raises:
        Failure: `spec/no-operations`; `scope/unknown-operation-group`, with the nearest names.
    """
    found = _grouped(list(operations(document)), known)
    if not found:
        hint = "name the specification of the API itself; webhooks, which the API calls, get no rpc"
        place = below(document.place, "paths")
        raise Failure(Finding("spec/no-operations", "the specification has no operations", place, hint))
    names = {operation.group for operation, _ in found}
    groups = profile.scope.operation_groups
    asked = {group: profile.item("scope", "operation_groups", item=group) for group in groups} or _served(profile)
    unknown = sorted(asked.keys() - names - known)
    if unknown:
        raise Failure(_unknown(group, names, asked[group]) for group in unknown)
    selected, exclusions = [], []
    for operation, shared in found:
        if groups and operation.group not in groups:
            continue
        if operation.node.get("x-ignorable") is True:
            exclusions.append(Exclusion(operation.node.place, RULE_IGNORABLE, "superseded (`x-ignorable`)"))
        else:
            selected.append((operation, shared))
    return selected, exclusions


def _grouped(found: list[tuple[Operation, list[Any]]], known: frozenset[str]) -> list[tuple[Operation, list[Any]]]:
    """The same operations, those apart that would only share a name."""
    groups = distinct(((item.group, item.node, item.method, item.path) for item, _ in found), known)
    return [(replace(item, group=group), shared) for (item, shared), group in zip(found, groups, strict=True)]


def _served(profile: Profile) -> dict[str, Place]:
    """The groups that the services of a profile name, with their places."""
    return {
        rule.group: profile.at("services", at, "rpcs", index, "group")
        for at, service in enumerate(profile.services)
        for index, rule in enumerate(service.rpcs)
    }


def _unknown(group: str, names: set[str], place: Place) -> Finding:
    near = get_close_matches(group, sorted(names), n=3)
    hint = f"did you mean {' or '.join(f'`{name}`' for name in near)}?" if near else "compare with `x-operation-group`"
    return Finding("scope/unknown-operation-group", f"no operation of group `{group}` in the spec", place, hint)
