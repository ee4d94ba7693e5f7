"""Explain one element of a contract: its source in the specification, its rules, its JSON and its number's history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pipeline.explain.example_json import format_field_example, format_message_example
from pipeline.model.contract import Contract, Enum, EnumValue, Field, JsonForm, JsonRole, Label, Message, Rpc
from pipeline.model.diagnostics import Diagnostic, Failure, Place, suggest_names
from pipeline.model.json_encoding import PLAIN, JsonEncoding, StringFormat
from pipeline.model.lock.model import Lock, LockedField, LockedValue
from preprocess.canonical.canonical import join_lines

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
    JsonRole.CONTENT: "the body of the response",
    JsonRole.EXISTS: "whether the status of the response is a success (true) or 404 (false)",
}
_STRING_FORMATS = {
    StringFormat.PLAIN: "",
    StringFormat.BASE64: "bytes whose base64 stands in JSON",
    StringFormat.BASE64URL: "bytes whose base64url stands in JSON",
    StringFormat.RAW: "bytes that stand as they are; where JSON has a string, they are its UTF-8",
    StringFormat.NUMBER: "the digits of a number",
}
_ENCODING = {
    "position": "it stands at position {}, counted from 0",
    "content_type": "written as `{}`",
    "is_document": "bytes that hold a JSON document",
    "is_entry": "an object of exactly one key, which is the field `field` of the message",
    "explode": "written in one piece for each value: {}",
    "is_header": "a header of the request",
    "writes_null": "null where it is not set, as it must be there",
    "is_nullable": "null may stand in its place",
    "is_quoted": "may also be a string",
    "is_required": "it must be there",
    "shorthand": "the property `{}` may stand alone for the object",
    "is_single": "one item may stand without its list",
    "style": "written in the style `{}`",
}


def explain(name: str, contract: Contract, lock: Lock) -> Iterable[str]:
    """Return the lines that explain a `Message`, `Message.field`, `Enum`, `Enum.VALUE` or `Service/Rpc`.

    Raises:
        Failure: `explain/unknown`, with the nearest names.
    """
    owner, _, member = name.rpartition(".")
    for rpc in contract.rpcs:
        if name in {f"{rpc.service}/{rpc.name}", f"{rpc.service}.{rpc.name}"}:
            return _explain_rpc(rpc)
    if name in contract.messages:
        return _explain_message(contract.messages[name], contract)
    if name in contract.enums:
        return _explain_enum(contract.enums[name])
    for field in contract.messages[owner].fields if owner in contract.messages else ():
        if field.name == member:
            history = [item for item in lock.messages[owner].fields if item.number == field.number]
            return _explain_field(contract.messages[owner], field, contract, history)
    for value in contract.enums[owner].values if owner in contract.enums else ():
        if value.name == member:
            values = [item for item in lock.enums[owner].values if item.number == value.number]
            return _explain_value(name, value, values)
    raise Failure(_report_unknown(name, contract))


def _report_unknown(name: str, contract: Contract) -> Diagnostic:
    names = [*contract.messages, *contract.enums, *(f"{rpc.service}/{rpc.name}" for rpc in contract.rpcs)]
    names += [f"{message.name}.{field.name}" for message in contract.messages.values() for field in message.fields]
    hint = suggest_names(name, names, "write Message.field or Service/Rpc")
    return Diagnostic("explain/unknown", f"the contract has no `{name}`", hint=hint)


def _explain_message(message: Message, contract: Contract) -> Iterator[str]:
    yield f"message {message.name} in {message.file}"
    yield from _format_places([message.place])
    yield f"  source   {message.schema}"
    yield from _format_rules(message.rules)
    yield f"  JSON     {message.form}"
    if not message.is_retained and message.form is not JsonForm.REQUEST:
        yield f"  example  {format_message_example(message, contract)}"
    yield from _format_deprecation(message.deprecated)
    for number, name in message.reserved:
        yield f"  reserved {number} ({name})"
    yield f"  fields   {len(message.fields)}"
    for field in message.fields:
        yield f"    {field.number:>4} {_format_declaration(field)}"


def _explain_field(message: Message, field: Field, contract: Contract, history: list[LockedField]) -> Iterator[str]:
    yield f"field {message.name}.{field.name} = {field.number}: {_format_declaration(field)}"
    yield from _format_places(field.places)
    yield f"  source   {field.source}"
    yield from _format_rules(field.rules)
    yield from _format_deprecation(field.deprecated)
    if message.form is not JsonForm.ANY and not field.is_retained:
        role = _ROLES[field.role].format(name=field.json_name)
        yield f"  JSON     {'; '.join([role, *_describe_encoding(field.encoding)])}"
        yield f"  example  {format_field_example(field, contract)}"
    yield from _format_history(history)


def _explain_enum(enum: Enum) -> Iterator[str]:
    yield f"enum {enum.name} in {enum.file}"
    yield from _format_places([enum.place])
    yield f"  source   {enum.schema}"
    yield from _format_rules(enum.rules)
    yield from _format_deprecation(enum.deprecated)
    for value in enum.values:
        strings = _format_strings(value)
        yield f"    {value.number:>4} {value.name}{f' = JSON {strings}' if strings else ''}"


def _explain_value(name: str, value: EnumValue, history: list[LockedValue]) -> Iterator[str]:
    yield f"value {name} = {value.number}"
    yield from _format_places([value.place])
    yield f"  JSON     {_format_strings(value) or 'stands for nothing'}"
    yield from _format_deprecation(value.deprecated)
    yield from _format_history(history)


def _explain_rpc(rpc: Rpc) -> Iterator[str]:
    stream = "stream " if rpc.server_streaming else ""
    yield f"rpc {rpc.service}/{rpc.name}({rpc.request}) returns ({stream}{rpc.response})"
    yield from _format_places(rpc.places)
    yield f"  group    {rpc.group}"
    yield from _format_rules(rpc.rules)
    yield from _format_deprecation(rpc.deprecated)
    for binding in rpc.bindings:
        yield f"  JSON     {binding.method} {binding.path}"
    for rule in rpc.http:
        bodies = {"body": rule.body, "response_body": rule.response_body}
        options = "".join(f", {option} {name}" for option, name in bodies.items() if name)
        yield f"  http     {rule.method} {rule.template}{options}"
    for method, path in rpc.unmapped_forms:
        yield f"  http     no rule for {method} {path}"


def _format_places(places: Iterable[Place]) -> Iterator[str]:
    located = [place for place in places if place.pointer or place.file]
    for index, place in enumerate(located):
        yield f"  {'spec' if index == 0 else '':<8} {place}"
    if not located:
        yield "  spec     in no specification"


def _format_rules(rules: tuple[str, ...]) -> Iterator[str]:
    if rules:
        yield f"  rules    {', '.join(sorted(rules))}"


def _format_deprecation(reason: str) -> Iterator[str]:
    if reason:
        yield f"  state    deprecated: {join_lines(reason.replace(chr(10), ': ', 1))}"


def _format_declaration(field: Field) -> str:
    kind = f"map<string, {field.type}>" if field.label is Label.MAP else field.type
    label = f"{field.label} " if field.label in {Label.OPTIONAL, Label.REPEATED} else ""
    oneof = f" (oneof {field.oneof})" if field.oneof else ""
    return f"{label}{kind} {field.name}{oneof}{' deprecated' if field.deprecated else ''}"


def _describe_encoding(encoding: JsonEncoding) -> Iterator[str]:
    """Yield what differs from the plain case, in words."""
    for attribute, words in _ENCODING.items():
        value = getattr(encoding, attribute)
        if value != getattr(PLAIN, attribute):
            yield words.format(str(value).lower() if attribute == "explode" else value)
    yield from filter(None, [_STRING_FORMATS[encoding.string_format]])
    yield from (f"the values of `{name}` stand here, too" for name in encoding.overloads)
    for tag in encoding.tags:
        yield f"the property of the variant that tells it apart, and its value: `{tag.property}={tag.value}`"


def _format_strings(value: EnumValue) -> str:
    return ", ".join("null" if string is None else f'"{string}"' for string in value.json)


def _format_history(items: Iterable[LockedField | LockedValue]) -> Iterator[str]:
    """Yield a line for each name that the lock holds for one number."""
    for index, item in enumerate(items):
        since = f"since {item.since}" if item.since else "since this lock"
        until = f" until {item.until}" if item.until else ""
        kind = f" as {item.type}" if isinstance(item, LockedField) else ""
        formerly = f", formerly `{item.formerly}`" if isinstance(item, LockedField) and item.formerly else ""
        title = "number" if index == 0 else ""
        yield f"  {title:<8} {item.number}: `{item.name}`{kind}, {item.state} {since}{until}{formerly}"
