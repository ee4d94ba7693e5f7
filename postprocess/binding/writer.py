"""The binding: how the JSON of the REST API and the protobuf of the same operation correspond.

Read off the canonical spec of the same build; with the descriptors it is all that a codec needs. Format 1:

- `messages`: full name → `form` (object, union, array, tuple, map, entry, lines, any, number, request, response) and
  `fields`: name → `role` and, where they differ from the plain case, `json` (the key) and `options`; `excluded`:
  properties that got no field, with the rule. A message of form `array` may stand as its one item without the list.
- `enums`: full name → value → the JSON texts that stand for it, the first being the one to write; null is JSON null.
- `rpcs`: `Service/Rpc` → group, messages, `server_streaming` (the answer is a sequence of messages: one for each event
  of `text/event-stream`, whose data is the JSON of the field, or for each JSON line), and `http`: the HTTP forms, each
  with method, path, and the media types of its request and its responses. The parameters of the path are the fields of
  the request with that `json` name, the others stand in the query, or in a header (`options`). Where the request has
  several fields of the role `body`, `body` gives the one for each media type. `field` is the field of the response that
  has such an answer. CBOR and SMILE hold the same JSON values as the other types of their field.

Options of a field: `single` (one item may stand without its list), `nullable` (null may stand in its place), `null`
(null is written where it is not set, as it must be there), `required` (a list or map that is written though empty),
`optional` (a field without presence that need not be there), `entry` (an object of exactly one key),
`shorthand:property`, `document` (bytes that hold JSON, or CBOR or SMILE, as their first bytes tell), `base64` and
`base64url` (bytes whose text is that), `raw` (bytes that are the text or the body itself), `number` (a text that holds
the digits of a number), `quoted` (a number or boolean that may stand as a text), `tag:property=value` (the property by
which a variant is known), `at:position` (of an item of a tuple, from 0). Of a parameter: `style:…`, `explode:…`,
`content:…` and `in:header` where OpenAPI's defaults do not hold, and `overloads:name` (the values of that parameter
may stand in its place).

The field of number 536870911 is of no message: it is the spelling note of `spec2proto_codec.values.spelling_notes`.
"""

from __future__ import annotations

import json
from typing import Any

VERSION = 1
# The roles of fields without presence that are always there.
_PRESENT = {"key", "value", "exists"}


def binding_text(canonical: dict[str, Any], package: str) -> str:
    """The binding of a canonical spec, as it is written: one message, enum and rpc a line."""
    schemas = canonical["components"]["schemas"]
    messages = {
        f"{package}.{name}": _message(schema) for name, schema in schemas.items() if "x-proto-message-name" in schema
    }
    enums = {f"{package}.{name}": _enum(schema) for name, schema in schemas.items() if "x-proto-enum-name" in schema}
    operations = [item["post"] for item in canonical["paths"].values()]
    rpcs = {f"{item['x-proto-rpc-service']}/{item['x-proto-rpc-name']}": _rpc(item, package) for item in operations}
    sections = {"messages": messages, "enums": enums, "rpcs": rpcs}
    lines = [f'{{"version": {VERSION},', f' "package": {json.dumps(package)},']
    for index, (title, entries) in enumerate(sections.items()):
        listed = ",\n".join(
            f"  {json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in entries.items()
        )
        lines.append(f' "{title}": {{\n{listed}\n }}' + ("," if index + 1 < len(sections) else "}"))
    return "\n".join(lines) + "\n"


def _message(schema: dict[str, Any]) -> dict[str, Any]:
    fields = {}
    for item in schema["properties"].values():
        if "x-proto-field-number" not in item or "kept-by-lock" in item["x-proto-field-rules"]:
            continue
        told = item["x-proto-field-json"]
        entry: dict[str, Any] = {"role": told["role"]}
        entry |= {"json": told["name"]} if told["name"] and told["name"] != item["x-proto-field-name"] else {}
        options = _options(item, told["options"])
        entry |= {"options": options} if options else {}
        fields[item["x-proto-field-name"]] = entry
    excluded = schema.get("x-proto-message-excluded")
    return {"form": schema["x-proto-message-json"], "fields": fields} | ({"excluded": excluded} if excluded else {})


def _options(item: dict[str, Any], told: list[str]) -> list[str]:
    """The options of a field; whether it must be there is said only where the descriptors do not say it."""
    label, required = item["x-proto-field-label"], "required" in told
    if label in {"repeated", "map"}:
        return told
    kept = [option for option in told if option != "required"]
    singular = label == "singular" and "x-proto-field-inside" not in item
    known = item["x-proto-field-json"]["role"] in _PRESENT
    return kept if required or known or not singular else sorted([*kept, "optional"])


def _enum(schema: dict[str, Any]) -> dict[str, Any]:
    return {value["name"]: value["json"] for value in schema["x-proto-enum-values"] if value["json"]}


def _rpc(operation: dict[str, Any], package: str) -> dict[str, Any]:
    request, response = operation["x-proto-rpc-messages"]
    return {
        "group": operation["x-proto-rpc-group"],
        "request": f"{package}.{request}",
        "response": f"{package}.{response}",
        "server_streaming": operation["x-proto-rpc-streaming"],
        "http": operation["x-proto-rpc-http"],
    }
