"""Derive JSON names of fields, and quote strings for proto files."""

from __future__ import annotations


def derive_json_name(name: str) -> str:
    """Return the JSON name that protoc gives a field (protobuf guide, ProtoJSON): `page_size` → `pageSize`."""
    first, *words = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in words)


def quote_string(text: str) -> str:
    """Return a string literal for a proto file; the UTF-8 bytes of unprintable characters become octal escapes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    parts = (char if char.isprintable() else "".join(f"\\{byte:03o}" for byte in char.encode()) for char in escaped)
    return f'"{"".join(parts)}"'
