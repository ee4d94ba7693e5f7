"""Laws of placement: no circle of imports whatever refers to what, and what was published stays where it can."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from pipeline.model.contract import Contract, Field, JsonForm, Label, Message
from pipeline.model.lock.model import Lock, LockedMessage, create_empty_lock
from pipeline.model.profile.profile import Files, Profile
from pipeline.model.source import FieldSource, SchemaSource
from preprocess.numbering.file_layout import assign_files

NAMESPACES = ["_common", "_common.query", "indices", "cluster", ""]
NAMES = [f"M{index}" for index in range(12)]
PROFILE = Profile(
    name="sample",
    package="sample.v1",
    files=Files(messages="sample/v1/common.proto", layout="namespaces", namespaces={"_common": "common"}),
)

Edges = frozenset[tuple[str, str]]
Graphs = st.frozensets(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=24)
Homes = st.fixed_dictionaries({name: st.sampled_from(NAMESPACES) for name in NAMES})


def contract(homes: dict[str, str], edges: Edges, names: Iterable[str] = NAMES) -> Contract:
    kept = set(names)
    messages = {
        name: Message(
            name,
            SchemaSource.for_component(f"{homes[name]}___{name}" if homes[name] else name),
            JsonForm.OBJECT,
            tuple(
                Field(FieldSource.for_property(target.lower()), target.lower(), target, Label.OPTIONAL, number=number)
                for number, target in enumerate(sorted(to for source, to in edges if source == name and to in kept), 1)
            ),
        )
        for name in sorted(kept)
    }
    return Contract(messages, {}, ())


def published(placed: dict[str, str]) -> Lock:
    entries = {name: LockedMessage(file=file, next=1) for name, file in placed.items()}
    return create_empty_lock("sample.v1").model_copy(update={"messages": entries})


def imports(edges: Edges, placed: dict[str, str]) -> nx.DiGraph[str]:
    files: nx.DiGraph[str] = nx.DiGraph()
    files.add_edges_from(
        (placed[source], placed[target])
        for source, target in edges
        if source in placed and target in placed and placed[source] != placed[target]
    )
    return files


@given(Homes, Graphs)
def test_no_files_import_each_other(homes: dict[str, str], edges: Edges) -> None:
    placed = assign_files(contract(homes, edges), create_empty_lock("sample.v1"), PROFILE)
    assert set(placed) == set(NAMES)
    assert nx.is_directed_acyclic_graph(imports(edges, placed))


@given(Homes, Graphs)
def test_a_rebuild_moves_nothing(homes: dict[str, str], edges: Edges) -> None:
    spec = contract(homes, edges)
    placed = assign_files(spec, create_empty_lock("sample.v1"), PROFILE)
    assert assign_files(spec, published(placed), PROFILE) == placed


@given(Homes, Graphs, Graphs, st.sets(st.sampled_from(NAMES)))
def test_nothing_moves_unless_it_closes_a_circle(
    homes: dict[str, str], before: Edges, added: Edges, first: set[str]
) -> None:
    lock = published(assign_files(contract(homes, before, first), create_empty_lock("sample.v1"), PROFILE))
    alone = assign_files(contract(homes, frozenset()), lock, PROFILE)
    assert {name: alone[name] for name in first} == {name: entry.file for name, entry in lock.messages.items()}
    placed = assign_files(contract(homes, before | added), lock, PROFILE)
    assert nx.is_directed_acyclic_graph(imports(before | added, placed))
    if nx.is_directed_acyclic_graph(imports(before | added, alone)):
        assert placed == alone


def test_one_file_stays_one_file() -> None:
    profile = PROFILE.model_copy(update={"files": Files(messages="sample/v1/sample.proto")})
    homes = dict.fromkeys(NAMES, "indices")
    placed = assign_files(contract(homes, frozenset()), create_empty_lock("sample.v1"), profile)
    assert set(placed.values()) == {"sample/v1/sample.proto"}
