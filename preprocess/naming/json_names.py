"""Assign JSON names: the keys by which ProtoJSON and gateways read and write each field.

A field gets a `json_name` option if its key is neither its name in the proto nor what ProtoJSON derives from that
name. Two fields of a message cannot share a JSON name; the second one has its key in a comment only. A published
JSON name stays. Sources: protobuf guide, ProtoJSON (names of fields); protoc rejects duplicate JSON names and names in
brackets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pipeline.model.contract import Field, JsonRole, Label, Message, Rule
from pipeline.model.json_name import derive_json_name
from pipeline.model.lock.model import LockedMessage, State

RULE_JSON_NAMES = Rule("json-names")


def assign_json_names(
    message: Message, locked: LockedMessage, published: LockedMessage | None, choice: Literal["option", "comment"]
) -> tuple[Message, LockedMessage]:
    """Return a numbered message with its JSON names, and its entry in the new lock; `choice` is for new fields only."""
    entries = published.fields if published else ()
    published_names = {entry.number: entry.json_name or "" for entry in entries if entry.state is not State.REPLACED}
    options = {item.number: published_names[item.number] for item in message.fields if item.number in published_names}
    if choice == "option":
        options |= _choose_new_options(message, options)
    fields = tuple(_set_json_name(item, options.get(item.number, ""), choice) for item in message.fields)
    return message._replace(fields=fields), _record_options(locked, options)


def _record_options(locked: LockedMessage, options: dict[int, str]) -> LockedMessage:
    """Return the lock entry with the options; the same object if nothing changes."""
    fields = tuple(
        entry
        if entry.state is State.REPLACED or (options.get(entry.number) or entry.json_name) == entry.json_name
        else entry.model_copy(update={"json_name": options[entry.number]})
        for entry in locked.fields
    )
    return locked if fields == locked.fields else locked.model_copy(update={"fields": fields})


def _choose_new_options(message: Message, published: dict[int, str]) -> dict[int, str]:
    """Return the options of new fields, by number; fields that need no option choose first."""
    names = {item.name for item in message.fields}
    # Some runtimes count the hidden oneof of an optional field, whose name is the field's name after an underscore.
    used = {f"_{item.name}" for item in message.fields if item.label is Label.OPTIONAL}
    used |= {
        published[item.number] or derive_json_name(item.name) for item in message.fields if item.number in published
    }
    new = [item for item in message.fields if item.number not in published]
    options = {}
    for item in sorted(new, key=lambda item: (_rank(item), item.number)):
        # Runtimes reject the name of another field as well.
        proposals = _propose_names(item)
        json_name = next(name for name in proposals if name not in used and (name == item.name or name not in names))
        used.add(json_name)
        options[item.number] = "" if json_name == derive_json_name(item.name) else json_name
    return options


def _rank(item: Field) -> int:
    """Return 0 for a field whose default JSON name is its key, 1 for one with another key, 2 for one without."""
    if item.json_name == derive_json_name(item.name):
        return 0
    return 2 if item.json_name in {"", item.name} else 1


def _propose_names(item: Field) -> Iterator[str]:
    """Yield the possible JSON names, best first: the key, the default name, the field's name, numbered names."""
    if item.json_name != item.name and item.role is not JsonRole.ITEM and is_valid_option(item.json_name):
        yield item.json_name
    yield derive_json_name(item.name)
    yield item.name
    number = item.number
    while True:
        yield f"{item.name}_{number}"
        number += 1


def is_valid_option(text: str) -> bool:
    """Return whether protoc accepts a string as a `json_name`: no null character, no brackets, valid Unicode."""
    is_bracketed = text.startswith("[") and text.endswith("]")
    has_surrogate = any("\ud800" <= char <= "\udfff" for char in text)
    return bool(text) and "\0" not in text and not is_bracketed and not has_surrogate


def _set_json_name(item: Field, option: str, choice: str) -> Field:
    """Return a field with its `json_name` option; its comment names the key if nothing else does."""
    evident = {item.name, option or (derive_json_name(item.name) if choice == "option" else item.name)}
    needs_comment = bool(item.json_name) and item.json_name not in evident and item.role is not JsonRole.ITEM
    rules = tuple(sorted({*item.rules, RULE_JSON_NAMES})) if option and not item.is_retained else item.rules
    if (item.json_option, item.needs_key_comment, item.rules) == (option, needs_comment, rules):
        return item
    return item._replace(json_option=option, needs_key_comment=needs_comment, rules=rules)
