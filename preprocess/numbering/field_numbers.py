"""Number the fields of one message from the lock; later only a merge of two locks renumbers any.

A published field keeps its name, number, label and oneof. A field whose property is gone is deprecated; it gets its
number back if the property returns. A field whose type changes incompatibly is deprecated beside a new field. No number
is used twice. Sources: protobuf guide, updating a message type; AIP-180.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from pipeline.model.changes import Change, Event
from pipeline.model.contract import Exclusion, Field, JsonForm, JsonRole, Label, Message, Rule, extract_reason
from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.identifiers import derive_field_name
from pipeline.model.lock import model
from pipeline.model.lock.model import RETIRED, LockedField, LockedMessage, State
from pipeline.model.source import FieldKind, FieldSource
from preprocess.naming.collisions import FieldNames, list_java_suffixes
from preprocess.numbering.published_fields import PublishedFields
from preprocess.numbering.retained import describe_origin, list_reserved, rank_entry, retain_field

RULE_AS_PUBLISHED = Rule("as-published")
RULE_DISTINCT = Rule("distinct-names")
RULE_UNPUBLISHED = Rule("deprecated-before-published")
# The fields of these forms come from a list, whose order they keep. Properties have no order.
_ORDERED_FORMS = {JsonForm.UNION, JsonForm.TUPLE, JsonForm.ANY, JsonForm.NUMBER}
_RANKS = {JsonRole.KEY: 0, JsonRole.BODY: 2, JsonRole.GLOBAL: 3, JsonRole.REST: 4}


@dataclass(frozen=True, slots=True)
class NumberedMessage:
    """A numbered message, its new lock entry, and the changes."""

    message: Message
    locked: LockedMessage
    events: tuple[Event, ...]
    exclusions: tuple[Exclusion, ...] = ()


class MessageNumbers:
    """Numbers the fields of one message."""

    def __init__(
        self,
        message: Message,
        published: LockedMessage | None,
        ties: dict[str, str],
        enums: Container[str] = (),
        *,
        keep_deprecated: bool,
        renames: dict[str, str] | None = None,
    ) -> None:
        """Match the fields with the lock entry; `ties` maps field names to sources, for entries without a source."""
        self.message = message
        self.file = published.file if published else message.file
        self.cursor = published.next if published else 1
        self.published = PublishedFields(published, message.fields, ties, renames or {})
        self.enums = enums
        self.keep_deprecated = keep_deprecated
        self.new: list[Field] = []
        self.events: list[Event] = []
        self.exclusions: list[Exclusion] = []

    def run(self) -> NumberedMessage:
        """Number all fields, and update the lock entry."""
        ordered = list(self.message.fields)
        if self.message.form not in _ORDERED_FORMS:
            ordered.sort(key=_rank)
        unmatched = [item for item in ordered if not self._continue_published(item) and not self._exclude(item)]
        names = self._assign_names(unmatched)
        for item in unmatched:
            self._add_new(item, names[item.source])
        self._name_oneofs()
        retained = self._retain_fields()
        fields = sorted([*self.published.matches.values(), *self.new, *retained], key=lambda item: item.number)
        reserved = list_reserved(entry for _, entry in self.published.iterate_unmatched())
        message = self.message._replace(fields=tuple(fields), file=self.file, reserved=reserved)
        return NumberedMessage(message, self._build_entry(), tuple(self.events), tuple(self.exclusions))

    def _continue_published(self, declared: Field) -> bool:
        """Give a field the name, number, label and oneof of its published field; return whether it has one."""
        index = self.published.find_match(declared)
        if index is None:
            return False
        entry = self.published.entries[index]
        self.published.matches[index] = declared._replace(
            name=entry.name,
            number=entry.number,
            label=entry.label,
            oneof=entry.oneof,
            rules=_add_rules(declared, entry.name, entry.label, entry.oneof),
        )
        if entry.number in self.published.renamed:
            old = self.published.renamed[entry.number]
            detail = f"`{old}` is `{declared.source}` now, number {entry.number} as before"
            self._record(Change.RENAMED, entry.name, detail, declared)
        elif entry.state is not State.LIVE and not declared.deprecated:
            self._record(Change.RESTORED, entry.name, f"number {entry.number}, as before", declared)
        return True

    def _exclude(self, declared: Field) -> bool:
        """Exclude a field that was deprecated before it was published; return whether it is one."""
        if not declared.deprecated or self.keep_deprecated:
            return False
        place = declared.places[0] if declared.places else self.message.place
        reason = f"{extract_reason(declared.deprecated)}, never published"
        self.exclusions.append(Exclusion(place, RULE_UNPUBLISHED, reason))
        return True

    def _assign_names(self, fields: list[Field]) -> dict[FieldSource, str]:
        """Return names for new fields, by source; names equal to their property's are assigned first."""
        if not fields:
            return {}
        names = FieldNames()
        for entry in self.published.entries:
            if entry.state is not State.REPLACED:
                names.record(entry.name, self._list_suffixes(entry.type, entry.label))
                names.record(entry.oneof or entry.name)

        def rank(item: Field) -> tuple[bool, bool, int, str]:
            return names.has(item.name), item.source != (FieldKind.PROPERTY, item.name), *_rank(item)

        ordered = sorted(fields, key=rank)
        return {item.source: names.assign(item.name, self._list_suffixes(item.type, item.label)) for item in ordered}

    def _list_suffixes(self, type_name: str, label: Label) -> tuple[str, ...]:
        return list_java_suffixes(type_name, label, is_enum=type_name in self.enums)

    def _add_new(self, declared: Field, name: str) -> None:
        number = choose_number(self.cursor, self.message)
        self.cursor = number + 1
        rules = _add_rules(declared, name, declared.label, declared.oneof)
        item = declared._replace(name=name, number=number, rules=rules)
        self.new.append(item)
        self._record(Change.ADDED, name, _format_declaration(item), declared)

    def _name_oneofs(self) -> None:
        if not self.new:
            return
        declared = {item.source: item.oneof for item in self.message.fields}
        names = {declared[item.source]: item.oneof for item in self.published.matches.values() if item.oneof}
        names |= {entry.oneof: entry.oneof for entry in self.published.entries if entry.oneof}
        used = {entry.name for entry in self.published.entries} | {item.name for item in self.new}
        for index, item in enumerate(self.new):
            if item.oneof is None:
                continue
            oneof = item.oneof
            while item.oneof not in names and oneof in used:
                oneof = f"{oneof}_choice"
            self.new[index] = item._replace(oneof=names.setdefault(item.oneof, oneof))

    def _retain_fields(self) -> list[Field]:
        fields = []
        for index, entry in self.published.iterate_unmatched():
            if entry.state in RETIRED:
                continue
            reason = ""
            if entry.state is State.LIVE and not self._is_unreleased(entry):
                reason = self._explain_absence(index, entry)
                change = Change.TYPE_CHANGED if index in self.published.retyped else Change.DEPRECATED
                self.events.append(Event(change, f"{self.message.name}.{entry.name}", reason, self.message.place))
                self.published.entries[index] = entry.model_copy(update={"state": State.DEPRECATED, "reason": reason})
            fields.append(retain_field(entry, reason))
        return fields

    def _is_unreleased(self, entry: LockedField) -> bool:
        """Return whether a published field belongs to a later version of the API; such a field is not deprecated."""
        return any(exclusion.is_unreleased and _is_tied(source, entry) for source, exclusion in self.message.excluded)

    def _explain_absence(self, index: int, entry: LockedField) -> str:
        if index in self.published.retyped:
            source = self.published.retyped[index]
            fields = [*self.new, *self.published.matches.values()]
            new = next((item for item in fields if item.source == source), None)
            return (
                f"type changed: `{source}` is {_format_declaration(new)} now" if new else f"type of `{source}` changed"
            )
        reasons = (f"{why.reason} ({why.rule})" for source, why in self.message.excluded if _is_tied(source, entry))
        return next(reasons, "gone from the spec")

    def _build_entry(self) -> LockedMessage:
        matches = self.published.matches
        entries = [
            _update_entry(entry, matches[index]) if index in matches else entry
            for index, entry in enumerate(self.published.entries)
        ]
        entries += [_create_entry(item) for item in self.new]
        entries.sort(key=rank_entry)
        reason = extract_reason(self.message.deprecated)
        return LockedMessage(
            file=self.file,
            schema=self.message.schema.text,
            state=State.DEPRECATED if reason else State.LIVE,
            reason=reason or None,
            next=self.cursor,
            fields=tuple(entries),
        )

    def _record(self, change: Change, name: str, detail: str, declared: Field) -> None:
        place = declared.places[0] if declared.places else self.message.place
        self.events.append(Event(change, f"{self.message.name}.{name}", detail, place))


