"""JSON names: what ProtoJSON calls a field by itself, and how a `json_name` option is written."""

from __future__ import annotations


def derive_json_name(name: str) -> str:
    """The JSON name that protoc gives a field (protobuf guide, ProtoJSON): `page_size` → `pageSize`."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def quote_string(text: str) -> str:
    """A text as a string literal of a proto: what does not print as octal escapes of its bytes (protobuf spec)."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    parts = (char if char.isprintable() else "".join(f"\\{byte:03o}" for byte in char.encode()) for char in escaped)
    return f'"{"".join(parts)}"'
