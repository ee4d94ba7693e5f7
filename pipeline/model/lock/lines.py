"""A lock as builds write it, read line by line: a fraction of the time that YAML takes.

It knows no more of YAML than `pipeline.model.lock.text` writes. What it makes of any other text is not to be
trusted: whoever reads a lock by it writes the lock again and compares.
"""

from __future__ import annotations

import json
import re
from typing import Any

_TEXT = r'"(?:[^"\\]|\\.)*"'
_PAIR = re.compile(rf'(\w+): ({_TEXT}|\{{(?:[^{{}}"]|{_TEXT})*\}}|[^,{{}}"]+)')
_KEY = re.compile(rf"({_TEXT}|[^:]+):(?: (.+))?")
_LISTS = {0: ("extensions", "rpcs"), 2: ("fields", "values")}
_WORDS = {"true": True, "false": False}


def read_lines(text: str) -> dict[str, Any]:
    """The document that a lock's text stands for.

    Args:
        text: a whole lock.

    Raises:
        ValueError: when it is none that a build writes.
    """
    around: list[Any] = [{}]
    for line in text.split("\n"):
        body = line.lstrip(" ")
        if body.startswith("- {"):
            if type(around[-1]) is not list:
                raise ValueError(line)
            around[-1].append(_flow(body))
        elif body and not body.startswith("#"):
            depth = (len(line) - len(body)) // 2
            del around[depth + 1 :]
            around.append(_entry(body, depth, around[-1]))
    document: dict[str, Any] = around[0]
    return document


def _entry(body: str, depth: int, holder: Any) -> Any:
    """Put what a line says into the mapping around it; what lines further in belong to."""
    found = _KEY.fullmatch(body)
    if found is None or type(holder) is not dict:
        raise ValueError(body)
    key, text = _value(found[1]), found[2]
    holder[key] = _value(text) if text else [] if key in _LISTS.get(depth, ()) else {}
    return holder[key]


def _flow(text: str) -> dict[str, Any]:
    """A mapping on one line."""
    return {key: _value(value) for key, value in _PAIR.findall(text)}


def _value(text: str) -> Any:
    """A plain text or number, a text in quotes, or a mapping on one line."""
    first = text[0]
    if first.isalpha() or first == "_":
        return _WORDS.get(text, text)
    if first == "{" and text != "{}":
        return _flow(text[1:])
    return json.loads(text)
