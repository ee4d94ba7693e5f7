"""Explain one element of a contract: where it comes from, what made it, what its number has meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from pipeline.explain.example_json import sketch_field, sketch_message
from pipeline.model.contract import Contract, Enum, EnumValue, Field, JsonForm, JsonRole, Label, Message, Rpc
from pipeline.model.diagnostics import Diagnostic, Failure, Place
from pipeline.model.lock.model import Lock, LockedField, LockedValue
from preprocess.canonical.canonical import one_line

_ROLES = {
    JsonRole.PROPERTY: "the property `{name}` of the object",
    JsonRole.VARIANT: "the value itself, one variant of a union",
    JsonRole.SPREAD: "its properties stand in the object itself",
    JsonRole.REST: "all keys of the object that are no other field",
    JsonRole.KEY: "the key under which the object stands",
    JsonRole.VALUE: "the value of the object's only key",
    JsonRole.ITEM: "one item of the list that the message stands for",
    JsonRole.ITEMS: "the items of the list that the message stands for",
    JsonRole.ENTRIES: "the entries of the object that the message stands for",
    JsonRole.PARAMETER: "the parameter `{name}` of the request",
    JsonRole.GLOBAL: "the parameters that every operation takes",
    JsonRole.BODY: "the body of the request",
    JsonRole.CONTENT: "the body of the answer",
    JsonRole.EXISTS: "whether the status of the answer is a success (true) or 404 (false)",
}
_OPTIONS = {
    "single": "one item may stand without its list",
    "document": "bytes that hold a JSON document",
    "entry": "an object of exactly one key, which is the field `field` of the message",
    "base64": "bytes whose base64 stands in JSON",
    "base64url": "bytes whose base64url stands in JSON",
    "raw": "bytes that stand as they are; where JSON has a text, they are its UTF-8",
    "number": "the digits of a number",
    "at": "it stands at position {}, counted from 0",
    "tag": "the property of the variant that tells it apart, and its value: `{}`",
    "style": "written in the style `{}`",
    "explode": "written in one piece for each value: {}",
    "content": "written as `{}`",
    "in": "a {} of the request",
    "overloads": "the values of `{}` stand here, too",
    "null": "null where it is not set, as it must be there",
    "quoted": "may stand as a text as well",
    "nullable": "null may stand in its place",
    "required": "it must be there",
    "shorthand": "the property `{}` may stand alone for the object",
}


def explain(name: str, contract: Contract, lock: Lock) -> Iterable[str]:
    """The lines that explain a message, field, enum, enum value or rpc.

    Args:
        name: `Message`, `Message.field`, `Enum`, `Enum.VALUE` or `Service/Rpc`.
        contract: numbered.
        lock: as it would be after a build.

    Raises:
        Failure: `explain/unknown`, with the nearest names.
    """
    owner, _, member = name.rpartition(".")
    rpc = next(
        (rpc for rpc in contract.rpcs if name in (f"{rpc.service}/{rpc.name}", f"{rpc.service}.{rpc.name}")), None
    )
    if rpc is not None:
        return _rpc(rpc)
    if name in contract.messages:
        return _message(contract.messages[name], contract)
    if name in contract.enums:
        return _enum(contract.enums[name])
    for field in contract.messages[owner].fields if owner in contract.messages else ():
        if field.name == member:
            known = [item for item in lock.messages[owner].fields if item.number == field.number]
            return _field(name, field, contract, known)
    for value in contract.enums[owner].values if owner in contract.enums else ():
        if value.name == member:
            return _value(name, value, [item for item in lock.enums[owner].values if item.number == value.number])
    raise Failure(_unknown(name, contract))


def _unknown(name: str, contract: Contract) -> Diagnostic:
    names = [*contract.messages, *contract.enums, *(f"{rpc.service}/{rpc.name}" for rpc in contract.rpcs)]
    names += [f"{message.name}.{field.name}" for message in contract.messages.values() for field in message.fields]
    near = get_close_matches(name, names, n=3)
    hint = (
        f"did you mean {' or '.join(f'`{text}`' for text in near)}?" if near else "write Message.field or Service/Rpc"
    )
    return Diagnostic("explain/unknown", f"the contract has no `{name}`", hint=hint)


def _places(places: Iterable[Place]) -> Iterable[str]:
    found = [place for place in places if place.pointer or place.file]
    for index, place in enumerate(found):
        yield f"  {'spec' if index == 0 else '':<8} {place}"
    if not found:
        yield "  spec     in no specification"


def _state(deprecated: str) -> str:
    return f"  state    deprecated: {one_line(deprecated.replace(chr(10), ': ', 1))}"


def _rules(rules: Iterable[str]) -> Iterable[str]:
    listed = sorted(rules)
    if listed:
        yield f"  rules    {', '.join(listed)}"


def _message(message: Message, contract: Contract) -> Iterable[str]:
    yield f"message {message.name} in {message.file}"
    yield from _places([message.place])
    yield f"  source   {message.schema}"
    yield from _rules(message.rules)
    yield f"  JSON     {message.form}"
    if "kept-by-lock" not in message.rules and message.form is not JsonForm.REQUEST:
        yield f"  example  {sketch_message(message, contract)}"
    if message.deprecated:
        yield _state(message.deprecated)
    for number, name in message.reserved:
        yield f"  reserved {number} ({name})"
    yield f"  fields   {len(message.fields)}"
    for field in message.fields:
        yield f"    {field.number:>4} {_declaration(field)}"


def _declaration(field: Field) -> str:
    kind = f"map<string, {field.type}>" if field.label is Label.MAP else field.type
    word = f"{field.label} " if field.label in {Label.OPTIONAL, Label.REPEATED} else ""
    oneof = f" (oneof {field.oneof})" if field.oneof else ""
    return f"{word}{kind} {field.name}{oneof}{' deprecated' if field.deprecated else ''}"


def _field(name: str, field: Field, contract: Contract, known: list[LockedField]) -> Iterable[str]:
    message = contract.messages[name.rpartition(".")[0]]
    yield f"field {name} = {field.number}: {_declaration(field)}"
    yield from _places(field.places)
    yield f"  source   {field.source}"
    yield from _rules(field.rules)
    if field.deprecated:
        yield _state(field.deprecated)
    if message.form is not JsonForm.ANY and "kept-by-lock" not in field.rules:
        told = [_ROLES[field.role].format(name=field.json_name), *(_option(option) for option in field.json_options)]
        yield f"  JSON     {'; '.join(told)}"
        yield f"  example  {sketch_field(field, contract)}"
    yield from _history(known)


def _option(option: str) -> str:
    name, _, argument = option.partition(":")
    return _OPTIONS[name].format(argument)


def _enum(enum: Enum) -> Iterable[str]:
    yield f"enum {enum.name} in {enum.file}"
    yield from _places([enum.place])
    yield f"  source   {enum.schema}"
    yield from _rules(enum.rules)
    if enum.deprecated:
        yield _state(enum.deprecated)
    for value in enum.values:
        texts = ", ".join("null" if text is None else f'"{text}"' for text in value.json)
        yield f"    {value.number:>4} {value.name}{f' = JSON {texts}' if texts else ''}"


def _value(name: str, value: EnumValue, known: list[LockedValue]) -> Iterable[str]:
    yield f"value {name} = {value.number}"
    yield from _places([value.place])
    texts = ", ".join("null" if text is None else f'"{text}"' for text in value.json)
    yield f"  JSON     {texts or 'stands for nothing'}"
    if value.deprecated:
        yield _state(value.deprecated)
    yield from _history(known)


def _history(known: Iterable[LockedField | LockedValue]) -> Iterable[str]:
    for index, item in enumerate(known):
        since = f"since {item.since}" if item.since else "since this lock"
        until = f" until {item.until}" if item.until else ""
        kind = f" as {item.type}" if isinstance(item, LockedField) else ""
        formerly = f", formerly `{item.formerly}`" if isinstance(item, LockedField) and item.formerly else ""
        title = "number" if index == 0 else ""
        yield f"  {title:<8} {item.number}: `{item.name}`{kind}, {item.state} {since}{until}{formerly}"


def _rpc(rpc: Rpc) -> Iterable[str]:
    stream = "stream " if rpc.server_streaming else ""
    yield f"rpc {rpc.service}/{rpc.name}({rpc.request}) returns ({stream}{rpc.response})"
    yield from _places(rpc.places)
    yield f"  group    {rpc.group}"
    yield from _rules(rpc.rules)
    if rpc.deprecated:
        yield _state(rpc.deprecated)
    for binding in rpc.bindings:
        yield f"  JSON     {binding.method} {binding.path}"
    for rule in rpc.http:
        named = {"body": rule.body, "response_body": rule.response_body}
        options = "".join(f", {option} {name}" for option, name in named.items() if name)
        yield f"  http     {rule.method} {rule.template}{options}"
    for method, path in rpc.left_out:
        yield f"  http     no rule for {method} {path}"
