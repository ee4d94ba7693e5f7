"""Say what in the specification a message, an enum, a field or an enum value stands for: its source.

A source stays the same from one version of the specification to the next, so it ties a published number to a schema.
Lock and binding hold sources as strings, such as `variant:Term` or `operation:search`. Only this module builds and
parses these strings. Everything else compares sources, reads their attributes, or writes their `text`.

A source is a NamedTuple of a kind and a name, rather than one class for each kind. A build makes and hashes about
20,000 of them, and a tuple is hashed in C.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import NamedTuple


class FieldKind(StrEnum):
    """What kind of thing a field stands for; the value is the prefix of its text."""

    PROPERTY = "property"
    PARAMETER = "parameter"
    VARIANT = "variant"
    REST = "rest"
    POSITION = "position"
    ITEMS = "items"
    ENTRIES = "entries"
    VALUE = "value"
    BODY = "body"
    CONTENT = "content"
    EXISTS = "exists"
    GLOBAL = "global"
    GONE = "gone"
    UNKNOWN = ""


_FIELD_KINDS = {str(kind): kind for kind in FieldKind}


class FieldSource(NamedTuple):
    """What a field stands for.

    Attributes:
        kind: a property, a parameter, a variant of a union, and so on.
        name: the name of the property or parameter, the title of the variant; empty where the kind says it all.
    """

    kind: FieldKind
    name: str = ""

    @classmethod
    def for_property(cls, name: str) -> FieldSource:
        """Return the source of a property."""
        return cls(FieldKind.PROPERTY, name)

    @classmethod
    def for_parameter(cls, name: str, location: str = "") -> FieldSource:
        """Return the source of a parameter; `location` tells apart two parameters that have the same name."""
        return cls(FieldKind.PARAMETER, f"{name}@{location}" if location else name)

    @classmethod
    def for_variant(cls, label: str) -> FieldSource:
        """Return the source of a variant of a union, by its title or the words for its type."""
        return cls(FieldKind.VARIANT, label)

    @classmethod
    def parse(cls, text: str) -> FieldSource:
        """Parse the text that a lock holds; a text with an unknown prefix is kept as it is."""
        prefix, colon, name = text.partition(":")
        if not colon:
            return cls(FieldKind.PROPERTY, text)
        kind = _FIELD_KINDS.get(prefix, FieldKind.UNKNOWN)
        return cls(kind, name) if prefix and kind is not FieldKind.UNKNOWN else cls(FieldKind.UNKNOWN, text)

    @property
    def text(self) -> str:
        """The source as lock and binding hold it; a property has its prefix only if its name has a colon."""
        kind, name = self
        if kind is FieldKind.UNKNOWN or (kind is FieldKind.PROPERTY and ":" not in name):
            return name
        return f"{kind}:{name}"

    @property
    def json_key(self) -> str:
        """The key of a property in JSON; the text of anything else."""
        return self.name if self.kind is FieldKind.PROPERTY else self.text

    def __str__(self) -> str:
        return self.text

    def add_number(self, number: int, sign: str = "_") -> FieldSource:
        """Return the source of a further field that stands for the same thing."""
        return FieldSource(self.kind, f"{self.name}{sign}{number}")


BASE_VARIANT = FieldSource.for_variant("base")
"""The variant for the schema itself that a discriminator stands in, beside its subtypes."""
KEY = FieldSource.for_property("key")
"""The key under which a JSON value stands, of messages that hold it in a field."""


class SchemaKind(StrEnum):
    """What kind of thing a message or enum stands for; the value is the prefix of its text."""

    COMPONENT = ""
    OPERATION = "operation"
    GLOBAL = "global"
    WRAPPER = "wrapper"
    SUPPORT = "support"
    GONE = "gone"


_SCHEMA_KINDS = {str(kind): kind for kind in SchemaKind}
# A path continues its owner with one of these.
_STEPS = ".[{|:"


class SchemaSource(NamedTuple):
    """What a message or an enum stands for: a component schema or an operation, and the path to an inline schema.

    Attributes:
        kind: whose schema it is.
        path: the component's key or the operation's group, and the steps from there: `.property`, `[]` for items,
            `{}` for map values, `|variant`, `[0]` for a position, `/part` for anything else.
    """

    kind: SchemaKind
    path: str = ""

    @classmethod
    def for_component(cls, key: str) -> SchemaSource:
        """Return the source of a component schema."""
        return cls(SchemaKind.COMPONENT, key)

    @classmethod
    def for_section(cls, section: str, key: str) -> SchemaSource:
        """Return the source of another component, such as a parameter or a response."""
        return cls(SchemaKind.COMPONENT, f"{section}:{key}")

    @classmethod
    def for_operation(cls, group: str, *parts: str) -> SchemaSource:
        """Return the source of the request of an operation group, or of a part of the operation."""
        return cls(SchemaKind.OPERATION, ":".join((group, *parts)))

    @classmethod
    def parse(cls, text: str) -> SchemaSource:
        """Parse the text that a lock holds."""
        prefix, colon, path = text.partition(":")
        kind = _SCHEMA_KINDS.get(prefix) if colon else None
        return cls(kind, path) if kind else cls(SchemaKind.COMPONENT, text)

    @property
    def text(self) -> str:
        """The source as the lock holds it."""
        return f"{self.kind}:{self.path}" if self.kind else self.path

    def __str__(self) -> str:
        return self.text

    @property
    def is_shared(self) -> bool:
        """Whether messages of any schema use it: a wrapper of a list or map, or a supporting message."""
        return self.kind is SchemaKind.WRAPPER or self.kind is SchemaKind.SUPPORT

    def append_property(self, name: str) -> SchemaSource:
        """Return the source of the schema of a property."""
        return SchemaSource(self.kind, f"{self.path}.{name}")

    def append_definition(self, keyword: str, name: str) -> SchemaSource:
        """Return the source of a schema under `$defs` or `definitions`."""
        return SchemaSource(self.kind, f"{self.path}.{keyword}.{name}")

    def append_items(self) -> SchemaSource:
        """Return the source of the items of an array."""
        return SchemaSource(self.kind, f"{self.path}[]")

    def append_position(self, index: int) -> SchemaSource:
        """Return the source of one position of a tuple."""
        return SchemaSource(self.kind, f"{self.path}[{index}]")

    def append_values(self) -> SchemaSource:
        """Return the source of the values of a map."""
        return SchemaSource(self.kind, f"{self.path}{{}}")

    def append_variant(self, label: str | int) -> SchemaSource:
        """Return the source of a variant of a union."""
        return SchemaSource(self.kind, f"{self.path}|{label}")

    def append_part(self, part: str) -> SchemaSource:
        """Return the source of the schema under another keyword."""
        return SchemaSource(self.kind, f"{self.path}/{part}")

    def list_operation_groups(self) -> list[str]:
        """Return the operation groups that the path may begin with, the longest first."""
        path = self.path
        ends = [index for index, char in enumerate(path) if char in ".:"]
        return [path[:end] for end in [len(path), *reversed(ends)]]

    def find_namespace(self, separator: str) -> str | None:
        """Return the namespace of the component that the path begins with, or None."""
        namespace, found, _ = self.text.partition(separator)
        return namespace if found else None


def split_component_key(key: str, separator: str) -> tuple[str, str]:
    """Split the key of a component into its namespace, which may be empty, and its name."""
    namespace, _, name = key.rpartition(separator)
    return namespace, name


def format_value_source(text: str | None) -> str:
    """Return what ties an enum value to the specification: its JSON string behind `=`, or `null`."""
    return "null" if text is None else f"={text}"


def rename_owner(source: str, renamed: Mapping[str, str], present: Collection[str]) -> str:
    """Return the text of a schema source, such as `operation:search.property`, after its owner was renamed.

    The owner is the longest text in `present` that the source begins with.
    """
    ends = [index for index, char in enumerate(source) if char in _STEPS]
    for end in [len(source), *reversed(ends)]:
        owner = source[:end]
        if owner in renamed:
            return renamed[owner] + source[end:]
        if owner in present:
            return source
    return source


def list_renamed_sources(renames: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the texts that renames of properties, parameters, variants and enum values change, by kind."""
    return [
        {prefix + old: prefix + new for old, new in renames.items()}
        for prefix in ("", f"{FieldKind.PARAMETER}:", f"{FieldKind.VARIANT}:", "=")
    ]
