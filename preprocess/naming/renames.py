"""Renames: what a new name of the spec was called when it was published. One owner.

A spec says nothing about what a name was before, so the profile's `renames` do: of schemas, operation groups,
properties and enum values. What is renamed keeps its name and number in the protos, which all clients hold; only what
ties it to the spec changes. Names that follow one another are one chain, which holds in both directions and over any
step. The message that a published rpc answers with follows the rpc by itself. Source: AIP-180 (renaming).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeVar

import networkx as nx

from pipeline.model.changes import Change, Event
from pipeline.model.document.located import LocatedMap
from pipeline.model.identifiers import derive_message_name
from pipeline.model.lock.model import Lock, LockedEnum, LockedField, LockedMessage, LockedRpc, LockedValue
from pipeline.model.profile.renames_and_acceptances import Renames
from pipeline.model.source import SchemaSource, list_renamed_sources, rename_owner, split_component_key
from preprocess.document.references import parse_component_key
from preprocess.document.scope import Operation, iterate_operations

Entry = TypeVar("Entry", LockedField, LockedValue)


def aliases(pairs: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """All other names of each name in a list of renames."""
    if not pairs:
        return {}
    graph: nx.Graph[str] = nx.Graph(list(pairs.items()))
    return {name: frozenset(part) - {name} for part in nx.connected_components(graph) for name in part}


def present_names(pairs: Mapping[str, str], present: Collection[str], taken: Collection[str]) -> dict[str, str]:
    """What each name that is gone is called now; nothing where that is unclear, or has a place of its own already."""
    found = {}
    for name, others in aliases(pairs).items():
        now = sorted(others & set(present))
        if name not in present and len(now) == 1 and now[0] not in taken:
            found[name] = now[0]
    return found


def follow(lock: Lock, document: LocatedMap, renames: Renames) -> Lock:
    """The lock with its messages, enums and rpcs tied to the names that schemas and operation groups have now.

    Args:
        lock: what was published.
        document: the spec.
        renames: of the profile.
    """
    if not renames.schemas and not renames.groups:
        return lock
    components = document.get("components")
    schemas = components.get("schemas") if isinstance(components, LocatedMap) else None
    keys = set(schemas) if isinstance(schemas, LocatedMap) else set()
    groups = {operation.group for operation, _ in iterate_operations(document)}
    sources = _sources(lock)
    moved = present_names(renames.schemas, keys, sources)
    served = {rpc.group for rpc in lock.rpcs if rpc.group}
    called = present_names(renames.groups, groups, served)
    moved |= {_operation_text(old): _operation_text(new) for old, new in called.items()}
    known = keys | {_operation_text(group) for group in groups | served}
    entries: list[tuple[str, LockedMessage | LockedEnum]] = [*lock.messages.items(), *lock.enums.items()]
    ties = {name: rename_owner(entry.schema_, moved, known) for name, entry in entries if entry.schema_}
    rpcs = tuple(rpc.model_copy(update={"group": called.get(rpc.group or "", rpc.group)}) for rpc in lock.rpcs)
    return _tied(lock, ties).model_copy(update={"rpcs": rpcs})


def _operation_text(group: str) -> str:
    return SchemaSource.for_operation(group).text


def renamed(before: Lock, after: Lock) -> Iterator[Event]:
    """What is tied to another name of the spec than it was published with."""
    was: dict[str, LockedMessage | LockedEnum] = {**before.messages, **before.enums}
    now: dict[str, LockedMessage | LockedEnum] = {**after.messages, **after.enums}
    for name, entry in now.items():
        if was[name].schema_ not in {None, entry.schema_}:
            yield Event(Change.RENAMED, name, f"`{was[name].schema_}` is `{entry.schema_}` now")
    for old, rpc in zip(before.rpcs, after.rpcs, strict=True):
        if old.group not in {None, rpc.group}:
            yield Event(Change.RENAMED, f"{rpc.service}/{rpc.name}", f"`{old.group}` is `{rpc.group}` now")


def _sources(lock: Lock) -> set[str]:
    """What the messages and enums of a lock stand for."""
    entries: list[LockedMessage | LockedEnum] = [*lock.messages.values(), *lock.enums.values()]
    return {entry.schema_ for entry in entries if entry.schema_}


def follow_answers(
    lock: Lock,
    rpcs: Iterable[LockedRpc],
    groups: Mapping[str, list[Operation]],
    schemas: Mapping[str, LocatedMap],
    separator: str,
) -> Lock:
    """The lock with the messages that published rpcs answer with tied to what the operations answer with now.

    A message whose schema is still there stays with that.

    Args:
        lock: what was published.
        rpcs: the published ones, tied to their groups.
        groups: the operations in scope.
        schemas: the component schemas in scope.
        separator: what stands between namespace and name in their keys.
    """
    sources = _sources(lock)
    names = {derive_message_name(split_component_key(key, separator)[1]) for key in schemas}
    ties: dict[str, str] = {}
    for rpc in rpcs:
        entry = lock.messages.get(rpc.response)
        if entry is None or rpc.group is None or rpc.group not in groups:
            continue
        answer = _answer(rpc.group, groups[rpc.group], schemas)
        gone = entry.schema_ not in schemas if entry.schema_ else rpc.response not in names
        wrapped = (entry.schema_ or "").startswith(SchemaSource.for_operation(rpc.group, "response", "").text)
        if gone and answer and answer not in sources and not wrapped:
            ties.setdefault(rpc.response, answer)
    return _tied(lock, ties) if ties else lock


def _answer(group: str, forms: list[Operation], schemas: Mapping[str, LocatedMap]) -> str:
    """What all forms of an operation answer with when all went well; empty where that is not one schema."""
    contents = [
        media["schema"]
        for form in forms
        for node in form.successful_responses.values()
        for media in node["content"].values()
    ]
    keys = {
        parse_component_key(schema["$ref"]) if "$ref" in schema else ""
        for schema in contents
        if isinstance(schema, LocatedMap)
    }
    if len(keys) != 1 or len(contents) == 0:
        return ""
    key = keys.pop() or SchemaSource.for_operation(group, "response").text
    seen = set()
    while key in schemas and key not in seen and "$ref" in schemas[key] and len(schemas[key]) == 1:
        seen.add(key)
        key = parse_component_key(schemas[key]["$ref"])
    return key


def _tied(lock: Lock, ties: Mapping[str, str]) -> Lock:
    """The lock with other sources for some of its messages and enums."""
    messages, enums = dict(lock.messages), dict(lock.enums)
    for name, source in ties.items():
        if name in messages:
            messages[name] = messages[name].model_copy(update={"schema_": source})
        if name in enums:
            enums[name] = enums[name].model_copy(update={"schema_": source})
    return lock.model_copy(update={"messages": messages, "enums": enums})


def renames_of(pairs: Mapping[str, str], element: str) -> dict[str, str]:
    """The renames of one message or enum, from keys `Element.old`, or `*.old` for every element that has it."""
    listed = [(*key.partition("."), new) for key, new in pairs.items()]
    return {old: new for owner, _, old, new in listed if owner in {element, "*"}}


def retied(entries: Iterable[Entry], present: Collection[str], pairs: Mapping[str, str]) -> list[Entry]:
    """Fields or values of the lock, those of a renamed property or text tied to its name of now.

    Args:
        entries: of one message or enum.
        present: what it has in the spec, as sources.
        pairs: its renames.
    """
    listed = list(entries)
    if not pairs:
        return listed
    taken = {entry.source for entry in listed if entry.source}
    moved: dict[str, str] = {}
    for own in list_renamed_sources(pairs):
        moved |= present_names(own, present, taken)
    return [entry.model_copy(update={"source": moved.get(entry.source or "", entry.source)}) for entry in listed]
