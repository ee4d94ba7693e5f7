"""Names of messages and enums: one owner. The lock first, then the profile, then the rule.

The rule: a component schema `namespace___Name` is `Name`; where two would be the same, each that the lock does not
know gets its namespace in front. Names are given in sorted order, so the order of the spec does not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pipeline.model.findings import Failure, Finding, Place
from pipeline.model.lock import Lock, LockedRpc
from preprocess.shapes import Hint
from preprocess.texts import message_name, pascal


class Namer:
    """Gives each source its name, once, and never one name to two sources."""

    def __init__(self, lock: Lock, chosen: dict[str, str], separator: str) -> None:
        """Begin with what the lock remembers and what the profile chose."""
        self.separator = separator
        self.chosen = chosen
        self.names: dict[str, str] = {}
        entries = [(name, entry.schema_) for name, entry in lock.messages.items()]
        entries += [(name, entry.schema_) for name, entry in lock.enums.items()]
        self.locked = {source: name for name, source in entries if source}
        self.owners = {name: source for name, source in entries if source}

    def keep_rpcs(self, rpcs: Iterable[LockedRpc]) -> None:
        """Tie the messages of published rpcs to their operations, so that a body may lose its title."""
        for rpc in rpcs:
            for source, name in (
                (f"operation:{rpc.group}", rpc.request),
                (f"operation:{rpc.group}:response", rpc.response),
            ):
                if name not in self.owners and source not in self.locked:
                    self.locked[source] = name

    def components(self, keys: Iterable[str], taken: Iterable[str], services: Iterable[str] = ()) -> None:
        """Name all component schemas that may become messages or enums.

        Args:
            keys: their keys.
            taken: names that operations and supporting messages need for themselves.
            services: names of services, which share their scope with messages.
        """
        listed = sorted(keys)
        reserved, shadowed = set(taken), set(services)
        short = Counter(self.short(key) for key in listed)
        for key in listed:
            name = self.short(key)
            if name in shadowed:
                name = self.qualified(key)
            elif name in reserved:
                body = f"{name}Body"
                free = short[body] == 0 and short[name] == 1 and body not in reserved
                name = body if free else self.qualified(key)
            elif short[name] > 1 or self.owners.get(name, key) != key:
                name = self.qualified(key)
            self.names[key] = self.locked.get(key) or self.chosen.get(key) or name

    def short(self, key: str) -> str:
        """The name of a component without its namespace."""
        return message_name(key.rsplit(self.separator, 1)[-1])

    def qualified(self, key: str) -> str:
        """The name of a component with its namespace in front; without one it gets the suffix `Schema`."""
        namespace, _, _ = key.rpartition(self.separator)
        words = pascal(namespace)
        return message_name(words + self.short(key)) if words else f"{self.short(key)}Schema"

    def claim(self, hint: Hint, place: Place) -> str:
        """The name of the message or enum that a source becomes.

        Args:
            hint: the source, and the name by rule where neither lock nor profile knows better.
            place: where the source stands, for findings.

        Raises:
            Failure: `names/duplicate-message` when another source has that name.
        """
        source = hint.source
        known = self.locked.get(source) or self.chosen.get(source) or self.names.get(source)
        proposals = [known] if known else [name for name in (hint.name, hint.fallback) if name]
        for name in proposals:
            if self.owners.setdefault(name, source) == source:
                return name
        name = proposals[-1]
        message = f"`{source}` and `{self.owners[name]}` would both be message `{name}`"
        example = f"`names: {{schemas: {{{source!r}: …}}}}`"
        raise Failure(
            Finding(
                "names/duplicate-message", message, place, f"give one of them another name in the profile: {example}"
            )
        )
