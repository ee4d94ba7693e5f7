"""Describe how the JSON of a field, or the string of a parameter, differs from the plain case."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class StringFormat(StrEnum):
    """What the string of a `bytes` or `string` field stands for."""

    PLAIN = ""
    BASE64 = "base64"
    BASE64URL = "base64url"
    RAW = "raw"
    NUMBER = "number"


class Tag(NamedTuple):
    """A property and its value, by which the codec recognizes one variant of a union."""

    property: str
    value: str


class JsonEncoding(NamedTuple):
    """How the JSON of a field differs from the plain case.

    `postprocess.binding.writer` lists the differences in binding.json and explains each of them.

    Attributes:
        is_single: one item may stand without its list.
        is_nullable: null may stand in its place.
        writes_null: null is written where the field is not set, because the key must be there.
        is_required: the key must be there.
        is_entry: an object of exactly one key.
        is_document: bytes that hold a JSON document.
        is_quoted: a number or boolean that may also be a string.
        string_format: what a string stands for.
        shorthand: the property whose value alone may stand for the whole object; empty for none.
        tags: the properties by which this variant of a union is recognized.
        position: the position of this item in its tuple, from 0.
        style: the `style` of a parameter, if it is not the default of OpenAPI.
        explode: the `explode` of a parameter, if it is not the default of OpenAPI.
        content_type: the media type of a parameter that has `content`.
        is_header: whether the parameter is a header.
        overloads: other parameters whose values may stand here.
    """

    is_single: bool = False
    is_nullable: bool = False
    writes_null: bool = False
    is_required: bool = False
    is_entry: bool = False
    is_document: bool = False
    is_quoted: bool = False
    string_format: StringFormat = StringFormat.PLAIN
    shorthand: str = ""
    tags: tuple[Tag, ...] = ()
    position: int | None = None
    style: str = ""
    explode: bool | None = None
    content_type: str = ""
    is_header: bool = False
    overloads: tuple[str, ...] = ()


PLAIN = JsonEncoding()
"""The encoding of a field whose JSON is what its type and label say."""


def merge_encodings(first: JsonEncoding, second: JsonEncoding) -> JsonEncoding:
    """Return the encoding of a wrapper's field that must allow what either of two encodings allows."""
    if first == second:
        return first
    return first._replace(
        is_document=first.is_document or second.is_document,
        is_quoted=first.is_quoted or second.is_quoted,
        string_format=first.string_format or second.string_format,
        shorthand=min(filter(None, (first.shorthand, second.shorthand)), default=""),
    )
