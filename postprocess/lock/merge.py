"""Merge two locks that were extended independently: the published side stays, the other side's numbers follow.

Changes of common entries (deprecated, live again, another source) are merged three-way; the published side wins. An
entry whose name has another meaning on the published side is left out: the next build assigns it a name and a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pipeline.model.lock import model
from pipeline.model.lock.model import Lock, LockedEnum, LockedField, LockedMessage, LockedRpc, LockedValue
from postprocess.lock.compatibility import get_meaning

Entry = TypeVar("Entry", LockedField, LockedValue)
Element = TypeVar("Element", LockedMessage, LockedEnum)
# The attributes that may change; everything else of an entry is published for good.
_OF_ENTRY = ("state", "reason", "source", "until")
_OF_ELEMENT = ("state", "reason", "schema_", "file")
_OF_RPC = ("state", "reason", "group", "until")


@dataclass(slots=True)
class MergedLock:
    """A merged lock, and what the merge did to the unpublished side.

    Attributes:
        lock: the merged lock.
        renumbered: element, old number and new number.
        left_out: the elements that the next build has to add again.
    """

    lock: Lock
    renumbered: list[tuple[str, int, int]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def merge_locks(base: Lock, published: Lock, other: Lock) -> MergedLock:
    """Merge two locks with the ancestor `base`; `published` keeps its numbers, no client has seen `other` yet."""
    merge = _Merge(MergedLock(published))
    messages = merge.merge_elements(base.messages, published.messages, other.messages, {*published.enums})
    enums = merge.merge_elements(base.enums, published.enums, other.enums, {*published.messages, *messages})
    merge.drop_fields_of_dropped_types(messages, enums)
    extensions = {item.name: item for item in (*other.extensions, *published.extensions)}
    update: dict[str, Any] = {
        "messages": messages,
        "enums": enums,
        "rpcs": merge.merge_rpcs(base.rpcs, published.rpcs, other.rpcs, messages),
        "files": {**other.files, **published.files},
        "extensions": tuple(extensions[name] for name in sorted(extensions)),
        "accepted": tuple(dict.fromkeys((*published.accepted, *other.accepted))),
    }
    merge.result.lock = published.model_copy(update=update)
    return merge.result


class _Merge:
    """One merge: collects in `result` what was renumbered and left out."""

    def __init__(self, result: MergedLock) -> None:
        self.result = result
        enums = result.lock.enums.values()
        # Enum values share the scope of the package (protobuf language guide, enumerations).
        self.value_names = {value.name for enum in enums for value in enum.values}

    def merge_elements(
        self,
        base: Mapping[str, Element],
        published: Mapping[str, Element],
        other: Mapping[str, Element],
        taken: set[str],
    ) -> dict[str, Element]:
        """Merge the messages, or the enums, of both sides; the other kind has the names in `taken`."""
        merged = dict(published)
        for name, element in sorted(other.items()):
            if name in published:
                merged[name] = self._merge_element(name, base.get(name), published[name], element)
            elif name in taken or (isinstance(element, LockedEnum) and not self._reserve_value_names(element)):
                self.result.left_out.append(name)
            else:
                merged[name] = element
        return merged

    def _reserve_value_names(self, enum: LockedEnum) -> bool:
        """Reserve the value names of a new enum and return True; return False if one is taken."""
        names = {value.name for value in enum.values}
        if names & self.value_names:
            return False
        self.value_names |= names
        return True

    def _merge_element(self, name: str, base: Element | None, published: Element, other: Element) -> Element:
        update = _merge_attributes(_OF_ELEMENT, base, published, other)
        entries, cursor = self._merge_entries(
            name, base.entries if base else (), published.entries, other.entries, published.next
        )
        return published.model_copy(update=update).replace_entries(entries, cursor)

    def _merge_entries(
        self, owner: str, base: Sequence[Entry], published: Sequence[Entry], other: Sequence[Entry], cursor: int
    ) -> tuple[tuple[Entry, ...], int]:
        """Return the published fields or values, then the new ones of the other side, and the next number."""
        ancestors = {_get_identity(entry): entry for entry in base}
        changed = {_get_identity(entry): entry for entry in other if _get_identity(entry) in ancestors}
        merged = [
            entry.model_copy(update=_merge_attributes(_OF_ENTRY, ancestors.get(key), entry, changed.get(key, entry)))
            for entry in published
            for key in [_get_identity(entry)]
        ]
        meanings = {get_meaning(entry) for entry in merged}
        names = {entry.name for entry in merged} | {entry.oneof for entry in merged if isinstance(entry, LockedField)}
        for entry in other:
            if _get_identity(entry) in ancestors or get_meaning(entry) in meanings or entry.state in model.RETIRED:
                continue
            if entry.name in names or (isinstance(entry, LockedValue) and entry.name in self.value_names):
                self.result.left_out.append(f"{owner}.{entry.name}")
                continue
            number = model.skip_reserved_range(cursor)
            cursor = number + 1
            merged.append(entry.model_copy(update={"number": number}))
            if number != entry.number:
                self.result.renumbered.append((f"{owner}.{entry.name}", entry.number, number))
        merged.sort(key=lambda entry: (entry.number, model.STATES.index(entry.state), entry.name))
        return tuple(merged), cursor

    def drop_fields_of_dropped_types(self, messages: dict[str, LockedMessage], enums: Mapping[str, LockedEnum]) -> None:
        """Leave out new fields whose message or enum was left out."""
        dropped = {name for name in self.result.left_out if "." not in name} - messages.keys() - enums.keys()
        for name, message in messages.items():
            remaining = tuple(item for item in message.fields if item.type not in dropped)
            self.result.left_out += [f"{name}.{item.name}" for item in message.fields if item.type in dropped]
            messages[name] = message.model_copy(update={"fields": remaining})

    def merge_rpcs(
        self,
        base: Sequence[LockedRpc],
        published: Sequence[LockedRpc],
        other: Sequence[LockedRpc],
        messages: Mapping[str, LockedMessage],
    ) -> tuple[LockedRpc, ...]:
        """Merge the rpcs of both sides; new ones need their messages in the merged lock."""
        ancestors = {(rpc.service, rpc.name): rpc for rpc in base}
        changed = {(rpc.service, rpc.name): rpc for rpc in other}
        merged = {
            key: rpc.model_copy(update=_merge_attributes(_OF_RPC, ancestors.get(key), rpc, changed.get(key, rpc)))
            for rpc in published
            for key in [(rpc.service, rpc.name)]
        }
        for key, rpc in changed.items():
            if key not in merged and {rpc.request, rpc.response} <= messages.keys():
                merged[key] = rpc
            elif key not in merged:
                self.result.left_out.append("/".join(key))
        return tuple(rpc for _, rpc in sorted(merged.items()))


def _get_identity(entry: LockedField | LockedValue) -> tuple[Any, ...]:
    """Return the number and meaning of an entry, which together identify it in any lock."""
    return entry.number, *get_meaning(entry)


def _merge_attributes(names: Sequence[str], base: Any, published: Any, other: Any) -> dict[str, Any]:
    """Return the attributes of the other side if only that side changed them."""
    if base is None:
        return {}
    unchanged = all(getattr(base, name) == getattr(published, name) for name in names)
    return {name: getattr(other, name) for name in names} if unchanged else {}
