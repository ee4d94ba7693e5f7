"""Placement: which proto file each message and enum stands in. One owner.

Each stands in the file of its namespace; requests, answers and what is inline in an operation stand beside their
service. Files may not import each other in a circle (protobuf guide, importing definitions), so what refers to itself
through several files stands in one of them, and what a lower file needs of a higher one moves down. What was published
stays where it is as long as that can be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from typing import TypeAlias

import networkx as nx

from pipeline.model.contract import Contract, Enum, Message
from pipeline.model.identifiers import format_snake
from pipeline.model.lock.model import Lock
from pipeline.model.profile.profile import Profile
from pipeline.model.source import SchemaKind

Graph: TypeAlias = "nx.DiGraph[str]"


def place(contract: Contract, lock: Lock, profile: Profile) -> dict[str, str]:
    """The file of every message and enum.

    Args:
        contract: numbered, with what only the lock still knows of.
        lock: where everything stood when it was published.
        profile: for its files and services.

    Returns:
        File by name.
    """
    elements: dict[str, Message | Enum] = {**contract.messages, **contract.enums}
    published = {name: entry.file for name, entry in lock.messages.items()}
    published |= {name: entry.file for name, entry in lock.enums.items()}
    if profile.files.layout == "one_file":
        return {name: published.get(name, profile.files.messages) for name in elements}
    graph = _references(contract)
    homes = _Homes(contract, published, profile)
    placed = _together(graph, {name: homes.of(name) for name in graph}, published)
    _untangle(graph, placed, published, homes.lowest)
    return {name: placed[_outer(name)] for name in elements}


def _outer(name: str) -> str:
    return name.partition(".")[0]


def _references(contract: Contract) -> Graph:
    """Which message refers to which message or enum; a nested one counts as the one around it."""
    graph: Graph = nx.DiGraph()
    graph.add_nodes_from(sorted({_outer(name) for name in [*contract.messages, *contract.enums]}))
    for name, message in sorted(contract.messages.items()):
        graph.add_edges_from(
            (_outer(name), _outer(item.type))
            for item in message.fields
            if not item.is_scalar and _outer(item.type) != _outer(name)
        )
    return graph


class _Homes:
    """Where everything would stand if files could import each other freely."""

    def __init__(self, contract: Contract, published: dict[str, str], profile: Profile) -> None:
        self.contract = contract
        self.published = published
        self.common = profile.files.messages
        self.folder = self.common.rpartition("/")[0]
        self.separator = profile.conversion.schema_separator
        self.namespaces = {name: self._file(stem) for name, stem in profile.files.namespaces.items()}
        self.lowest = list(dict.fromkeys(self.namespaces.values()))
        self.services = {rule.group: service.file for service in profile.services for rule in service.rpcs}

    def of(self, name: str) -> str:
        """The file of a message or enum: as published, else by what it comes from."""
        if name in self.published:
            return self.published[name]
        message = self.contract.messages.get(name)
        source = message.schema if message is not None else self.contract.enums[name].schema
        if source.kind is SchemaKind.WRAPPER and message is not None:
            inner = next((item.type for item in message.fields if not item.is_scalar), "")
            return self.of(_outer(inner)) if inner else self.common
        if source.kind is SchemaKind.OPERATION:
            groups = source.list_operation_groups()
            return next((self.services[group] for group in groups if group in self.services), self.common)
        namespace = source.find_namespace(self.separator)
        return self.common if namespace is None else self._of_namespace(namespace)

    def _of_namespace(self, namespace: str) -> str:
        name = namespace
        while name and name not in self.namespaces:
            name = name.rpartition(".")[0]
        return self.namespaces.get(name) or self._file(format_snake(namespace.partition(".")[0]))

    def _file(self, stem: str) -> str:
        return f"{self.folder}/{stem}.proto".lstrip("/")


def _together(graph: Graph, homes: dict[str, str], published: dict[str, str]) -> dict[str, str]:
    """What refers to itself through others in one file: where most of it was published, else where most of it is."""
    placed = dict(homes)
    for part in nx.strongly_connected_components(graph):
        votes = Counter(published[name] for name in part if name in published)
        votes = votes or Counter(homes[name] for name in part)
        best = min(votes, key=lambda file: (-votes[file], file))
        placed |= dict.fromkeys(part, best)
    return placed


def _untangle(graph: Graph, placed: dict[str, str], published: dict[str, str], lowest: list[str]) -> None:
    """Move down what closes a circle of files, changing `placed`.

    From the bottom up: of files that import each other one is made the lowest, and what it needs of the others moves
    there: the file for which least of what was published moves, then the first that the profile lists, then the one
    for which least moves.
    """
    files = _imports(graph, placed)
    while files:
        circle = _lowest(files)
        if len(circle) > 1:
            standing: dict[str, list[str]] = {file: [] for file in circle}
            for name in graph:
                if placed[name] in circle:
                    standing[placed[name]].append(name)
            pulled = {file: _needed(graph, placed, standing[file], circle) for file in circle}
            chosen = min(
                circle,
                key=lambda file: (
                    len(pulled[file] & published.keys()),
                    lowest.index(file) if file in lowest else len(lowest),
                    len(pulled[file]),
                    file,
                ),
            )
            placed |= dict.fromkeys(pulled[chosen], chosen)
            files = _imports(graph, placed).subgraph([file for file in files if file != chosen]).copy()
        else:
            files.remove_nodes_from(circle)


def _imports(graph: Graph, placed: dict[str, str]) -> Graph:
    """Which file imports which."""
    files: Graph = nx.DiGraph()
    files.add_nodes_from(sorted(set(placed.values())))
    pairs = {(placed[source], placed[target]) for source, needed in graph.adj.items() for target in needed}
    files.add_edges_from(sorted((source, target) for source, target in pairs if source != target))
    return files


def _lowest(files: Graph) -> set[str]:
    """The first files that import none but each other."""
    parts = nx.condensation(files)
    return set(min((parts.nodes[part]["members"] for part in parts if not parts.out_degree(part)), key=min))


def _needed(graph: Graph, placed: dict[str, str], standing: list[str], circle: Container[str]) -> set[str]:
    """What the elements of a file need, directly or not, that stands in other files of a circle."""
    own = set(standing)
    waiting = list(standing)
    seen = set(own)
    while waiting:
        for name in graph.adj[waiting.pop()]:
            if name not in seen and placed[name] in circle:
                seen.add(name)
                waiting.append(name)
    return seen - own
