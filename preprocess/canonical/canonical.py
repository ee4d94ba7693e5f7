"""Write the canonical spec: a valid OpenAPI 3.1 document that leaves the generator nothing to decide.

Each message and each enum is one component schema under its final name. Each property is a scalar, a `$ref`, or a list
or map of these. Extensions express what OpenAPI cannot: `x-proto-message-*` and `x-proto-enum-*` on schemas,
`x-proto-field-*` on properties, `x-proto-rpc-*` on operations. Schemas and properties never share an extension, because
a property inherits the extensions of the schema that it refers to.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from pipeline.model.contract import Contract, Enum, EnumValue, Field, Label, Message, Rpc, extract_reason
from pipeline.model.diagnostics import NOWHERE, Place
from pipeline.model.identifiers import derive_value_name
from pipeline.model.json_name import quote_string
from pipeline.model.profile.profile import Comments, Profile, ServiceRule
from preprocess.canonical.http_option import format_http_option

_SCALARS: dict[str, dict[str, str]] = {
    "bool": {"type": "boolean"},
    "string": {"type": "string"},
    "bytes": {"type": "string", "format": "byte"},
    "double": {"type": "number", "format": "double"},
    "float": {"type": "number", "format": "float"},
}
PLACEHOLDER = "x_proto_empty"
# A limit for descriptions in comments; OpenAPI Generator refuses a document of more than 20 MB.
LONGEST_COMMENT = 20_000


def build_canonical_spec(
    contract: Contract, services: Iterable[ServiceRule], profile: Profile, comments: Comments
) -> dict[str, Any]:
    """Return the canonical spec of a numbered contract; `comments` says how much the comments of the protos explain."""
    schemas = {name: build_message_schema(message, comments) for name, message in contract.messages.items()}
    schemas |= {name: build_enum_schema(enum, comments) for name, enum in contract.enums.items()}
    packages = {service.name: service.package or profile.package for service in services}
    shadows = {rpc.name for rpc in contract.rpcs}
    paths = {
        f"/{rpc.service}/{rpc.name}": {"post": _build_operation(rpc, profile.package, packages, shadows, comments)}
        for rpc in contract.rpcs
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": profile.package, "version": "1"},
        "servers": [{"url": "/"}],
        "tags": [{"name": name} for name in sorted({rpc.service for rpc in contract.rpcs})],
        "paths": dict(sorted(paths.items())),
        "components": {"schemas": dict(sorted(schemas.items()))},
    }


def build_message_schema(message: Message, comments: Comments) -> dict[str, Any]:
    """Return the schema of a message; one without fields gets a placeholder property, or the generator drops it.

    The empty example prevents that the generator invents one, which never ends for lists in lists.
    """
    schema: dict[str, Any] = {
        "type": "object",
        "example": {},
        "x-proto-message-name": message.name.rpartition(".")[2],
        "x-proto-message-full-name": message.name,
        "x-proto-message-file": message.file,
        "x-proto-message-schema": message.schema.text,
        "x-proto-message-place": str(message.place),
        "x-proto-message-rules": list(message.rules),
        "x-proto-message-comment": build_comment(comments, message.place, message.description, message.deprecated),
    }
    if message.deprecated:
        schema["x-proto-message-deprecated"] = message.deprecated
    if message.constraints:
        schema["x-proto-message-options"] = list(message.constraints)
    schema |= {f"x-proto-message-reserved-{key}": text for key, text in format_reserved(message).items()}
    schema["properties"] = build_properties(message, comments)
    required = [item.name for item in message.fields if item.label is Label.SINGULAR and item.oneof is None]
    return schema | ({"required": required} if required else {})


def format_reserved(holder: Message | Enum) -> dict[str, str]:
    """Return the `reserved` statements, one for numbers and one for names; a name that a live field has is left out."""
    live = {item.name for item in (holder.fields if isinstance(holder, Message) else holder.values)}
    numbers = sorted({number for number, _ in holder.reserved})
    names = sorted({name for _, name in holder.reserved} - live)
    texts = {"numbers": ", ".join(_format_ranges(numbers)), "names": ", ".join(f'"{name}"' for name in names)}
    return {key: text for key, text in texts.items() if text}


def _format_ranges(numbers: list[int]) -> Iterable[str]:
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        numbers_of_range = [number for _, number in group]
        first, last = numbers_of_range[0], numbers_of_range[-1]
        yield str(first) if first == last else f"{first} to {last}"


def build_properties(message: Message, comments: Comments) -> dict[str, Any]:
    """Return the properties of a message in the order of the proto: by number, a oneof at its first member."""
    ordered = message.order_fields()
    result = {}
    for index, item in enumerate(ordered):
        before = ordered[index - 1].oneof if index else None
        after = ordered[index + 1].oneof if index + 1 < len(ordered) else None
        schema = build_field_schema(item, comments)
        if item.oneof is not None:
            schema["x-proto-field-inside"] = item.oneof
            schema |= {"x-proto-field-begin": item.oneof} if before != item.oneof else {}
            opens_required = before != item.oneof and item.oneof in message.required_oneofs
            schema |= {"x-proto-field-must": True} if opens_required else {}
            schema |= {"x-proto-field-end": True} if after != item.oneof else {}
        result[item.name] = schema
    return result or {PLACEHOLDER: {"type": "boolean"}}


def build_field_schema(item: Field, comments: Comments) -> dict[str, Any]:
    """Return the schema of a field."""
    base: dict[str, Any] = {"$ref": f"#/components/schemas/{item.type}"}
    if item.is_scalar:
        base = dict(_SCALARS.get(item.type, {"type": "integer", "format": item.type}))
    kind = item.type
    if item.label is Label.REPEATED:
        base = {"type": "array", "items": base}
    elif item.label is Label.MAP:
        base = {"type": "object", "additionalProperties": base}
        kind = f"map<string, {item.type}>"
    word = f"{item.label} " if item.label in {Label.OPTIONAL, Label.REPEATED} else ""
    place = item.places[0] if item.places else NOWHERE
    schema = base | {
        "x-proto-field-name": item.name,
        "x-proto-field-number": item.number,
        "x-proto-field-declaration": f"{word}{kind}",
        "x-proto-field-type": item.type,
        "x-proto-field-label": str(item.label),
        "x-proto-field-source": item.source.text,
        "x-proto-field-rules": list(item.rules),
        "x-proto-field-places": [str(place) for place in item.places],
        "x-proto-field-comment": _build_field_comment(item, place, comments),
    }
    if item.deprecated:
        schema["x-proto-field-deprecated"] = item.deprecated
    literals = [f"json_name = {quote_string(item.json_option)}"] if item.json_option else []
    literals += [f"{name} = {value}" for name, value in (*item.options, *item.constraints)]
    literals += ["deprecated = true"] if item.deprecated else []
    return schema | ({"x-proto-field-options": ", ".join(literals)} if literals else {})


def _build_field_comment(item: Field, place: Place, comments: Comments) -> list[str]:
    lines = build_comment(comments, NOWHERE, "", item.deprecated)
    if comments != "none" and item.needs_key_comment:
        lines.insert(0, f"JSON: `{join_lines(item.json_name)}`")
    if comments == "full" and place.pointer:
        lines.append(f"Schema: {join_lines(place.pointer)}")
    return lines


def build_enum_schema(enum: Enum, comments: Comments) -> dict[str, Any]:
    """Return the schema of an enum."""
    schema: dict[str, Any] = {
        "type": "string",
        "enum": [value.name for value in enum.values],
        "x-proto-enum-name": enum.name,
        "x-proto-enum-file": enum.file,
        "x-proto-enum-schema": enum.schema.text,
        "x-proto-enum-place": str(enum.place),
        "x-proto-enum-rules": list(enum.rules),
        "x-proto-enum-comment": build_comment(comments, enum.place, enum.description, enum.deprecated),
        "x-proto-enum-values": [_build_value(enum.name, value, comments) for value in enum.values],
    }
    if enum.deprecated:
        schema["x-proto-enum-deprecated"] = enum.deprecated
    return schema | {f"x-proto-enum-reserved-{key}": text for key, text in format_reserved(enum).items()}


def _build_value(enum: str, value: EnumValue, comments: Comments) -> dict[str, Any]:
    lines = build_comment(comments, NOWHERE, "", value.deprecated)
    text = value.json[0] if value.json else None
    if comments != "none" and text is not None and value.name.startswith(f"{derive_value_name(enum, text)}_"):
        lines.insert(0, f"JSON: `{join_lines(text)}`")
    entry = {"name": value.name, "number": str(value.number), "json": list(value.json), "comment": lines}
    entry |= {"place": str(value.place)} if value.place.pointer else {}
    return entry | ({"deprecated": value.deprecated} if value.deprecated else {})


def _build_operation(
    rpc: Rpc, package: str, packages: dict[str, str], shadows: set[str], comments: Comments
) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{rpc.request}"}}}
    response_content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{rpc.response}"}}}
    place = rpc.places[0] if rpc.places else NOWHERE
    same = packages.get(rpc.service, package) == package
    names = {
        name: name if same and name not in shadows else f".{package}.{name}" if same else f"{package}.{name}"
        for name in (rpc.request, rpc.response)
    }
    options = ["option deprecated = true;"] if rpc.deprecated else []
    options += format_http_option(rpc.http, packages.get(rpc.service, package))
    return {
        "operationId": f"{rpc.service}_{rpc.name}",
        "tags": [rpc.service],
        "requestBody": {"required": True, "content": content},
        "responses": {"200": {"description": "OK", "content": response_content}},
        "x-proto-rpc-service": rpc.service,
        "x-proto-rpc-name": rpc.name,
        "x-proto-rpc-group": rpc.group,
        "x-proto-rpc-request": names[rpc.request],
        "x-proto-rpc-response": ("stream " if rpc.server_streaming else "") + names[rpc.response],
        "x-proto-rpc-places": [str(place) for place in rpc.places],
        "x-proto-rpc-rules": list(rpc.rules),
        "x-proto-rpc-comment": build_comment(comments, place, rpc.description, rpc.deprecated),
        "x-proto-rpc-options": options,
        "x-proto-rpc-block": bool(options),
    } | ({"x-proto-rpc-deprecated": rpc.deprecated} if rpc.deprecated else {})


def build_comment(comments: Comments, place: Place, description: str, deprecated: str) -> list[str]:
    """Return the comment lines of an element: its description, its place in the specification, why it is deprecated."""
    lines: list[str] = []
    if comments == "full" and description:
        limited = description if len(description) <= LONGEST_COMMENT else description[:LONGEST_COMMENT] + "…"
        lines += [join_lines(line) for line in limited.splitlines()]
    if comments != "none":
        lines += [f"Schema: {join_lines(place.pointer)}"] if place.pointer else []
        reason = deprecated.replace("\n", ": ", 1) if comments == "full" else extract_reason(deprecated)
        lines += [f"Deprecated: {join_lines(reason)}"] if deprecated else []
    return lines


def join_lines(text: str) -> str:
    """Return the text as one line: each control, format and separator character becomes a space."""
    plain = text if text.isprintable() else "".join(char if char.isprintable() else " " for char in text)
    return plain.strip()
