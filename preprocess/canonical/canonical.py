"""The canonical spec: valid OpenAPI 3.1 in which every question is already answered.

One component schema a message or enum under its final name; every property a scalar, a `$ref`, a list or a map of
those. What OpenAPI cannot say stands in `x-proto-*`: `x-proto-message-*` and `x-proto-enum-*` on schemas,
`x-proto-field-*` on properties (a property inherits the extensions of what it refers to, so the two never share a key),
`x-proto-rpc-*` on operations.
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
from preprocess.canonical.http_option import option_lines

_SCALARS: dict[str, dict[str, str]] = {
    "bool": {"type": "boolean"},
    "string": {"type": "string"},
    "bytes": {"type": "string", "format": "byte"},
    "double": {"type": "number", "format": "double"},
    "float": {"type": "number", "format": "float"},
}
PLACEHOLDER = "x_proto_empty"
# Longer prose is no comment; OpenAPI Generator takes none of more than 20 MB.
LONGEST_COMMENT = 20_000


def canonical_spec(
    contract: Contract, services: Iterable[ServiceRule], profile: Profile, comments: Comments
) -> dict[str, Any]:
    """The canonical spec of a numbered contract.

    Args:
        contract: numbered.
        services: with their packages.
        profile: for the package.
        comments: how much the protos say about where things come from.
    """
    schemas = {name: message_schema(message, comments) for name, message in contract.messages.items()}
    schemas |= {name: enum_schema(enum, comments) for name, enum in contract.enums.items()}
    packages = {service.name: service.package or profile.package for service in services}
    shadows = {rpc.name for rpc in contract.rpcs}
    paths = {
        f"/{rpc.service}/{rpc.name}": {"post": _operation(rpc, profile.package, packages, shadows, comments)}
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


def message_schema(message: Message, comments: Comments) -> dict[str, Any]:
    """The schema of a message; generators drop one without properties, so it gets one that is no field.

    The example keeps the generator from making one up: for lists in lists that takes time without end.
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
        "x-proto-message-comment": comment(comments, message.place, message.description, message.deprecated),
    }
    if message.deprecated:
        schema["x-proto-message-deprecated"] = message.deprecated
    if message.constraints:
        schema["x-proto-message-options"] = list(message.constraints)
    schema |= {f"x-proto-message-reserved-{key}": text for key, text in reserved_texts(message).items()}
    schema["properties"] = properties(message, comments)
    required = [item.name for item in message.fields if item.label is Label.SINGULAR and item.oneof is None]
    return schema | ({"required": required} if required else {})


def reserved_texts(holder: Message | Enum) -> dict[str, str]:
    """The numbers and names of the reserved statements; a name that a live field has again is left out."""
    live = {item.name for item in (holder.fields if isinstance(holder, Message) else holder.values)}
    numbers = sorted({number for number, _ in holder.reserved})
    names = sorted({name for _, name in holder.reserved} - live)
    texts = {"numbers": ", ".join(_ranges(numbers)), "names": ", ".join(f'"{name}"' for name in names)}
    return {key: text for key, text in texts.items() if text}


def _ranges(numbers: list[int]) -> Iterable[str]:
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        yield str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}"


def properties(message: Message, comments: Comments) -> dict[str, Any]:
    """The properties of a message, in the order of its proto: by number, a oneof where its first member stands."""
    ordered = message.order_fields()
    result = {}
    for index, item in enumerate(ordered):
        before = ordered[index - 1].oneof if index else None
        after = ordered[index + 1].oneof if index + 1 < len(ordered) else None
        schema = field_schema(item, comments)
        if item.oneof is not None:
            schema["x-proto-field-inside"] = item.oneof
            schema |= {"x-proto-field-begin": item.oneof} if before != item.oneof else {}
            opens_required = before != item.oneof and item.oneof in message.required_oneofs
            schema |= {"x-proto-field-must": True} if opens_required else {}
            schema |= {"x-proto-field-end": True} if after != item.oneof else {}
        result[item.name] = schema
    return result or {PLACEHOLDER: {"type": "boolean"}}


def field_schema(item: Field, comments: Comments) -> dict[str, Any]:
    """The schema of one field."""
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
        "x-proto-field-comment": _field_comment(item, place, comments),
    }
    if item.deprecated:
        schema["x-proto-field-deprecated"] = item.deprecated
    literals = [f"json_name = {quote_string(item.json_option)}"] if item.json_option else []
    literals += [f"{name} = {value}" for name, value in (*item.options, *item.constraints)]
    literals += ["deprecated = true"] if item.deprecated else []
    return schema | ({"x-proto-field-options": ", ".join(literals)} if literals else {})


