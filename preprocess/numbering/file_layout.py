"""Assign each message and enum to a proto file. No other module does.

An element belongs to the file of its namespace. Requests, responses and schemas inside an operation belong to the file
of their service. Files must not import each other in a cycle (protobuf guide, importing definitions). Elements that
refer to each other through several files are therefore put into one file. What a lower file needs of a higher one moves
down. A published element stays in its file as long as that is possible.
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


def assign_files(contract: Contract, lock: Lock, profile: Profile) -> dict[str, str]:
    """Return the file of every message and enum, by name."""
    elements: dict[str, Message | Enum] = {**contract.messages, **contract.enums}
    published = {name: entry.file for name, entry in lock.messages.items()}
    published |= {name: entry.file for name, entry in lock.enums.items()}
    if profile.files.layout == "one_file":
        return {name: published.get(name, profile.files.messages) for name in elements}
    graph = _build_graph(contract)
    preferences = _FilePreferences(contract, published, profile)
    files = _merge_cycles(graph, {name: preferences.choose_file(name) for name in graph}, published)
    _break_import_cycles(graph, files, published, preferences.priorities)
    return {name: files[_get_outer(name)] for name in elements}


def _get_outer(name: str) -> str:
    return name.partition(".")[0]


def _build_graph(contract: Contract) -> Graph:
    """Return which message refers to which message or enum; a nested element counts as the outermost message."""
    graph: Graph = nx.DiGraph()
    graph.add_nodes_from(sorted({_get_outer(name) for name in [*contract.messages, *contract.enums]}))
    for name, message in sorted(contract.messages.items()):
        graph.add_edges_from(
            (_get_outer(name), _get_outer(item.type))
            for item in message.fields
            if not item.is_scalar and _get_outer(item.type) != _get_outer(name)
        )
    return graph


class _FilePreferences:
    """The files that elements would be in if files could import each other freely.

    Attributes:
        priorities: the files that the profile lists; in a cycle, the first one is imported by the others.
    """

    def __init__(self, contract: Contract, published: dict[str, str], profile: Profile) -> None:
        self.contract = contract
        self.published = published
        self.common = profile.files.messages
        self.folder = self.common.rpartition("/")[0]
        self.separator = profile.conversion.schema_separator
        self.namespaces = {name: self._format_path(stem) for name, stem in profile.files.namespaces.items()}
        self.priorities = list(dict.fromkeys(self.namespaces.values()))
        self.services = {rule.group: service.file for service in profile.services for rule in service.rpcs}

    def choose_file(self, name: str) -> str:
        """Return the file of a message or enum: as published, or by its source."""
        if name in self.published:
            return self.published[name]
        message = self.contract.messages.get(name)
        source = message.schema if message is not None else self.contract.enums[name].schema
        if source.kind is SchemaKind.WRAPPER and message is not None:
            inner = next((item.type for item in message.fields if not item.is_scalar), "")
            return self.choose_file(_get_outer(inner)) if inner else self.common
        if source.kind is SchemaKind.OPERATION:
            groups = source.list_operation_groups()
            return next((self.services[group] for group in groups if group in self.services), self.common)
        namespace = source.find_namespace(self.separator)
        return self.common if namespace is None else self._choose_namespace_file(namespace)

    def _choose_namespace_file(self, namespace: str) -> str:
        name = namespace
        while name and name not in self.namespaces:
            name = name.rpartition(".")[0]
        return self.namespaces.get(name) or self._format_path(format_snake(namespace.partition(".")[0]))

    def _format_path(self, stem: str) -> str:
        return f"{self.folder}/{stem}.proto".lstrip("/")


def _merge_cycles(graph: Graph, preferred: dict[str, str], published: dict[str, str]) -> dict[str, str]:
    """Return the files with each cycle of elements in one file: the one of most published, or most, of its elements."""
    files = dict(preferred)
    for cycle in nx.strongly_connected_components(graph):
        votes = Counter(published[name] for name in cycle if name in published)
        votes = votes or Counter(preferred[name] for name in cycle)
        best = min(votes, key=lambda file: (-votes[file], file))
        files |= dict.fromkeys(cycle, best)
    return files


def _break_import_cycles(graph: Graph, files: dict[str, str], published: dict[str, str], priorities: list[str]) -> None:
    """Move elements down until no files import each other in a cycle; change `files` in place.

    The loop works from the bottom up. In each cycle it makes one file the lowest, and moves there what that file needs
    of the others. It chooses the file that moves the fewest published elements. Ties go to the first file of the
    profile, then to the file that moves the fewest elements.
    """
    imports = _build_import_graph(graph, files)
    while imports:
        cycle = _find_lowest_cycle(imports)
        if len(cycle) == 1:
            imports.remove_nodes_from(cycle)
            continue
        elements: dict[str, list[str]] = {file: [] for file in cycle}
        for name in graph:
            if files[name] in cycle:
                elements[files[name]].append(name)
        needed = {file: _collect_needed(graph, files, elements[file], cycle) for file in cycle}

        def rank(file: str, needed: dict[str, set[str]] = needed) -> tuple[int, int, int, str]:
            priority = priorities.index(file) if file in priorities else len(priorities)
            return len(needed[file] & published.keys()), priority, len(needed[file]), file

        lowest = min(cycle, key=rank)
        files |= dict.fromkeys(needed[lowest], lowest)
        imports = _build_import_graph(graph, files).subgraph([file for file in imports if file != lowest]).copy()


def _build_import_graph(graph: Graph, files: dict[str, str]) -> Graph:
    imports: Graph = nx.DiGraph()
    imports.add_nodes_from(sorted(set(files.values())))
    pairs = {(files[name], files[target]) for name, targets in graph.adj.items() for target in targets}
    imports.add_edges_from(sorted((importer, imported) for importer, imported in pairs if importer != imported))
    return imports


def _find_lowest_cycle(imports: Graph) -> set[str]:
    """Return the files of the first cycle that imports no file outside of it; often a single file."""
    cycles = nx.condensation(imports)
    return set(min((cycles.nodes[cycle]["members"] for cycle in cycles if not cycles.out_degree(cycle)), key=min))


def _collect_needed(graph: Graph, files: dict[str, str], elements: list[str], cycle: Container[str]) -> set[str]:
    waiting = list(elements)
    visited = set(elements)
    while waiting:
        for name in graph.adj[waiting.pop()]:
            if name not in visited and files[name] in cycle:
                visited.add(name)
                waiting.append(name)
    return visited - set(elements)
