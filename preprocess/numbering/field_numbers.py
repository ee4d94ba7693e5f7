"""Numbers: from the lock, before anything is generated. One owner; nothing else ever gives a number.

What the lock knows keeps name, number, label and oneof. A property that is gone is deprecated; one that comes back gets
its number back; one whose type changed incompatibly is deprecated beside a new field. A number is never used twice.
Sources: protobuf guide, updating a message type; AIP-180.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

from pipeline.model.changes import Change, Event
from pipeline.model.contract import Exclusion, Field, JsonForm, JsonRole, Label, Message, own_words
from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.identifiers import derive_field_name
from pipeline.model.lock.model import (
    FIRST_RESERVED,
    LAST_RESERVED,
    MAX_NUMBER,
    STATES,
    LockedField,
    LockedMessage,
    State,
)
from pipeline.model.rule import Rule
from pipeline.model.source import FieldKind, FieldSource
from preprocess.document.versions import RULE_ADDED
from preprocess.naming.collisions import FieldNames, list_java_suffixes
from preprocess.naming.renames import rename_entries
from preprocess.numbering.retained import kept_field, reserved

RULE_AS_PUBLISHED = Rule("as-published")
RULE_DISTINCT = Rule("distinct-names")
RULE_UNPUBLISHED = Rule("deprecated-before-published")
_SINGLE = {Label.SINGULAR, Label.OPTIONAL}
# Forms whose fields come from a list, which has an order of its own; properties have none.
_LISTED = {JsonForm.UNION, JsonForm.TUPLE, JsonForm.ANY, JsonForm.NUMBER}
_ORDER = {JsonRole.KEY: 0, JsonRole.BODY: 2, JsonRole.GLOBAL: 3, JsonRole.REST: 4}


@dataclass(frozen=True, slots=True)
class Numbered:
    """A message with its numbers, what the lock remembers of it now, and what changed."""

    message: Message
    locked: LockedMessage
    events: tuple[Event, ...]
    exclusions: tuple[Exclusion, ...] = ()


def new_number(cursor: int, message: Message) -> int:
    """The first number from the cursor on that protobuf allows (19000 to 19999 are its own).

    Args:
        cursor: where to begin.
        message: whose field gets the number, for diagnostics.

    Raises:
        Failure: `numbers/exhausted`.
    """
    number = LAST_RESERVED + 1 if FIRST_RESERVED <= cursor <= LAST_RESERVED else cursor
    if number > MAX_NUMBER:
        text = f"no field number of `{message.name}` is left below {MAX_NUMBER}"
        raise Failure(
            Diagnostic("numbers/exhausted", text, message.place, "give its schema another name in the profile")
        )
    return number


def compatible(known: LockedField, wanted: Field) -> bool:
    """Whether a published field can go on standing for a property: same type, and same place in the message.

    `optional` and none are the same on the wire. A plain field stays plain when the spec makes its message a union;
    one in a oneof cannot become plain, as two such fields may then stand together.
    """
    if known.type != wanted.type:
        return False
    if known.label in _SINGLE and (wanted.label in _SINGLE):
        return known.oneof is None or wanted.oneof is not None
    return known.label == wanted.label


class MessageNumbers:
    """Gives the fields of one message their numbers."""

    def __init__(
        self,
        message: Message,
        known: LockedMessage | None,
        ties: dict[str, str],
        enums: Container[str] = (),
        *,
        keep_deprecated: bool,
        renames: dict[str, str] | None = None,
    ) -> None:
        """Begin with what the lock knows of the message.

        Args:
            message: as converted, without numbers.
            known: its entry in the lock, or None.
            ties: field name → source, for published fields whose name and type do not tell.
            enums: the names of all enums, which tells their fields from those of messages.
            keep_deprecated: whether something deprecated that was never published gets a field.
            renames: old → new name of properties that were renamed.
        """
        self.message = message
        self.file = known.file if known else message.file
        self.cursor = known.next if known else 1
        fields = known.fields if known else ()
        tied = [
            item if item.source or item.name not in ties else item.model_copy(update={"source": ties[item.name]})
            for item in fields
        ]
        self.known = rename_entries(tied, {item.source.text for item in message.fields}, renames or {})
        self.renamed = {now.number: was.source for was, now in zip(tied, self.known, strict=True) if was != now}
        self.of_source: dict[str, list[int]] = {}
        self.of_name: dict[str, list[int]] = {}
        for index, entry in enumerate(self.known):
            if entry.state is not State.REPLACED:
                by_what, key = (self.of_name, entry.name) if entry.source is None else (self.of_source, entry.source)
                by_what.setdefault(key, []).append(index)
        self.enums = enums
        self.keep_deprecated = keep_deprecated
        self.claimed: dict[int, Field] = {}
        self.changed: dict[int, FieldSource] = {}
        self.fresh: list[Field] = []
        self.events: list[Event] = []
        self.exclusions: list[Exclusion] = []

    def run(self) -> Numbered:
        """Number all fields, and bring the lock's entry up to date."""
        ordered = list(self.message.fields)
        if self.message.form not in _LISTED:
            ordered.sort(key=_rank)
        waiting = [item for item in ordered if not self._claim(item) and not self._left_out(item)]
        names = self._names(waiting)
        for item in waiting:
            self._add(item, names[item.source])
        self._place_in_oneofs()
        kept = [self._leftover(index, entry) for index, entry in enumerate(self.known)]
        fields = [*self.claimed.values(), *self.fresh, *(item for item in kept if item)]
        fields.sort(key=lambda item: item.number)
        message = self.message._replace(fields=tuple(fields), file=self.file, reserved=self._reserved())
        reason = own_words(self.message.deprecated)
        locked = LockedMessage(
            file=self.file,
            schema=self.message.schema.text,
            state=State.DEPRECATED if reason else State.LIVE,
            reason=reason or None,
            next=self.cursor,
            fields=tuple(self._entries()),
        )
        return Numbered(message, locked, tuple(self.events), tuple(self.exclusions))

    def _claim(self, wanted: Field) -> bool:
        """Tie a field to what the lock knows of its source, else of its name."""
        standing = (*self.of_source.get(wanted.source.text, ()), *self.of_name.get(wanted.name, ()))
        candidates = [index for index in sorted(standing) if index not in self.claimed]
        candidates.sort(key=lambda index: (STATES.index(self.known[index].state), self.known[index].source is None))
        fitting = [index for index in candidates if compatible(self.known[index], wanted)]
        for index in candidates:
            if index not in fitting and self.known[index].state is State.LIVE:
                self.changed[index] = wanted.source
        if not fitting:
            return False
        entry = self.known[fitting[0]]
        rules = tuple(sorted({*wanted.rules, *_renamed(wanted, entry.name, entry.label, entry.oneof)}))
        self.claimed[fitting[0]] = wanted._replace(
            name=entry.name, number=entry.number, label=entry.label, oneof=entry.oneof, rules=rules
        )
        if entry.number in self.renamed:
            detail = f"`{self.renamed[entry.number]}` is `{wanted.source}` now, number {entry.number} as before"
            self._event(Change.RENAMED, entry.name, detail, wanted)
        elif entry.state is not State.LIVE and not wanted.deprecated:
            self._event(Change.RESTORED, entry.name, f"number {entry.number}, as before", wanted)
        return True

    def _left_out(self, wanted: Field) -> bool:
        """Whether a field gets no number, as it was deprecated before it was ever published."""
        if not wanted.deprecated or self.keep_deprecated:
            return False
        place = wanted.places[0] if wanted.places else self.message.place
        self.exclusions.append(Exclusion(place, RULE_UNPUBLISHED, f"{own_words(wanted.deprecated)}, never published"))
        return True

    def _names(self, waiting: list[Field]) -> dict[FieldSource, str]:
        """The names of new fields, by source: published names first, then what is spelled as it stands in the spec."""
        if not waiting:
            return {}
        names = FieldNames()
        for entry in self.known:
            if entry.state is not State.REPLACED:
                names.record(entry.name, self._accessors(entry.type, entry.label))
                names.record(entry.oneof or entry.name)
        first = sorted(
            waiting,
            key=lambda item: (names.has(item.name), item.source != (FieldKind.PROPERTY, item.name), *_rank(item)),
        )
        return {item.source: names.assign(item.name, self._accessors(item.type, item.label)) for item in first}

    def _accessors(self, type_name: str, label: Label) -> tuple[str, ...]:
        return list_java_suffixes(type_name, label, is_enum=type_name in self.enums)

    def _add(self, wanted: Field, name: str) -> None:
        number = new_number(self.cursor, self.message)
        self.cursor = number + 1
        rules = tuple(sorted({*wanted.rules, *_renamed(wanted, name, wanted.label, wanted.oneof)}))
        made = wanted._replace(name=name, number=number, rules=rules)
        self.fresh.append(made)
        self._event(Change.ADDED, name, declaration(made), wanted)

    def _place_in_oneofs(self) -> None:
        """Name the oneofs of new fields: as published, else by rule, giving way to what shares their scope."""
        if not self.fresh:
            return
        wanted = {item.source: item.oneof for item in self.message.fields}
        names = {wanted[item.source]: item.oneof for item in self.claimed.values() if item.oneof}
        names |= {entry.oneof: entry.oneof for entry in self.known if entry.oneof}
        taken = {entry.name for entry in self.known} | {item.name for item in self.fresh}
        for index, item in enumerate(self.fresh):
            if item.oneof is None:
                continue
            oneof = item.oneof
            while item.oneof not in names and oneof in taken:
                oneof = f"{oneof}_choice"
            self.fresh[index] = item._replace(oneof=names.setdefault(item.oneof, oneof))

    def _leftover(self, index: int, entry: LockedField) -> Field | None:
        """What stays of a published field that the spec no longer has: the field, deprecated."""
        if index in self.claimed or entry.state in {State.RESERVED, State.REPLACED}:
            return None
        reason = entry.reason or "" if entry.state is State.DEPRECATED else ""
        if entry.state is State.LIVE and not self._not_yet(entry):
            reason = self._why(index, entry)
            change = Change.TYPE_CHANGED if index in self.changed else Change.DEPRECATED
            self.events.append(Event(change, f"{self.message.name}.{entry.name}", reason, self.message.place))
            self.known[index] = entry.model_copy(update={"state": State.DEPRECATED, "reason": reason})
        return kept_field(entry, reason)

    def _not_yet(self, entry: LockedField) -> bool:
        """Whether a published field stands for what only a later version of the API has: it stays as it is."""
        return any(rule == RULE_ADDED and self._is(source, entry) for source, rule, _ in self.message.excluded)

    @staticmethod
    def _is(source: FieldSource, entry: LockedField) -> bool:
        return source.text == entry.source or derive_field_name(source.name) == entry.name

    def _why(self, index: int, entry: LockedField) -> str:
        if index in self.changed:
            source = self.changed[index]
            new = next((item for item in [*self.fresh, *self.claimed.values()] if item.source == source), None)
            return f"type changed: `{source}` is {declaration(new)} now" if new else f"type of `{source}` changed"
        return next(
            (f"{reason} ({rule})" for source, rule, reason in self.message.excluded if self._is(source, entry)),
            "gone from the spec",
        )

    def _entries(self) -> Iterable[LockedField]:
        entries = []
        for index, entry in enumerate(self.known):
            owner = self.claimed.get(index)
            if owner is None:
                entries.append(entry)
                continue
            state = State.DEPRECATED if owner.deprecated else State.LIVE
            update = {"source": owner.source.text, "state": state, "reason": own_words(owner.deprecated) or None}
            changed = any(getattr(entry, name) != value for name, value in update.items())
            entries.append(entry.model_copy(update=update) if changed else entry)
        for item in self.fresh:
            state = State.DEPRECATED if item.deprecated else State.LIVE
            entries.append(
                LockedField(
                    number=item.number,
                    name=item.name,
                    type=item.type,
                    label=item.label,
                    oneof=item.oneof,
                    source=item.source.text,
                    state=state,
                    reason=own_words(item.deprecated) or None,
                )
            )
        return sorted(entries, key=lambda entry: (entry.number, STATES.index(entry.state), entry.name))

    def _reserved(self) -> tuple[tuple[int, str], ...]:
        back = {item.number for item in self.claimed.values()}
        return reserved((entry.number, entry.name, entry.state) for entry in self.known if entry.number not in back)

    def _event(self, change: Change, name: str, detail: str, wanted: Field) -> None:
        place = wanted.places[0] if wanted.places else self.message.place
        self.events.append(Event(change, f"{self.message.name}.{name}", detail, place))


def _rank(item: Field) -> tuple[int, str]:
    return _ORDER.get(item.role, 1), item.source.text


def _renamed(wanted: Field, name: str, label: Label, oneof: str | None) -> set[Rule]:
    """The rules that gave a field another name, label or oneof than its schema alone would."""
    if (name, label, oneof) == (wanted.name, wanted.label, wanted.oneof):
        return set()
    counted = name.removeprefix(f"{wanted.name}_").isdigit()
    return {RULE_DISTINCT if counted else RULE_AS_PUBLISHED}


def declaration(item: Field) -> str:
    """A field as it stands in a proto, without its options."""
    kind = f"map<string, {item.type}>" if item.label is Label.MAP else item.type
    prefix = f"{item.label} " if item.label in {Label.OPTIONAL, Label.REPEATED} else ""
    suffix = f" (in oneof {item.oneof})" if item.oneof else ""
    return f"{prefix}{kind} {item.name} = {item.number}{suffix}"
