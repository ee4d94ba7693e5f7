"""JSON names: what ProtoJSON and gateways call each field, so that they take the API's own spelling. One owner.

A field whose key is neither its name in the proto nor ProtoJSON's own spelling of that gets a `json_name` option. Two
fields of a message cannot share a JSON name, so the second one has its key in a comment only. What was published stays.
Sources: protobuf guide, ProtoJSON (names of fields); protoc refuses JSON names that clash and those in brackets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pipeline.model.contract import Field, JsonRole, Label, Message
from pipeline.model.json_name import derive_json_name
from pipeline.model.lock.model import LockedMessage, State
from pipeline.model.rule import Rule

RULE_JSON_NAMES = Rule("json-names")


def spell(
    message: Message, locked: LockedMessage, known: LockedMessage | None, choice: Literal["option", "comment"]
) -> tuple[Message, LockedMessage]:
    """A numbered message with the JSON names of its fields, and the lock's entry that remembers them.

    Args:
        message: numbered.
        locked: its entry in the lock as it will be.
        known: its entry in the lock as it was published, or None.
        choice: whether new fields get the option, or a comment.
    """
    published = (
        {item.number: item.json_name for item in known.fields if item.state is not State.REPLACED} if known else {}
    )
    options = {item.number: published[item.number] or "" for item in message.fields if item.number in published}
    fresh = [item for item in message.fields if item.number not in published]
    if choice == "option":
        kept = (item for item in message.fields if item.number in published)
        taken = {options[item.number] or derive_json_name(item.name) for item in kept}
        # Some runtimes count the hidden oneof of an optional field, which has its name behind an underscore.
        taken |= {f"_{item.name}" for item in message.fields if item.label is Label.OPTIONAL}
        names = {item.name for item in message.fields}
        options |= dict(_new_options(fresh, taken, names))
    fields = tuple(_spelled(item, options.get(item.number, ""), choice) for item in message.fields)
    entries = tuple(
        item
        if item.state is State.REPLACED or (options.get(item.number) or item.json_name) == item.json_name
        else item.model_copy(update={"json_name": options[item.number]})
        for item in locked.fields
    )
    return message.with_fields(fields), locked if entries == locked.fields else locked.model_copy(
        update={"fields": entries}
    )


def _new_options(fresh: list[Field], taken: set[str], names: set[str]) -> Iterator[tuple[int, str]]:
    """The options of new fields by number: first whose JSON name is the key by itself, then whose key is another."""
    for item in sorted(fresh, key=lambda item: (_rank(item), item.number)):
        # They refuse the name of another field as well.
        free = (text for text in _candidates(item) if text not in taken and (text == item.name or text not in names))
        found = next(free)
        taken.add(found)
        yield item.number, "" if found == derive_json_name(item.name) else found


def _rank(item: Field) -> int:
    if item.json_name == derive_json_name(item.name):
        return 0
    return 2 if item.json_name in {"", item.name} else 1


def _candidates(item: Field) -> Iterator[str]:
    """What a field may be called in JSON, best first: its key, ProtoJSON's own name, the field's name, with a count."""
    if item.json_name != item.name and item.role is not JsonRole.ITEM and can_be_option(item.json_name):
        yield item.json_name
    yield derive_json_name(item.name)
    yield item.name
    number = item.number
    while True:
        yield f"{item.name}_{number}"
        number += 1


def can_be_option(text: str) -> bool:
    """Whether protoc takes a text as a `json_name`: no null character, not in brackets, valid Unicode."""
    bracketed = text.startswith("[") and text.endswith("]")
    surrogate = any("\ud800" <= char <= "\udfff" for char in text)
    return bool(text) and "\0" not in text and not bracketed and not surrogate


def _spelled(item: Field, option: str, choice: str) -> Field:
    known = {item.name, option or (derive_json_name(item.name) if choice == "option" else item.name)}
    told = bool(item.json_name) and item.json_name not in known and item.role is not JsonRole.ITEM
    rules = tuple(sorted({*item.rules, RULE_JSON_NAMES})) if option and not item.is_retained else item.rules
    if (item.json_option, item.json_told, item.rules) == (option, told, rules):
        return item
    return item._replace(json_option=option, json_told=told, rules=rules)
