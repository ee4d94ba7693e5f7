"""JSON with each value on a line of its own, faster than `json` indents it."""

from __future__ import annotations

import json
from json.encoder import encode_basestring as _text
from typing import Any

ALL_LEVELS = 1_000
_one_line = json.JSONEncoder(ensure_ascii=False).encode


def format_json(value: Any, levels: int = ALL_LEVELS) -> str:
    """What `json.dumps(value, indent=1, ensure_ascii=False)` gives, for mappings with texts as keys.

    Args:
        value: as `json.dumps` takes it.
        levels: how many mappings and lists around a value make a line of it; what is inside stands on that line.
    """
    return _indented(value, "\n", levels)


def _indented(value: Any, end: str, levels: int) -> str:
    inner = f"{end} "
    if isinstance(value, str):
        text: str = _text(value)
        return text
    if levels <= 0:
        line: str = _one_line(value)
        return line
    if isinstance(value, dict) and value:
        listed = [f"{_text(key)}: {_indented(item, inner, levels - 1)}" for key, item in value.items()]
        return f"{{{inner}{f',{inner}'.join(listed)}{end}}}"
    if isinstance(value, (list, tuple)) and value:
        listed = [_indented(item, inner, levels - 1) for item in value]
        return f"[{inner}{f',{inner}'.join(listed)}{end}]"
    return json.dumps(value)
