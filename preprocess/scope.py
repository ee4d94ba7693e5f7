"""Scope: which operations are converted, and to which group each belongs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from pipeline.model.contract import Exclusion
from pipeline.model.findings import Failure, Finding, Place
from pipeline.model.located import Mapping, below
from pipeline.model.profile import Profile
from preprocess.sanitize import METHODS, malformed
from preprocess.structure import PATH_ITEM, check_structure
from preprocess.texts import snake

RULE_IGNORABLE = "operation-superseded"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the spec: one method of one path.

    Attributes:
        group: its `x-operation-group`, else its operationId, else method and path as words.
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

    @property
    def answers(self) -> dict[str, Mapping]:
        """The responses that say that all went well."""
        good = successes(self.responses)
        return {status: node for status, node in self.responses.items() if status in good}


def successes(statuses: Iterable[str]) -> frozenset[str]:
    """The statuses that say that all went well: `2xx`, or `default` alone (OpenAPI 3.1.0, section 4.8.16)."""
    listed = frozenset(statuses)
    found = frozenset(status for status in listed if status.startswith("2"))
    if found or any(status[:1] in {"1", "3"} for status in listed):
        return found
    return listed & {"default"}


def operations(document: Mapping) -> Iterator[tuple[Operation, list[Any]]]:
    """Every operation of a spec in order of path and method, each with the parameters of its path item.

    Raises:
        Failure: `spec/malformed`.
    """
    for path in sorted(document["paths"]):
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


def group_of(node: Mapping, method: str, path: str) -> str:
    """The group of an operation."""
    group = node.get("x-operation-group") or node.get("operationId")
    return str(group) if group else f"{method}_{snake(path)}"


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
        Failure: `scope/unknown-operation-group`, with the nearest names.
    """
    found = list(operations(document))
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
