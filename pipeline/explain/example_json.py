"""Sketches: what the JSON of a message or field looks like, with a made-up value for each type."""

from __future__ import annotations

import json

from pipeline.model.contract import Contract, Field, JsonForm, JsonRole, Label, Message

_SCALARS = {"bool": "true", "string": '"text"', "bytes": '"AA=="', "double": "1.5", "float": "1.5"}
_FREE = {"ObjectMap": '{"any": "JSON"}', "ObjectMap.Value": '"any JSON"', "GeneralNumber": "1.5", "NullValue": "null"}
_WRAPPERS = {JsonForm.ARRAY, JsonForm.MAP, JsonForm.ENTRY}
_SHOWN = 4


def sketch_field(field: Field, contract: Contract) -> str:
    """The JSON around and of one field, as it may stand in a body, a query or a path."""
    value = _value(field, contract)
    name = json.dumps(field.json_name, ensure_ascii=False)
    if field.role is JsonRole.PROPERTY:
        return f"{{{name}: {value}}}"
    if field.role is JsonRole.PARAMETER:
        where = "a header" if "in:header" in field.json_options else "the path or the query"
        return f"{field.json_name}={_plain(field, contract)} in {where}"
    if field.role is JsonRole.REST:
        return value if field.label is Label.MAP else '{"any other key": "any JSON"}'
    if field.role is JsonRole.KEY:
        return '{"the key": …}'
    if field.role is JsonRole.GLOBAL:
        return "parameters in the query"
    return value


def sketch_message(message: Message, contract: Contract) -> str:
    """The JSON of a message, with the first few of its fields; the variants of a union side by side."""
    if message.name in _FREE:
        return _FREE[message.name]
    live = [item for item in message.fields if not item.deprecated and "kept-by-lock" not in item.rules]
    more = ", …" if len(live) > _SHOWN else ""
    if message.form is JsonForm.UNION:
        return " or ".join(_value(item, contract) for item in live[:_SHOWN]) + (" or …" if more else "")
    if message.form in {JsonForm.ARRAY, JsonForm.MAP} and live:
        return _value(live[0], contract)
    if message.form is JsonForm.ENTRY and live:
        return f'{{"key": {_value(live[-1], contract)}}}'
    named = [item for item in live if item.role is JsonRole.PROPERTY]
    shown = ", ".join(
        f"{json.dumps(item.json_name, ensure_ascii=False)}: {_value(item, contract)}" for item in named[:_SHOWN]
    )
    return f"{{{shown}{', …' if len(named) > _SHOWN else ''}}}"


def _value(field: Field, contract: Contract) -> str:
    one = _one(field, contract)
    if field.label is Label.REPEATED:
        return f"[{one}, …]"
    if field.label is Label.MAP:
        return f'{{"key": {one}, …}}'
    return f'{{"key": {one}}}' if "entry" in field.json_options else one


def _one(field: Field, contract: Contract) -> str:
    if "document" in field.json_options:
        return '{"any": "document"}'
    if field.type in _FREE:
        return _FREE[field.type]
    if field.type in contract.enums:
        texts = [value.json[0] for value in contract.enums[field.type].values if value.json]
        return json.dumps(texts[0], ensure_ascii=False) if texts else '"text"'
    message = contract.messages.get(field.type)
    if message is None:
        return _SCALARS.get(field.type, "1")
    inner = message.fields[-1] if message.fields else None
    if message.form not in _WRAPPERS or inner is None or "recursive-container" in inner.rules:
        return "{…}"
    return sketch_message(message, contract)


def _plain(field: Field, contract: Contract) -> str:
    """The value of a parameter as it stands in a query: texts without quotes, lists with commas."""
    one = _one(field, contract).strip('"')
    return f"{one},{one}" if field.label is Label.REPEATED else one
