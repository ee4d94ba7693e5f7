"""Names kept apart: what two names may not share, and the name that the second one gets.

Two fields of a message clash when they differ in case or underscores only, as ProtoJSON and older compilers then take
them for one, or when one is called what Java calls an accessor of the other. Sources: protobuf guide, ProtoJSON names
and generated code for Java; protobuf style guide, identifiers.
"""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.model.contract import Label
from pipeline.model.identifiers import find_free_name

# What Java adds to the name of a field for further accessors, by the field's type: `getTitleBytes` of a string `title`.
# It numbers clashes with the accessors of lists by itself.
_OF_STRING = ("bytes",)
_OF_ENUM = ("value", "valuelist")
_OF_MESSAGE = ("builder", "orbuilder", "builderlist", "orbuilderlist")
_OF_MAP = ("map", "ordefault", "orthrow")


def key_of(name: str) -> str:
    """What two names of one scope may not share: the name without case and underscores."""
    return name.replace("_", "").lower()


def accessors(type_name: str, label: Label, *, is_enum: bool) -> tuple[str, ...]:
    """The endings of the further accessors that Java gives a field, as in `key_of`."""
    if label is Label.MAP:
        return (*_OF_MAP, *_OF_ENUM) if is_enum else _OF_MAP
    if is_enum:
        return _OF_ENUM
    if type_name == "string":
        return _OF_STRING
    return _OF_MESSAGE if type_name[:1].isupper() else ()


class FieldNames:
    """The names of one message's fields and oneofs, which share a scope."""

    def __init__(self) -> None:
        """Begin without any."""
        self._keys: set[str] = set()
        self._accessors: set[str] = set()

    def keep(self, name: str, endings: Iterable[str] = ()) -> None:
        """Put a name on record that is given already."""
        key = key_of(name)
        self._keys.add(key)
        self._accessors |= {key + ending for ending in endings}

    def has(self, name: str) -> bool:
        """Whether a name is taken, or one that differs in case and underscores only."""
        return key_of(name) in self._keys

    def give(self, name: str, endings: tuple[str, ...] = ()) -> str:
        """The name that a field gets, on record from now on."""
        found = find_free_name(name, lambda proposed: self._is_free(proposed, endings))
        self.keep(found, endings)
        return found

    def _is_free(self, name: str, endings: tuple[str, ...]) -> bool:
        key = key_of(name)
        return (
            key not in self._keys
            and key not in self._accessors
            and not any(key + ending in self._keys for ending in endings)
        )
