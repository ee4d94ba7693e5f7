"""Keep the field names of one message apart, so that every compiler and runtime accepts them.

Two fields of a message collide if their names differ only in case or underscores, because ProtoJSON and older
compilers do not tell them apart. They also collide if Java gives an accessor of one field the name of the other.
Sources: protobuf guide, ProtoJSON names and generated code for Java; protobuf style guide, identifiers.
"""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.model.contract import Label
from pipeline.model.identifiers import find_free_name

# What Java appends to the name of a field for further accessors, by the field's type: `getTitleBytes` of a string
# `title`. Java itself resolves collisions with the accessors of lists.
_OF_STRING = ("bytes",)
_OF_ENUM = ("value", "valuelist")
_OF_MESSAGE = ("builder", "orbuilder", "builderlist", "orbuilderlist")
_OF_MAP = ("map", "ordefault", "orthrow")


def normalize_name(name: str) -> str:
    """Return a name in lower case without underscores; two names of one scope must differ in this form."""
    return name.replace("_", "").lower()


def list_java_suffixes(type_name: str, label: Label, *, is_enum: bool) -> tuple[str, ...]:
    """Return the suffixes of the further accessors that Java gives a field, normalized."""
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
        self._names: set[str] = set()
        self._accessors: set[str] = set()

    def record(self, name: str, suffixes: Iterable[str] = ()) -> None:
        """Record a name that is in use, with the suffixes of its accessors in Java."""
        normalized = normalize_name(name)
        self._names.add(normalized)
        self._accessors |= {normalized + suffix for suffix in suffixes}

    def has(self, name: str) -> bool:
        """Return whether a name is in use, ignoring case and underscores."""
        return normalize_name(name) in self._names

    def assign(self, name: str, suffixes: tuple[str, ...] = ()) -> str:
        """Return the name, or the first of `name_2`, `name_3`… that collides with no other; record it as used."""
        free = find_free_name(name, lambda proposed: self._is_free(proposed, suffixes))
        self.record(free, suffixes)
        return free

    def _is_free(self, name: str, suffixes: tuple[str, ...]) -> bool:
        normalized = normalize_name(name)
        return (
            normalized not in self._names
            and normalized not in self._accessors
            and not any(normalized + suffix in self._names for suffix in suffixes)
        )
