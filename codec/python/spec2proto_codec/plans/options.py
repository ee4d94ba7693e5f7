"""Parse the options of a field in the binding; no other module reads these strings."""

from __future__ import annotations

from functools import cache
from typing import get_args

from spec2proto_codec.plans.types import Coding, FieldOptions

_CODINGS: dict[str, Coding] = {coding: coding for coding in get_args(Coding) if coding}


@cache
def parse_options(options: tuple[str, ...]) -> FieldOptions:
    """Parse options such as `single`, `shorthand:value` and `tag:type=text`; unknown options are ignored.

    Most fields share a few sets of options, so equal options share one record.
    """
    flags = {option for option in options if ":" not in option}
    arguments: dict[str, str] = {}
    tags: dict[str, set[str]] = {}
    for option in options:
        name, colon, argument = option.partition(":")
        if name == "tag":
            key, _, value = argument.partition("=")
            tags.setdefault(key, set()).add(value)
        elif colon:
            arguments.setdefault(name, argument)
    style = arguments.get("style", "form")
    return FieldOptions(
        required="required" in flags,
        optional="optional" in flags,
        writes_null="null" in flags,
        nullable="nullable" in flags,
        single="single" in flags,
        entry="entry" in flags,
        quoted="quoted" in flags,
        coding=next((_CODINGS[flag] for flag in options if flag in _CODINGS), ""),
        shorthand=arguments.get("shorthand", ""),
        tags={key: frozenset(values) for key, values in tags.items()},
        position=int(arguments["at"]) if "at" in arguments else None,
        style=style,
        explode={"true": True, "false": False}.get(arguments.get("explode", ""), style == "form"),
        holds_json=arguments.get("content", "").endswith("json"),
        in_header=arguments.get("in") == "header",
    )
