"""Match the published fields of one message with the fields that the specification declares now.

A field keeps its number as long as its type and its place in the message stay compatible. Source: protobuf guide,
updating a message type.
"""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.model.contract import Field, Label
from pipeline.model.lock.model import STATES, LockedField, LockedMessage, State
from pipeline.model.source import FieldSource
from preprocess.naming.renames import rename_entries

_SINGLE = {Label.SINGULAR, Label.OPTIONAL}


def is_compatible(published: LockedField, declared: Field) -> bool:
    """Return whether a published field can hold the values of a declared one.

    `optional` and no label are the same on the wire. A plain field stays plain if the specification puts it into a
    union. A member of a oneof cannot become plain, because two such fields could then be set together.
    """
    if published.type != declared.type:
        return False
    if published.label in _SINGLE and declared.label in _SINGLE:
        return published.oneof is None or declared.oneof is not None
    return published.label == declared.label


class PublishedFields:
    """The published fields of one message.

    Attributes:
        entries: the lock entries, tied to the present names of renamed properties.
        renamed: the published source of each renamed field, by number.
        matches: the declared field that continues an entry, by the index of the entry.
        retyped: the source of the declared field that is incompatible with an entry, by the index of the entry.
    """

    def __init__(
        self, message: LockedMessage | None, declared: tuple[Field, ...], ties: dict[str, str], renames: dict[str, str]
    ) -> None:
        """Index the lock entries of a message by source, or by name if `ties` has no source for it."""
        fields = [
            entry if entry.source or entry.name not in ties else entry.model_copy(update={"source": ties[entry.name]})
            for entry in (message.fields if message else ())
        ]
        self.entries = rename_entries(fields, {item.source.text for item in declared}, renames)
        pairs = zip(fields, self.entries, strict=True)
        self.renamed = {entry.number: published.source for published, entry in pairs if published != entry}
        self.matches: dict[int, Field] = {}
        self.retyped: dict[int, FieldSource] = {}
        self._by_source: dict[str, list[int]] = {}
        self._by_name: dict[str, list[int]] = {}
        for index, entry in enumerate(self.entries):
            if entry.state is State.REPLACED:
                continue
            if entry.source is None:
                self._by_name.setdefault(entry.name, []).append(index)
            else:
                self._by_source.setdefault(entry.source, []).append(index)

    def find_match(self, declared: Field) -> int | None:
        """Return the index of the entry that a declared field continues; record entries of an incompatible type."""
        indexes = (*self._by_source.get(declared.source.text, ()), *self._by_name.get(declared.name, ()))
        candidates = [index for index in sorted(indexes) if index not in self.matches]
        candidates.sort(key=lambda index: (STATES.index(self.entries[index].state), self.entries[index].source is None))
        match = None
        for index in candidates:
            if not is_compatible(self.entries[index], declared):
                if self.entries[index].state is State.LIVE:
                    self.retyped[index] = declared.source
            elif match is None:
                match = index
        return match

    def iterate_unmatched(self) -> Iterator[tuple[int, LockedField]]:
        """Yield the entries that no declared field continues, with their indexes."""
        return ((index, entry) for index, entry in enumerate(self.entries) if index not in self.matches)
