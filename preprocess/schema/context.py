"""The state that all modules of a conversion share, and the one operation that they call back: `convert_schema`.

The modules of this package convert one kind of schema each and need the shapes of the schemas inside it. They take a
`Context`, so that none of them imports the `Converter`, which imports them all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pipeline.model.contract import Enum, Exclusion, Field, JsonForm, JsonRole, Label, Message, Rule
from pipeline.model.diagnostics import Place
from pipeline.model.document.located import LocatedMap
from pipeline.model.profile.profile import Conversion
from pipeline.model.source import KEY, FieldSource, SchemaSource
from preprocess.document.versions import VersionRule
from preprocess.naming.hints import NameHint, derive_pointer_hint
from preprocess.naming.message_names import Namer
from preprocess.schema.shapes import Kind, Shape

RULE_ENTRY_INLINE = Rule("entry-inline")
Fill = Callable[[Message], Message]


@dataclass(eq=False)
class Context(ABC):
    """What the conversion of every schema reads and adds to.

    Attributes:
        namer: gives messages and enums their names.
        options: the profile's choices for the conversion.
        version: the API version that decides what is deprecated.
        subtypes: the components with a discriminator, each with the components in scope that extend it.
        entry_values: the messages whose JSON stands under a key, which becomes one of their fields.
        line_messages: the messages that a line of an NDJSON body can be; a union of them if there are several.
        exclusions: what was excluded during the conversion.
        body_hints: the names of request and response bodies, by the JSON pointers of their schemas.
    """

    schemas: dict[str, LocatedMap]
    namer: Namer
    options: Conversion
    version: VersionRule
    subtypes: dict[str, tuple[str, ...]]
    messages: dict[str, Message] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    entry_values: set[str] = field(default_factory=set)
    line_messages: set[str] = field(default_factory=set)
    exclusions: list[Exclusion] = field(default_factory=list)
    body_hints: dict[str, NameHint] = field(default_factory=dict)
    _unfilled: deque[tuple[str, Fill]] = field(default_factory=deque)

    def __post_init__(self) -> None:
        """Drop the subtypes that are not in scope."""
        self.subtypes = {
            base: tuple(key for key in keys if key in self.schemas) for base, keys in self.subtypes.items()
        }

    @abstractmethod
    def convert_schema(self, schema: Any, hint: NameHint, place: Place | None = None) -> Shape:
        """Return the shape of a schema, and declare what it needs; a boolean schema has its place in `place`."""

    def derive_hint(self, key: str) -> NameHint:
        """Return the source and the name of a component schema, or of a schema that a JSON pointer leads to."""
        if key.startswith("#/"):
            hint = derive_pointer_hint(key, self.derive_hint, self.options.schema_separator, self.body_hints)
            return hint.titled(self.schemas[key])
        return NameHint(SchemaSource.for_component(key), self.namer.names.get(key) or self.namer.derive_short_name(key))

    def exclude(self, place: Place, rule: Rule, reason: str) -> None:
        """Record that an element of the specification gets no field."""
        self.exclusions.append(Exclusion(place, rule, reason))

    def declare(self, schema: LocatedMap, hint: NameHint, fill: Fill) -> Shape:
        """Declare a message without fields; `fill` adds them later, so that schemas may refer to each other."""
        name = self.namer.claim(hint, schema.place)
        if name not in self.messages:
            description = str(schema.get("description", ""))
            empty = Message(name, hint.source, JsonForm.OBJECT, place=schema.place, description=description)
            self.messages[name] = empty._replace(deprecated=self.version.get_deprecation(schema))
            self._unfilled.append((name, fill))
        return Shape(Kind.MESSAGE, name)

    def add_message(self, message: Message) -> None:
        """Store a message; fields with the same source get a counter, because numbers are found by source."""
        counts: Counter[FieldSource] = Counter()
        fields = []
        for item in message.fields:
            counts[item.source] += 1
            repeated = counts[item.source] > 1
            fields.append(item._replace(source=item.source.add_number(counts[item.source], "#")) if repeated else item)
        self.messages[message.name] = message._replace(fields=tuple(fields))

    def fill_declared_messages(self) -> None:
        """Add the fields of all declared messages, then the key fields and the groups of NDJSON lines."""
        while self._unfilled:
            name, fill = self._unfilled.popleft()
            self.add_message(fill(self.messages[name]))
        for name in sorted(self.entry_values):
            self._add_key_field(name, set())
        for name in sorted(self.line_messages):
            if any(item.role is JsonRole.VARIANT and item.oneof is None for item in self.messages[name].fields):
                self.add_message(self.messages[name]._replace(form=JsonForm.LINES))

    def _add_key_field(self, name: str, visited: set[str]) -> None:
        """Add a field for the key of a one-key object to the message of its value, in a union to every variant."""
        message = self.messages[name]
        if name in visited or any(item.role is JsonRole.KEY for item in message.fields):
            return
        visited.add(name)
        if message.form is JsonForm.UNION and all(item.type in self.messages for item in message.fields):
            for item in message.fields:
                self._add_key_field(item.type, visited)
            return
        key = Field(
            KEY, "field", "string", Label.SINGULAR, JsonRole.KEY, places=(message.place,), rules=(RULE_ENTRY_INLINE,)
        )
        self.add_message(message._replace(fields=(key, *message.fields)))
