"""Write the binding: how the JSON of the REST API and the protobuf of the same operation correspond.

The binding is written from the contract; with the descriptors it is all that a codec needs. Format 1:

- `messages`: full name → `form` (object, union, array, tuple, map, entry, lines, any, number, request, response) and
  `fields`: name → `role` and, where they differ from the plain case, `json` (the key) and `options`; `excluded`:
  properties without a field, with the rule. A message of form `array` may also be its one item without the list.
- `enums`: full name → value → the JSON strings that stand for it; the first one is written; null is JSON null.
- `rpcs`: `Service/Rpc` → group, messages, `server_streaming` (the response is a sequence of messages: one for each
  event of `text/event-stream`, whose data is the JSON of the field, or for each JSON line), and `http`: the HTTP
  forms, each with method, path, and the media types of its request and its responses. The parameters of the path are
  the request fields with that `json` name. The others are in the query, or in a header (`options`). If the request
  has several fields with the role `body`, `body` gives the one for each media type. `field` is the field of the
  response that has such a body. CBOR and SMILE hold the same JSON values as the other types of their field.

Options of a field: `single` (one item may stand without its list), `nullable` (null may stand in its place), `null`
(null is written where it is not set, because the key must be there), `required` (a list or map that is written even
if it is empty), `optional` (a field without presence whose key may be absent), `entry` (an object of exactly one key),
`shorthand:property`, `document` (bytes that hold JSON, CBOR or SMILE, as their first bytes tell), `base64` and
`base64url` (bytes in that encoding), `raw` (bytes that are the string or the body itself), `number` (a string that
holds the digits of a number), `quoted` (a number or boolean that may be a string), `tag:property=value` (the property
by which a variant is recognized), `at:position` (of an item of a tuple, from 0). Of a parameter: `style:…`,
`explode:…`, `content:…` and `in:header` if they are not OpenAPI's defaults, and `overloads:name` (the values of that
parameter may stand in its place).

No message has field 536870911: it holds the spelling note of `spec2proto_codec.values.spelling_notes`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pipeline.model.contract import Contract, Enum, Field, HttpBinding, JsonRole, Label, Message, Rpc
from pipeline.model.json_encoding import PLAIN, JsonEncoding

VERSION = 1
# The roles of fields without presence that are always there.
_ALWAYS_PRESENT = {JsonRole.KEY, JsonRole.VALUE, JsonRole.EXISTS}
_FLAGS = (
    ("is_single", "single"),
    ("is_nullable", "nullable"),
    ("writes_null", "null"),
    ("is_required", "required"),
    ("is_entry", "entry"),
    ("is_document", "document"),
    ("is_quoted", "quoted"),
    ("is_header", "in:header"),
)


def format_binding(contract: Contract, package: str) -> str:
    """Return the text of the binding of a numbered contract: one message, enum and rpc a line."""
    sections = {
        "messages": {f"{package}.{name}": _describe_message(item) for name, item in sorted(contract.messages.items())},
        "enums": {f"{package}.{name}": _describe_enum(item) for name, item in sorted(contract.enums.items())},
        "rpcs": {
            f"{rpc.service}/{rpc.name}": _describe_rpc(rpc, contract, package)
            for rpc in sorted(contract.rpcs, key=lambda rpc: f"/{rpc.service}/{rpc.name}")
        },
    }
    lines = [f'{{"version": {VERSION},', f' "package": {json.dumps(package)},']
    for index, (title, entries) in enumerate(sections.items()):
        section = ",\n".join(
            f"  {json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in entries.items()
        )
        lines.append(f' "{title}": {{\n{section}\n }}' + ("," if index + 1 < len(sections) else "}"))
    return "\n".join(lines) + "\n"


def _describe_message(message: Message) -> dict[str, Any]:
    fields = {item.name: _describe_field(item) for item in message.order_fields() if not item.is_retained}
    exclusions = sorted((source.json_key, why.rule, why.reason) for source, why in message.excluded)
    excluded = {key: rule for key, rule, _ in exclusions}
    return {"form": str(message.form), "fields": fields} | ({"excluded": excluded} if excluded else {})


def _describe_field(item: Field) -> dict[str, Any]:
    entry: dict[str, Any] = {"role": str(item.role)}
    if item.json_name and item.json_name != item.name:
        entry["json"] = item.json_name
    options = sorted(set(_list_options(item)))
    if options:
        entry["options"] = options
    return entry


def _list_options(item: Field) -> Iterator[str]:
    """List the options of a field; `required` and `optional` only if label and oneof do not say the same."""
    is_container = item.label in {Label.REPEATED, Label.MAP}
    for option in _list_encoding(item.encoding) if item.encoding != PLAIN else ():
        if option != "required" or is_container:
            yield option
    has_no_presence = item.label is Label.SINGULAR and item.oneof is None
    if has_no_presence and not item.encoding.is_required and item.role not in _ALWAYS_PRESENT:
        yield "optional"


def _list_encoding(encoding: JsonEncoding) -> Iterator[str]:
    yield from (option for attribute, option in _FLAGS if getattr(encoding, attribute))
    if encoding.string_format:
        yield str(encoding.string_format)
    if encoding.position is not None:
        yield f"at:{encoding.position}"
    if encoding.explode is not None:
        yield f"explode:{str(encoding.explode).lower()}"
    arguments = {"shorthand": encoding.shorthand, "style": encoding.style, "content": encoding.content_type}
    yield from (f"{name}:{value}" for name, value in arguments.items() if value)
    yield from (f"tag:{tag.property}={tag.value}" for tag in encoding.tags)
    yield from (f"overloads:{name}" for name in encoding.overloads)


def _describe_enum(enum: Enum) -> dict[str, Any]:
    return {value.name: list(value.json) for value in enum.values if value.json}


def _describe_rpc(rpc: Rpc, contract: Contract, package: str) -> dict[str, Any]:
    request, response = contract.messages[rpc.request], contract.messages[rpc.response]
    return {
        "group": rpc.group,
        "request": f"{package}.{rpc.request}",
        "response": f"{package}.{rpc.response}",
        "server_streaming": rpc.server_streaming,
        "http": [_describe_form(form, request, response) for form in rpc.bindings],
    }


def _describe_form(form: HttpBinding, request: Message, response: Message) -> dict[str, Any]:
    entry: dict[str, Any] = {"method": form.method, "path": form.path, "request": list(form.request_types)}
    bodies = request.map_bodies(JsonRole.BODY, form)
    if bodies and sum(item.role is JsonRole.BODY for item in request.fields) > 1:
        entry["body"] = {media_type: name for (_, media_type), name in bodies.items()}
    contents = response.map_bodies(JsonRole.CONTENT, form)
    entry["responses"] = [
        {"status": status, "type": media_type}
        | ({"field": contents[status, media_type]} if (status, media_type) in contents else {})
        for status, media_type in form.responses
    ]
    return entry