def _field_comment(item: Field, place: Place, comments: Comments) -> list[str]:
    lines = comment(comments, NOWHERE, "", item.deprecated)
    if comments != "none" and item.needs_key_comment:
        lines.insert(0, f"JSON: `{one_line(item.json_name)}`")
    if comments == "full" and place.pointer:
        lines.append(f"Schema: {one_line(place.pointer)}")
    return lines


def enum_schema(enum: Enum, comments: Comments) -> dict[str, Any]:
    """The schema of an enum."""
    schema: dict[str, Any] = {
        "type": "string",
        "enum": [value.name for value in enum.values],
        "x-proto-enum-name": enum.name,
        "x-proto-enum-file": enum.file,
        "x-proto-enum-schema": enum.schema.text,
        "x-proto-enum-place": str(enum.place),
        "x-proto-enum-rules": list(enum.rules),
        "x-proto-enum-comment": comment(comments, enum.place, enum.description, enum.deprecated),
        "x-proto-enum-values": [_value(enum.name, value, comments) for value in enum.values],
    }
    if enum.deprecated:
        schema["x-proto-enum-deprecated"] = enum.deprecated
    return schema | {f"x-proto-enum-reserved-{key}": text for key, text in reserved_texts(enum).items()}


def _value(enum: str, value: EnumValue, comments: Comments) -> dict[str, Any]:
    lines = comment(comments, NOWHERE, "", value.deprecated)
    text = value.json[0] if value.json else None
    if comments != "none" and text is not None and value.name.startswith(f"{derive_value_name(enum, text)}_"):
        lines.insert(0, f"JSON: `{one_line(text)}`")
    entry = {"name": value.name, "number": str(value.number), "json": list(value.json), "comment": lines}
    entry |= {"place": str(value.place)} if value.place.pointer else {}
    return entry | ({"deprecated": value.deprecated} if value.deprecated else {})


def _operation(
    rpc: Rpc, package: str, packages: dict[str, str], shadows: set[str], comments: Comments
) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{rpc.request}"}}}
    answer = {"application/json": {"schema": {"$ref": f"#/components/schemas/{rpc.response}"}}}
    place = rpc.places[0] if rpc.places else NOWHERE
    same = packages.get(rpc.service, package) == package
    names = {
        name: name if same and name not in shadows else f".{package}.{name}" if same else f"{package}.{name}"
        for name in (rpc.request, rpc.response)
    }
    options = ["option deprecated = true;"] if rpc.deprecated else []
    options += option_lines(rpc.http, packages.get(rpc.service, package))
    return {
        "operationId": f"{rpc.service}_{rpc.name}",
        "tags": [rpc.service],
        "requestBody": {"required": True, "content": content},
        "responses": {"200": {"description": "OK", "content": answer}},
        "x-proto-rpc-service": rpc.service,
        "x-proto-rpc-name": rpc.name,
        "x-proto-rpc-group": rpc.group,
        "x-proto-rpc-request": names[rpc.request],
        "x-proto-rpc-response": ("stream " if rpc.server_streaming else "") + names[rpc.response],
        "x-proto-rpc-places": [str(place) for place in rpc.places],
        "x-proto-rpc-rules": list(rpc.rules),
        "x-proto-rpc-comment": comment(comments, place, rpc.description, rpc.deprecated),
        "x-proto-rpc-options": options,
        "x-proto-rpc-block": bool(options),
    } | ({"x-proto-rpc-deprecated": rpc.deprecated} if rpc.deprecated else {})


def comment(comments: Comments, place: Place, description: str, deprecated: str) -> list[str]:
    """The comment lines of an element: the prose if asked for, where it comes from, why it is deprecated."""
    lines: list[str] = []
    if comments == "full" and description:
        shown = description if len(description) <= LONGEST_COMMENT else description[:LONGEST_COMMENT] + "…"
        lines += [one_line(line) for line in shown.splitlines()]
    if comments != "none":
        lines += [f"Schema: {one_line(place.pointer)}"] if place.pointer else []
        told = deprecated.replace("\n", ": ", 1) if comments == "full" else extract_reason(deprecated)
        lines += [f"Deprecated: {one_line(told)}"] if deprecated else []
    return lines


def one_line(text: str) -> str:
    """Text that cannot leave the line it stands on: no control, format or separator characters."""
    plain = text if text.isprintable() else "".join(char if char.isprintable() else " " for char in text)
    return plain.strip()
