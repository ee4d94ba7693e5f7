"""Names of messages and enums: one owner. The lock first, then the profile, then the rule.

The rule: a component schema `namespace___Name` is `Name`; where two would be the same, each that the lock does not
know gets its namespace in front. Names are given in sorted order, so the order of the spec does not matter. No two
names differ in case only, and none is one that generated code has for itself. A schema that was published as an enum
and is to be a message now, or the reverse, gets a second name: the first one goes on meaning what it meant.
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
# The interface that Java adds for each message, and the end of the class that it has for each file.
_INTERFACE = "orbuilder"
_FILE_CLASS = "proto"


class Element(StrEnum):
    """What a name may be of."""

    MESSAGE = "message"
    ENUM = "enum"


def generated_names(service: str) -> set[str]:
    """The names that Java and Go give to what they generate for a service, beside the messages (gRPC for each)."""
    sides = {f"{service}{side}" for side in ("Client", "Server", "Grpc")}
    return {service, *sides, f"Unimplemented{service}Server", f"Unsafe{service}Server"}


class Namer:
    """Gives each source its name, once, and never one name to two sources."""

    def __init__(self, lock: Lock, chosen: dict[str, str], separator: str) -> None:
        """Begin with what the lock remembers and what the profile chose."""
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
        self.shadowed: set[str] = set()

    def keep_rpcs(self, rpcs: Iterable[LockedRpc]) -> None:
        """Tie the messages of published rpcs to their operations, so that a body may lose its title."""
        for rpc in rpcs:
            group = rpc.group or ""
            for source, name in (
                (SchemaSource.for_operation(group).text, rpc.request),
                (SchemaSource.for_operation(group, "response").text, rpc.response),
            ):
                if name.lower() not in self.owners and source not in self.locked:
                    self.locked[source] = {Element.MESSAGE: name}

    def components(self, keys: Iterable[str], taken: Iterable[str], services: Iterable[str] = ()) -> None:
        """Name all component schemas that may become messages or enums.

        Args:
            keys: their keys.
            taken: names that operations and supporting messages need for themselves.
            services: names of services, which share their scope with messages.
        """
        self.shadowed = {name.lower() for service in services for name in generated_names(service)} | _KEYWORDS
        reserved = {name.lower() for name in taken}
        listed = sorted(keys, key=lambda key: (self.short(key) != key, key))
        short = Counter(self.short(key).lower() for key in listed)
        for key in listed:
            if known := next(iter(self.locked.get(key, {}).values()), None) or self.chosen.get(key):
                self.names[key] = known
                self.owners.setdefault(known.lower(), key)
        for key in listed:
            if key not in self.names:
                wanted = self._by_rule(key, reserved, short)
                self.names[key] = self._free(wanted, key, reserved)
                self.owners[self.names[key].lower()] = key

    def _by_rule(self, key: str, reserved: set[str], short: Counter[str]) -> str:
        name = self.short(key)
        lower = name.lower()
        if lower in self.shadowed:
            return self.qualified(key)
        if lower in reserved:
            body = f"{name}Body"
            free = short[body.lower()] == 0 and short[lower] == 1 and body.lower() not in reserved
            return body if free else self.qualified(key)
        if short[lower] > 1 or self.owners.get(lower, key) != key:
            return self.qualified(key) if format_pascal(split_component_key(key, self.separator)[0]) else name
        return name

    def _free(self, name: str, source: str, reserved: Iterable[str] = ()) -> str:
        """The name, else the first of `Name2`, `Name3`… that no other source has."""
        stem = f"{name}X" if name[-1:].isdigit() else name
        proposals = (name if number == 1 else f"{stem}{number}" for number in count(1))
        return next(found for found in proposals if self._is_free(found, source) and found.lower() not in reserved)

    def _is_free(self, name: str, source: str) -> bool:
        lower = name.lower()
        interface = lower.removesuffix(_INTERFACE) if lower.endswith(_INTERFACE) else lower + _INTERFACE
        return (
            self.owners.get(lower, source) == source
            and self.owners.get(interface, source) == source
            and lower not in self.shadowed
            and not lower.endswith(_FILE_CLASS)
        )

    def _of_kind(self, name: str, source: str, element: Element) -> str:
        """The name, else the first of `Name2`, `Name3`… that was not published as the other kind of element."""
        proposals = chain([name], (f"{name}{number}" for number in count(2)))
        fitting = (found for found in proposals if self.published.get(found, element) is element)
        return next(found for found in fitting if found == name or self._is_free(found, source))

    def short(self, key: str) -> str:
        """The name of a component without its namespace."""
        return derive_message_name(split_component_key(key, self.separator)[1])

    def qualified(self, key: str) -> str:
        """The name of a component with its namespace in front; without one it gets the suffix `Schema`."""
        words = format_pascal(split_component_key(key, self.separator)[0])
        return derive_message_name(words + self.short(key)) if words else f"{self.short(key)}Schema"

    def claim(self, hint: NameHint, place: Place, element: Element = Element.MESSAGE) -> str:
        """The name of the message or enum that a source becomes.

        Args:
            hint: the source, and the name by rule where neither lock nor profile knows better.
            place: where the source stands, for diagnostics.
            element: which of the two it becomes.

        Raises:
            Failure: `names/duplicate-message` when the profile gives it a name that another source has.
        """
        source = hint.source.text
        if known := self.locked.get(source, {}).get(element) or self.names.get(source):
            name = self._of_kind(known, source, element)
        elif chosen := self.chosen.get(source):
            name = chosen
        else:
            proposals = [name for name in (hint.name, hint.fallback) if name]
            free = (name for name in proposals if self._is_free(name, source))
            name = self._of_kind(next(free, None) or self._free(proposals[-1], source), source, element)
        self.names[source] = name
        owner = self.owners.setdefault(name.lower(), source)
        if source in self.chosen and source not in self.locked and owner != source:
            message = f"`{source}` and `{owner}` would both be message `{name}`"
            example = f"`names: {{schemas: {{{source!r}: …}}}}`"
            hint_text = f"give one of them another name in the profile: {example}"
            raise Failure(Diagnostic("names/duplicate-message", message, place, hint_text))
        return name
