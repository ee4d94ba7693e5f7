"""Spelling: from the names of an API to identifiers of protobuf (protobuf style guide; AIP-140, AIP-190)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import count

# Where words meet, as buf sees it (ENUM_VALUE_PREFIX): `Sha256` and `Hash`, but `Data3D` and `Secure`.
_BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])")
_FOREIGN = re.compile(r"[^A-Za-z0-9]+")
# Names become names of files and classes, which few systems let be longer than 255 bytes.
LONGEST = 120
_SIGN = re.compile(r"^[+-](?=[A-Za-z0-9])")


@cache
def ascii_words(text: str) -> str:
    """The text with everything but ASCII letters and digits as `_`.

    A sign before the first word is spelled out (`-1` → `minus_1`), symbols alone by their Unicode name. It ends with
    the last word that fits into `LONGEST` characters.
    """
    plain = unicodedata.normalize("NFKD", text[: LONGEST * 10])
    plain = _SIGN.sub(lambda found: "plus_" if found[0] == "+" else "minus_", plain)
    if not plain.isascii():
        plain = "".join(char for char in plain if not unicodedata.combining(char))
    if not re.search(r"[A-Za-z0-9]", plain):
        plain = "_".join(unicodedata.name(char, f"U{ord(char):04X}") for char in plain)
    elif not plain.isascii():
        plain = "".join(
            char if char.isascii() else f"_{unicodedata.name(char, f'U{ord(char):04X}')}_" for char in plain
        )
    words = _FOREIGN.sub("_", plain).strip("_")
    if len(words) <= LONGEST:
        return words
    return (words[: LONGEST + 1].rpartition("_")[0] or words)[:LONGEST].strip("_")


@cache
def snake(text: str) -> str:
    """lower_snake_case: `dataAsMap` → `data_as_map`, `MLRequestBody` → `ml_request_body`; digits stay put."""
    return _BOUNDARY.sub("_", ascii_words(text)).lower()


@cache
def pascal(text: str) -> str:
    """PascalCase, capitals within a word kept: `create_pit` → `CreatePit`, `MLStatus` → `MLStatus`."""
    return "".join(word[:1].upper() + word[1:] for word in ascii_words(text).split("_"))


def field_name(text: str) -> str:
    """The field name of a property: snake case; what would not begin with a letter gets the prefix `x`."""
    name = snake(text) or "x"
    if text.startswith("_"):
        return f"x_{name}"
    return f"x{name}" if name[0].isdigit() else name


def message_name(text: str) -> str:
    """The message name of a schema: Pascal case; what would not begin with a letter gets the prefix `X`."""
    name = pascal(text) or "X"
    return f"X{name}" if name[0].isdigit() else name


def value_name(enum: str, text: str | None) -> str:
    """The name of an enum value: `ENUM_NAME_VALUE` (protobuf style guide; buf ENUM_VALUE_PREFIX).

    A text `unspecified` gets a suffix, as `…_UNSPECIFIED` is the zero, which no text stands for.
    """
    value = "NULL" if text is None else snake(text).upper() or "EMPTY"
    value = "UNSPECIFIED_VALUE" if value == "UNSPECIFIED" else value
    return f"{snake(enum).upper()}_{value}"


def find_free_name(name: str, is_free: Callable[[str], bool]) -> str:
    """Return the name, or the first of `name_2`, `name_3`… that is free."""
    if is_free(name):
        return name
    return next(numbered for number in count(2) if is_free(numbered := f"{name}_{number}"))
