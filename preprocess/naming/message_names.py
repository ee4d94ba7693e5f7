"""Name messages and enums: by the lock, else by the profile, else by rule.

The rule: a component schema `namespace___Name` becomes `Name`. If two components would get the same name, each one that
the lock does not know is prefixed with its namespace. Names are assigned in sorted order, so the order of the
specification does not matter. No two names differ only in case, and none is a name that generated code defines itself.
A schema that was published as an enum and becomes a message, or the reverse, gets a second name. Its first name keeps
its meaning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from itertools import chain, count

from pipeline.model.diagnostics import Diagnostic, Failure, Place
from pipeline.model.identifiers import derive_message_name, format_pascal
from pipeline.model.lock.model import RETIRED, Lock, LockedRpc
from pipeline.model.source import SchemaSource, split_component_key
from preprocess.naming.hints import NameHint

# What Python reserves among words that begin with a capital.
_KEYWORDS = frozenset({"none", "true", "false"})
# The interface that Java adds for each message, and the suffix of the class that it adds for each file.
_INTERFACE = "orbuilder"
_FILE_CLASS = "proto"


class Element(StrEnum):
    """The kinds of element that a schema can become."""

    MESSAGE = "message"
    ENUM = "enum"


def list_generated_names(service: str) -> set[str]:
    """Return the names of the classes that gRPC generates for a service in Java and Go."""
    sides = {f"{service}{side}" for side in ("Client", "Server", "Grpc")}
    return {service, *sides, f"Unimplemented{service}Server", f"Unsafe{service}Server"}


class Namer:
    """Assigns each source one name, and never the same name to two sources.

    Attributes:
        names: the assigned names, by the text of the source.
        chosen: the names that the profile chooses, by the text of the source.
        locked: the published names, by the text of the source and the kind of element.
        owners: the text of the source that has a name, by the name in lower case.
        published: the kind of element that was published, by name.
        reserved_words: names that generated code defines itself, in lower case.
    """

    def __init__(self, lock: Lock, chosen: dict[str, str], separator: str) -> None:
        self.separator = separator
        self.chosen = chosen
        self.names: dict[str, str] = {}
        entries = [(name, entry.schema_, Element.MESSAGE) for name, entry in lock.messages.items()]
        entries += [(name, entry.schema_, Element.ENUM) for name, entry in lock.enums.items()]
        self.locked: dict[str, dict[Element, str]] = {}
        for name, source, element in sorted(entries, key=lambda entry: (len(entry[0]), entry[0])):
            if source:
                self.locked.setdefault(source, {}).setdefault(element, name)
        self.owners = {name.lower(): source for name, source, _ in entries if source}
        self.published = {name: Element.MESSAGE for name, entry in lock.messages.items() if entry.state not in RETIRED}
        self.published |= {name: Element.ENUM for name, enum in lock.enums.items() if enum.state not in RETIRED}
        self.reserved_words: frozenset[str] = frozenset()

    def keep_rpc_messages(self, rpcs: Iterable[LockedRpc]) -> None:
        """Keep the request and response names of published rpcs, even if their schemas lose their titles."""
        for rpc in rpcs:
            if rpc.group is None:
                continue
            for source, name in (
                (SchemaSource.for_operation(rpc.group).text, rpc.request),
                (SchemaSource.for_operation(rpc.group, "response").text, rpc.response),
            ):
                if name.lower() not in self.owners and source not in self.locked:
                    self.locked[source] = {Element.MESSAGE: name}

    def name_components(self, keys: Iterable[str], reserved: Iterable[str], services: Iterable[str] = ()) -> None:
        """Name all component schemas; `reserved` are the names of messages for operations and supporting messages."""
        self.reserved_words = _KEYWORDS.union(
            name.lower() for service in services for name in list_generated_names(service)
        )
        reserved = {name.lower() for name in reserved}
        ordered = sorted(keys, key=lambda key: (self.derive_short_name(key) != key, key))
        uses = Counter(self.derive_short_name(key).lower() for key in ordered)
        for key in ordered:
            if name := next(iter(self.locked.get(key, {}).values()), None) or self.chosen.get(key):
                self.names[key] = name
                self.owners.setdefault(name.lower(), key)
        for key in ordered:
            if key not in self.names:
                self.names[key] = self._find_free_name(self._derive_name(key, reserved, uses), key, reserved)
                self.owners[self.names[key].lower()] = key

    def _derive_name(self, key: str, reserved: set[str], uses: Counter[str]) -> str:
        """Return the name of a component by rule: short if no other component or operation has that name."""
        name = self.derive_short_name(key)
        lower = name.lower()
        if lower in self.reserved_words:
            return self._derive_qualified_name(key)
        if lower in reserved:
            body = f"{name}Body"
            is_free = uses[body.lower()] == 0 and uses[lower] == 1 and body.lower() not in reserved
            return body if is_free else self._derive_qualified_name(key)
        if uses[lower] > 1 or self.owners.get(lower, key) != key:
            has_namespace = bool(format_pascal(split_component_key(key, self.separator)[0]))
            return self._derive_qualified_name(key) if has_namespace else name
        return name

    def derive_short_name(self, key: str) -> str:
        """Return the name of a component without its namespace."""
        return derive_message_name(split_component_key(key, self.separator)[1])

    def _derive_qualified_name(self, key: str) -> str:
        """Return the name of a component with its namespace as a prefix, or with the suffix `Schema`."""
        namespace = format_pascal(split_component_key(key, self.separator)[0])
        short = self.derive_short_name(key)
        return derive_message_name(namespace + short) if namespace else f"{short}Schema"

    def _find_free_name(self, name: str, source: str, reserved: Iterable[str] = ()) -> str:
        """Return the name, or the first of `Name2`, `Name3`… that no other source has."""
        stem = f"{name}X" if name[-1:].isdigit() else name
        proposals = (name if number == 1 else f"{stem}{number}" for number in count(1))
        return next(
            proposed for proposed in proposals if self._is_free(proposed, source) and proposed.lower() not in reserved
        )

    def _is_free(self, name: str, source: str) -> bool:
        lower = name.lower()
        interface = lower.removesuffix(_INTERFACE) if lower.endswith(_INTERFACE) else lower + _INTERFACE
        return (
            self.owners.get(lower, source) == source
            and self.owners.get(interface, source) == source
            and lower not in self.reserved_words
            and not lower.endswith(_FILE_CLASS)
        )

    def _match_element(self, name: str, source: str, element: Element) -> str:
        """Return the name, or the first of `Name2`, `Name3`… that was not published as the other kind of element."""
        proposals = chain([name], (f"{name}{number}" for number in count(2)))
        fitting = (proposed for proposed in proposals if self.published.get(proposed, element) is element)
        return next(proposed for proposed in fitting if proposed == name or self._is_free(proposed, source))

    def claim(self, hint: NameHint, place: Place, element: Element = Element.MESSAGE) -> str:
        """Return the name of the message or enum that a source becomes; `place` is for diagnostics.

        Raises:
            Failure: `names/duplicate-message` if the profile chooses a name that another source has.
        """
        source = hint.source.text
        if published := self.locked.get(source, {}).get(element) or self.names.get(source):
            name = self._match_element(published, source, element)
        elif chosen := self.chosen.get(source):
            name = chosen
        else:
            proposals = [proposed for proposed in (hint.name, hint.fallback) if proposed]
            free = next((proposed for proposed in proposals if self._is_free(proposed, source)), None)
            name = self._match_element(free or self._find_free_name(proposals[-1], source), source, element)
        self.names[source] = name
        owner = self.owners.setdefault(name.lower(), source)
        if source in self.chosen and source not in self.locked and owner != source:
            message = f"the profile gives `{source}` the name `{name}`, which `{owner}` has already"
            hint_text = f"choose another name for one of them: `names: {{schemas: {{{source!r}: …}}}}`"
            raise Failure(Diagnostic("names/duplicate-message", message, place, hint_text))
        return name
