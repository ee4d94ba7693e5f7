"""Convert the names of an API to protobuf identifiers (protobuf style guide; AIP-140, AIP-190)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import count

# The word boundaries of buf (ENUM_VALUE_PREFIX): `Sha256` and `Hash`, but `Data3D` and `Secure`.
_BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])")
_FOREIGN = re.compile(r"[^A-Za-z0-9]+")
# Names become file and class names, which most systems limit to 255 bytes.
LONGEST = 120
_SIGN = re.compile(r"^[+-](?=[A-Za-z0-9])")


@cache
def join_ascii_words(text: str) -> str:
    """Return the ASCII letters and digits of a string, with `_` for all other characters.

    A sign before the first word is spelled out (`-1` → `minus_1`), other characters by their Unicode name. The result
    is cut after the last word that fits into `LONGEST` characters.
    """
    plain = unicodedata.normalize("NFKD", text[: LONGEST * 10])
    plain = _SIGN.sub(lambda match: "plus_" if match[0] == "+" else "minus_", plain)
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
def format_snake(text: str) -> str:
    """Return a name in lower_snake_case: `dataAsMap` → `data_as_map`, `MLRequestBody` → `ml_request_body`."""
    return _BOUNDARY.sub("_", join_ascii_words(text)).lower()


@cache
def format_pascal(text: str) -> str:
    """Return a name in PascalCase, keeping capitals: `create_pit` → `CreatePit`, `MLStatus` → `MLStatus`."""
    return "".join(word[:1].upper() + word[1:] for word in join_ascii_words(text).split("_"))


def derive_field_name(text: str) -> str:
    """Return the field name of a property in snake case; it gets the prefix `x` if it begins with no letter."""
    name = format_snake(text) or "x"
    if text.startswith("_"):
        return f"x_{name}"
    return f"x{name}" if name[0].isdigit() else name


def derive_message_name(text: str) -> str:
    """Return the message name of a schema in PascalCase; it gets the prefix `X` if it begins with no letter."""
    name = format_pascal(text) or "X"
    return f"X{name}" if name[0].isdigit() else name


def derive_value_name(enum: str, text: str | None) -> str:
    """Return the name of an enum value: `ENUM_NAME_VALUE` (protobuf style guide; buf ENUM_VALUE_PREFIX).

    The string `unspecified` gets a suffix, because `…_UNSPECIFIED` is the name of the zero value.
    """
    value = "NULL" if text is None else format_snake(text).upper() or "EMPTY"
    value = "UNSPECIFIED_VALUE" if value == "UNSPECIFIED" else value
    return f"{format_snake(enum).upper()}_{value}"


def find_free_name(name: str, is_free: Callable[[str], bool]) -> str:
    """Return the name, or the first of `name_2`, `name_3`… that is free."""
    if is_free(name):
        return name
    return next(numbered for number in count(2) if is_free(numbered := f"{name}_{number}"))
