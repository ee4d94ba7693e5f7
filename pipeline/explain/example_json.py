"""Example JSON of a message or field, with a made-up value for each type."""

from __future__ import annotations

import json

from pipeline.model.contract import Contract, Field, JsonForm, JsonRole, Label, Message
from pipeline.model.source import SchemaKind

_SCALARS = {"bool": "true", "string": '"text"', "bytes": '"AA=="', "double": "1.5", "float": "1.5"}
_FREE_FORM = {
    "ObjectMap": '{"any": "JSON"}',
    "ObjectMap.Value": '"any JSON"',
    "GeneralNumber": "1.5",
    "NullValue": "null",
}
_WRAPPERS = {JsonForm.ARRAY, JsonForm.MAP, JsonForm.ENTRY}
_MOST_FIELDS = 4


def format_field_example(field: Field, contract: Contract) -> str:
    """Return the JSON of one field with its surroundings: the object, query, path or header that it stands in."""
    value = _format_value(field, contract)
    match field.role:
        case JsonRole.PROPERTY:
            return f"{{{_quote(field.json_name)}: {value}}}"
        case JsonRole.PARAMETER:
            where = "a header" if field.encoding.is_header else "the path or the query"
            return f"{field.json_name}={_format_parameter(field, contract)} in {where}"
        case JsonRole.REST:
            return value if field.label is Label.MAP else '{"any other key": "any JSON"}'
        case JsonRole.KEY:
            return '{"the key": …}'
        case JsonRole.GLOBAL:
            return "parameters in the query"
        case _:
            return value


def format_message_example(message: Message, contract: Contract) -> str:
    """Return the JSON of a message with its first fields; for a union, the JSON of its first variants."""
    if message.name in _FREE_FORM:
        return _FREE_FORM[message.name]
    live = [item for item in message.fields if not item.deprecated and not item.is_retained]
    if message.form is JsonForm.UNION:
        variants = [_format_value(item, contract) for item in live[:_MOST_FIELDS]]
        return " or ".join([*variants, *(["…"] if len(live) > _MOST_FIELDS else [])])
    if message.form in {JsonForm.ARRAY, JsonForm.MAP} and live:
        return _format_value(live[0], contract)
    if message.form is JsonForm.ENTRY and live:
        return f'{{"key": {_format_value(live[-1], contract)}}}'
    properties = [item for item in live if item.role is JsonRole.PROPERTY]
    members = [f"{_quote(item.json_name)}: {_format_value(item, contract)}" for item in properties[:_MOST_FIELDS]]
    return f"{{{', '.join(members)}{', …' if len(properties) > _MOST_FIELDS else ''}}}"


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _format_value(field: Field, contract: Contract) -> str:
    """Return the JSON value of a field: a list, an object or a single value, by its label."""
    single = _format_single(field, contract)
    if field.label is Label.REPEATED:
        return f"[{single}, …]"
    if field.label is Label.MAP:
        return f'{{"key": {single}, …}}'
    return f'{{"key": {single}}}' if field.encoding.is_entry else single


def _format_single(field: Field, contract: Contract) -> str:
    """Return the JSON of one item, entry or value of a field, by its type."""
    if field.encoding.is_document:
        return '{"any": "document"}'
    if field.type in _FREE_FORM:
        return _FREE_FORM[field.type]
    if field.type in contract.enums:
        first = next((value.json[0] for value in contract.enums[field.type].values if value.json), "text")
        return json.dumps(first, ensure_ascii=False)
    message = contract.messages.get(field.type)
    if message is None:
        return _SCALARS.get(field.type, "1")
    if message.form not in _WRAPPERS or message.schema.kind is not SchemaKind.WRAPPER:
        return "{…}"
    return format_message_example(message, contract)


def _format_parameter(field: Field, contract: Contract) -> str:
    """Return the value of a parameter as in a query: strings without quotes, list items separated by commas."""
    single = _format_single(field, contract).strip('"')
    return f"{single},{single}" if field.label is Label.REPEATED else single
