"""Names of messages and enums: one owner. The lock first, then the profile, then the rule.

The rule: a component schema `namespace___Name` is `Name`; where two would be the same, each that the lock does not
know gets its namespace in front. Names are given in sorted order, so the order of the spec does not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pipeline.model.findings import Failure, Finding, Place
from pipeline.model.lock import Lock, State
from preprocess.texts import message_name, pascal


class Namer:
    """Gives each source its name, once, and never one name to two sources."""

    def __init__(self, lock: Lock, chosen: dict[str, str], separator: str) -> None:
        """Begin with what the lock remembers and what the profile chose."""
        self.separator = separator
        self.chosen = chosen
        self.names: dict[str, str] = {}
        self.owners: dict[str, str] = {}
        entries = [*lock.messages.items(), *lock.enums.items()]
        self.locked = {entry.schema_: name for name, entry in entries if entry.schema_}
        self.untied = {name for name, entry in entries if not entry.schema_ and entry.state is not State.RESERVED}

    def components(self, keys: Iterable[str], taken: Iterable[str]) -> None:
        """Propose names for all component schemas that may become messages or enums.

        Args:
            keys: their keys.
            taken: names that operations and supporting messages need for themselves.
        """
        listed = sorted(keys)
        reserved = set(taken)
        short = Counter(self.short(key) for key in listed)
        for key in listed:
            proposal = self.short(key)
            if short[proposal] > 1 or proposal in reserved:
                proposal = self.qualified(key, proposal)
            self.names[key] = self.locked.get(key) or self.chosen.get(key) or proposal

    def short(self, key: str) -> str:
        """The name of a component without its namespace."""
        return message_name(key.rsplit(self.separator, 1)[-1])

    def qualified(self, key: str, proposal: str) -> str:
        """The name of a component with its namespace in front; without one it gets the suffix `Schema`."""
        namespace, found, _ = key.rpartition(self.separator)
        return pascal(namespace) + proposal if found and pascal(namespace) else f"{proposal}Schema"

    def claim(self, source: str, proposal: str, place: Place) -> str:
        """The name of the message or enum that a source becomes.

        Args:
            source: a component's key, or the way to an inline schema.
            proposal: the name by rule, where neither lock nor profile knows better.
            place: where the source stands, for findings.

        Raises:
            Failure: `names/duplicate-message` when another source has that name.
        """
        name = self.locked.get(source) or self.chosen.get(source) or self.names.get(source) or proposal
        owner = self.owners.setdefault(name, source)
        if owner != source:
            hint = f"give one of them another name: `names: {{schemas: {{{source!r}: …}}}}` in the profile"
            message = f"`{source}` and `{owner}` would both be message `{name}`"
            raise Failure(Finding("names/duplicate-message", message, place, hint))
        return name
