"""Apply renames: tie published names to the names that schemas, operations, properties and values have now.

A specification does not say how an element was called before, so the profile's `renames` do. They concern schemas,
operation groups, properties and enum values. A renamed element keeps its name and number in the protos, because clients
use them; only its source changes. Renames that follow each other form a chain, and a chain holds in both directions.
The response message of a published rpc follows its rpc without a rename. Source: AIP-180 (renaming).
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
from preprocess.document.openapi import get_component_schemas
from preprocess.document.references import parse_component_key
from preprocess.document.scope import Operation, iterate_operations

Entry = TypeVar("Entry", LockedField, LockedValue)


def find_renamed(renames: Mapping[str, str], present: Collection[str], tied: Collection[str]) -> dict[str, str]:
    """Return the present name of each missing name; leave out one with several present names, or with a tied one."""
    renamed: dict[str, str] = {}
    graph: nx.Graph[str] = nx.Graph(list(renames.items()))
    for chain in nx.connected_components(graph) if renames else ():
        candidates = sorted(chain & set(present))
        if len(candidates) == 1 and candidates[0] not in tied:
            renamed |= dict.fromkeys(chain - {candidates[0]}, candidates[0])
    return renamed


def apply_renames(lock: Lock, document: LocatedMap, renames: Renames) -> Lock:
    """Return the lock with its messages, enums and rpcs tied to the present names of schemas and operation groups."""
    if not renames.schemas and not renames.groups:
        return lock
    keys = set(get_component_schemas(document))
    groups = {operation.group for operation, _ in iterate_operations(document)}
    served = {rpc.group for rpc in lock.rpcs if rpc.group}
    new_groups = find_renamed(renames.groups, groups, served)
    renamed = find_renamed(renames.schemas, keys, _collect_sources(lock))
    renamed |= {_format_operation(old): _format_operation(new) for old, new in new_groups.items()}
    owners = keys | {_format_operation(group) for group in groups | served}
    entries: list[tuple[str, LockedMessage | LockedEnum]] = [*lock.messages.items(), *lock.enums.items()]
    sources = {name: rename_owner(entry.schema_, renamed, owners) for name, entry in entries if entry.schema_}
    rpcs = tuple(rpc.model_copy(update={"group": new_groups.get(rpc.group or "", rpc.group)}) for rpc in lock.rpcs)
    return _set_sources(lock, sources).model_copy(update={"rpcs": rpcs})


def _format_operation(group: str) -> str:
    return SchemaSource.for_operation(group).text


def list_rename_events(before: Lock, after: Lock) -> Iterator[Event]:
    """Yield an event for each message, enum and rpc that is tied to another name than it was published with."""
    old_entries: dict[str, LockedMessage | LockedEnum] = {**before.messages, **before.enums}
    new_entries: dict[str, LockedMessage | LockedEnum] = {**after.messages, **after.enums}
    for name, entry in new_entries.items():
        old_source = old_entries[name].schema_
        if old_source not in {None, entry.schema_}:
            yield Event(Change.RENAMED, name, f"`{old_source}` is `{entry.schema_}` now")
    for old, rpc in zip(before.rpcs, after.rpcs, strict=True):
        if old.group not in {None, rpc.group}:
            yield Event(Change.RENAMED, f"{rpc.service}/{rpc.name}", f"`{old.group}` is `{rpc.group}` now")


def _collect_sources(lock: Lock) -> set[str]:
    entries: list[LockedMessage | LockedEnum] = [*lock.messages.values(), *lock.enums.values()]
    return {entry.schema_ for entry in entries if entry.schema_}


def rename_response_messages(
    lock: Lock,
    rpcs: Iterable[LockedRpc],
    groups: Mapping[str, list[Operation]],
    schemas: Mapping[str, LocatedMap],
    separator: str,
) -> Lock:
    """Return the lock with response messages whose schema is gone tied to the present schemas of their responses."""
    tied = _collect_sources(lock)
    names = {derive_message_name(split_component_key(key, separator)[1]) for key in schemas}
    sources: dict[str, str] = {}
    for rpc in rpcs:
        entry = lock.messages.get(rpc.response)
        if entry is None or rpc.group is None or rpc.group not in groups:
            continue
        source = _find_response_source(rpc.group, groups[rpc.group], schemas)
        has_schema = entry.schema_ in schemas if entry.schema_ else rpc.response in names
        is_wrapper = (entry.schema_ or "").startswith(SchemaSource.for_operation(rpc.group, "response", "").text)
        if source and source not in tied and not has_schema and not is_wrapper:
            sources.setdefault(rpc.response, source)
    return _set_sources(lock, sources) if sources else lock


def _find_response_source(group: str, forms: list[Operation], schemas: Mapping[str, LocatedMap]) -> str:
    """Return the source of the one schema of all successful responses; empty if there are several or none."""
    contents = [
        media["schema"]
        for form in forms
        for response in form.successful_responses.values()
        for media in response["content"].values()
    ]
    keys = {
        parse_component_key(schema["$ref"]) if "$ref" in schema else ""
        for schema in contents
        if isinstance(schema, LocatedMap)
    }
    if len(keys) != 1 or not contents:
        return ""
    key = keys.pop() or SchemaSource.for_operation(group, "response").text
    visited = set()
    while key in schemas and key not in visited and "$ref" in schemas[key] and len(schemas[key]) == 1:
        visited.add(key)
        key = parse_component_key(schemas[key]["$ref"])
    return key


def _set_sources(lock: Lock, sources: Mapping[str, str]) -> Lock:
    messages, enums = dict(lock.messages), dict(lock.enums)
    for name, source in sources.items():
        if name in messages:
            messages[name] = messages[name].model_copy(update={"schema_": source})
        if name in enums:
            enums[name] = enums[name].model_copy(update={"schema_": source})
    return lock.model_copy(update={"messages": messages, "enums": enums})


def select_renames(renames: Mapping[str, str], element: str) -> dict[str, str]:
    """Return the renames of one message or enum, from keys `Element.old`, or `*.old` for every element."""
    split = [(*key.partition("."), new) for key, new in renames.items()]
    return {old: new for owner, _, old, new in split if owner in {element, "*"}}


def rename_entries(entries: Iterable[Entry], present: Collection[str], renames: Mapping[str, str]) -> list[Entry]:
    """Return the fields or values of one lock entry, tied to the present names of renamed properties and values."""
    entries = list(entries)
    if not renames:
        return entries
    tied = {entry.source for entry in entries if entry.source}
    renamed: dict[str, str] = {}
    for sources in list_renamed_sources(renames):
        renamed |= find_renamed(sources, present, tied)
    return [entry.model_copy(update={"source": renamed.get(entry.source or "", entry.source)}) for entry in entries]