def choose_number(cursor: int, message: Message) -> int:
    """Return the first number from the cursor on that protobuf allows; it reserves 19000 to 19999.

    Raises:
        Failure: `numbers/exhausted` if all numbers are used.
    """
    number = model.skip_reserved_range(cursor)
    if number > model.MAX_NUMBER:
        text = f"no field number of `{message.name}` is left below {model.MAX_NUMBER}"
        hint = "give its schema another name in the profile"
        raise Failure(Diagnostic("numbers/exhausted", text, message.place, hint))
    return number


def _rank(item: Field) -> tuple[int, str]:
    return _RANKS.get(item.role, 1), item.source.text


def _is_tied(source: FieldSource, entry: LockedField) -> bool:
    return source.text == entry.source or derive_field_name(source.name) == entry.name


def _update_entry(entry: LockedField, item: Field) -> LockedField:
    update = describe_origin(item.source.text, item.deprecated)
    is_changed = any(getattr(entry, name) != value for name, value in update.items())
    return entry.model_copy(update=update) if is_changed else entry


def _create_entry(item: Field) -> LockedField:
    origin = describe_origin(item.source.text, item.deprecated)
    return LockedField(number=item.number, name=item.name, type=item.type, label=item.label, oneof=item.oneof, **origin)


def _add_rules(declared: Field, name: str, label: Label, oneof: str | None) -> tuple[Rule, ...]:
    """Return the rules of a field, with the one that gave it another name, label or oneof than its schema does."""
    if (name, label, oneof) == (declared.name, declared.label, declared.oneof):
        return tuple(sorted(set(declared.rules)))
    is_numbered = name.removeprefix(f"{declared.name}_").isdigit()
    return tuple(sorted({*declared.rules, RULE_DISTINCT if is_numbered else RULE_AS_PUBLISHED}))


def _format_declaration(item: Field) -> str:
    type_name = f"map<string, {item.type}>" if item.label is Label.MAP else item.type
    prefix = f"{item.label} " if item.label in {Label.OPTIONAL, Label.REPEATED} else ""
    suffix = f" (in oneof {item.oneof})" if item.oneof else ""
    return f"{prefix}{type_name} {item.name} = {item.number}{suffix}"
